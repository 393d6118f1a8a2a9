import AsyncNetTestSupport
import Foundation
import Testing

@testable import AsyncNet

@Suite("Raw streams over TLS", .timeLimit(.minutes(5)))
struct StreamConnectionTLSTests {
    private func withServer(
        _ script: String, version: String = "TLSv1_3", _ body: (StreamConnection) async throws -> Void
    ) async throws {
        let server = try RawServer(tls: script, version: version)
        let session = Session(transport: .sockets())
        try await body(try await session.connect(to: "127.0.0.1", port: server.port, tls: RawServer.trust))
        await session.finish()
    }

    /// All that comes until the end.
    private func rest(of connection: StreamConnection) async throws -> Data {
        var received = Data()
        for try await bytes in connection.bytes { received += bytes }
        return received
    }

    @Test(
        "A raw stream over TLS gets all its bytes echoed, and more bytes after it has sent close_notify",
        arguments: [1, 8_000_000])
    func echoes(_ count: Int) async throws {
        // What comes after the end of this side was sent by a peer that knows of the end.
        let script = """
            while data := t.recv(65536): t.sendall(data)
            t.sendall(b"after the end")
            t.unwrap()
            """
        try await withServer(script) { connection in
            let sent = patternedData(count)
            async let received = rest(of: connection)
            for start in stride(from: 0, to: count, by: 100_000) {
                try await connection.write(sent.dropFirst(start).prefix(100_000))
            }
            try await connection.finishWriting()
            #expect(try await received == sent + Data("after the end".utf8))
            #expect(await AsyncNetError.code { try await connection.write(sent) } == .invalidRequest)
        }
    }

    @Test("finishWriting() over TLS 1.2 throws .unsupportedByTransport, and the stream can still be used")
    func refusesHalfClose() async throws {
        try await withServer("t.sendall(t.recv(10))\nt.unwrap()", version: "TLSv1_2") { connection in
            #expect(await AsyncNetError.code { try await connection.finishWriting() } == .unsupportedByTransport)
            try await connection.write(Data("hi".utf8))
            #expect(try await rest(of: connection) == Data("hi".utf8))
        }
    }

    @Test(
        "A read over TLS that ends without close_notify throws .connectionLost after all bytes are read",
        arguments: [4, 1_000_000])
    func truncated(_ count: Int) async throws {
        try await withServer("t.recv(1)\nt.sendall(bytes(\(count)))\nt.close()") { connection in
            var received = 0
            // The end may come before the write returns.
            let code = await AsyncNetError.code {
                try? await connection.write(Data("x".utf8))
                while let bytes = try await connection.read() { received += bytes.count }
            }
            #expect(code == .connectionLost)
            #expect(received == count)
        }
    }

    @Test("close() over TLS sends all written bytes, then close_notify")
    func closes() async throws {
        // Without close_notify the server's recv would fail.
        let script = """
            count = 0
            while data := t.recv(65536): count += len(data)
            t.close()
            report, _ = l.accept()
            report = context.wrap_socket(report, server_side=True)
            report.sendall(str(count).encode())
            report.unwrap()
            """
        let server = try RawServer(tls: script)
        let session = Session(transport: .sockets())
        let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: RawServer.trust)
        for _ in 0..<80 { try await connection.write(Data(count: 100_000)) }
        await connection.close()
        let report = try await session.connect(to: "127.0.0.1", port: server.port, tls: RawServer.trust)
        #expect(String(decoding: try await rest(of: report), as: UTF8.self) == "8000000")
        await session.finish()
    }

    /// Much that comes at once is decrypted in several turns, whose rest the socket does not report.
    @Test("Bytes that arrive over TLS while nobody reads are all read later, in order")
    func backPressure() async throws {
        let script = "t.recv(1)\nfor n in range(200): t.sendall(bytes([n]) * 50000)\nt.unwrap()"
        try await withServer(script) { connection in
            try await connection.write(Data("x".utf8))
            let first = try #require(try await connection.read())
            for _ in 0..<1000 { await Task.yield() }
            let all = first + (try await rest(of: connection))
            #expect(all.count == 10_000_000)
            #expect(all.enumerated().allSatisfy { $0.element == UInt8($0.offset / 50_000) })
        }
    }

    @Test("connect() trusts the anchors of the call, and the connection's info has the server's certificate")
    func trusts() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        server.on(.get, "/") { _ in .text("hi") }
        let session = Session(transport: .sockets())
        let tls = TLSConfiguration(trust: .anchors([server.anchor]))
        let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: tls)
        #expect(connection.info.serverCertificates.count == 1)
        #expect(connection.info.remotePort == server.port)
        #expect(connection.info.tls?.version == "TLSv1.3")
        try await connection.write(Data("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
        #expect(String(decoding: try await rest(of: connection), as: UTF8.self).hasSuffix("hi"))
        await session.finish()
        await server.stop()
    }

    @Test("The error of connect() to a server that is not trusted has the server's certificate")
    func distrusts() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        let session = Session(transport: .sockets())
        let error = await failure { try await session.connect(to: "127.0.0.1", port: server.port, tls: .system) }
        #expect(error?.code == .certificateNotTrusted)
        #expect(error?.serverTrust?.certificates.count == 1)
        let pin = "sha256//" + Data(count: 32).base64EncodedString()
        let pinned = TLSConfiguration(trust: .anchors([server.anchor]), pins: [pin])
        let mismatch = await failure { try await session.connect(to: "127.0.0.1", port: server.port, tls: pinned) }
        #expect(mismatch?.code == .certificatePinMismatch)
        #expect(mismatch?.serverTrust?.expectedPins == [pin])
        #expect(mismatch?.serverTrust?.pin == TLSConfiguration.pin(of: server.anchor))
        #expect(await server.requestCount == 0)
        await session.finish()
        await server.stop()
    }

    private func failure(_ body: () async throws -> StreamConnection) async -> AsyncNetError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? AsyncNetError
        }
    }
}
