import Foundation

/// Python's TLS in front of the hostile servers: what it sends is in order, what is in it is not.
///
/// Ends with this process.
final class SecureServer: Sendable {
    let port: Int
    /// Of the authority that its certificate comes from.
    let authority: Data
    private let process: Process
    private let life = Pipe()

    /// - Throws: Where python3 or openssl is missing.
    init(plainPort: Int, http2Port: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-sequences-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, certificate) = (folder.appending(path: "key"), folder.appending(path: "certificate"))
        try Self.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=fuzz",
            "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.fuzz.test", "-keyout", key.path, "-out",
            certificate.path,
        ])
        authority = try Data(contentsOf: certificate)
        (process, port) = try Self.start([certificate.path, key.path, String(plainPort), String(http2Port)], life)
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    private static func run(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure.notThere(words[0]) }
    }

    private static func start(_ words: [String], _ life: Pipe) throws -> (Process, Int) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program] + words
        (process.standardInput, process.standardOutput, process.standardError) = (life, output, FileHandle.nullDevice)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Failure.notThere("python3")
        }
        try? output.fileHandleForReading.close()
        return (process, port)
    }

    enum Failure: Error { case notThere(String) }

    private static let program = """
        import asyncio, os, ssl, sys, threading
        certificate, key, plain, http2 = sys.argv[1:]
        def watch():
            sys.stdin.read()
            os._exit(0)
        threading.Thread(target=watch, daemon=True).start()
        async def pump(reader, writer):
            try:
                while data := await reader.read(65536):
                    writer.write(data)
                    await writer.drain()
            except (OSError, ssl.SSLError):
                writer.transport.abort()
            writer.close()
        async def serve(reader, writer):
            protocol = writer.get_extra_info("ssl_object").selected_alpn_protocol()
            try:
                upstream = await asyncio.open_connection("127.0.0.1", http2 if protocol == "h2" else plain)
            except OSError:
                return writer.close()
            await asyncio.gather(pump(reader, upstream[1]), pump(upstream[0], writer), return_exceptions=True)
        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(["h2", "http/1.1"])
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)
            server = await asyncio.start_server(
                serve, "127.0.0.1", 0, ssl=context, backlog=512, ssl_handshake_timeout=3)
            os.write(1, b"%d\\n" % server.sockets[0].getsockname()[1])
            await server.serve_forever()
        asyncio.run(main())
        """
}
