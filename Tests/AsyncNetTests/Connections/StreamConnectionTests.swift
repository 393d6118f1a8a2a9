import AsyncNetLibcurl
import AsyncNetTestSupport
import Foundation
import Testing

@testable import AsyncNet

@Suite("Raw streams", .timeLimit(.minutes(5)))
struct StreamConnectionTests {
    /// Sends back what it receives, then ends.
    private static let echo = """
        while True:
            data = socket.socket.recv(c, 65536)
            if not data: break
            c.sendall(data)
        c.close()
        """

    private func withServer(
        _ script: String, _ configuration: SocketTransport.Configuration = .init(),
        _ body: (RawServer, Session) async throws -> Void
    ) async throws {
        let server = try RawServer(script, readsHead: false)
        let session = Session(transport: .sockets(configuration))
        try await body(server, session)
        await session.finish()
    }

    /// All that comes until the end.
    private func rest(of connection: StreamConnection) async throws -> Data {
        var received = Data()
        for try await bytes in connection.bytes { received += bytes }
        return received
    }

    @Test("A raw stream gets all its bytes echoed, also after finishWriting()", arguments: [1, 300_000, 20_000_000])
    func echoes(_ count: Int) async throws {
        try await withServer(Self.echo) { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            let sent = patternedData(count)
            async let received = rest(of: connection)
            for start in stride(from: 0, to: count, by: 100_000) {
                try await connection.write(sent.dropFirst(start).prefix(100_000))
            }
            try await connection.finishWriting()
            #expect(try await received == sent)
            #expect(connection.info.remotePort == server.port)
        }
    }

    @Test("close() sends all written bytes, although this side has not read the peer's bytes")
    func closes() async throws {
        let script = """
            c.sendall(bytes(200000))
            count = 0
            while data := socket.socket.recv(c, 65536): count += len(data)
            c.close()
            report, _ = l.accept()
            report.sendall(str(count).encode())
            report.close()
            """
        try await withServer(script) { server, session in
            let connection = try await session.connect(to: "localhost", port: server.port, tls: .none)
            for _ in 0..<80 { try await connection.write(Data(count: 100_000)) }
            await connection.close()
            #expect(await AsyncNetError.code { try await connection.write(Data("x".utf8)) } == .connectionLost)
            let report = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            #expect(String(decoding: try await rest(of: report), as: UTF8.self) == "8000000")
        }
    }

    @Test("Bytes that a peer sent before it closed can be read after a write has failed")
    func readsAfterFailedWrite() async throws {
        try await withServer("c.recv(1)\nc.sendall(bytes(100000))\nc.close()") { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            try await connection.write(Data("x".utf8))
            // The server takes the next connection when it has closed this one.
            let next = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            try await next.write(Data("x".utf8))
            #expect(try await next.read() != nil)
            // Writes succeed until the peer's system has answered one with a reset.
            let ended = await outcome { while true { try await connection.write(Data("x".utf8)) } }
            #expect(ended == .connectionLost)
            var received = 0
            _ = await outcome { while let bytes = try await connection.read() { received += bytes.count } }
            #expect(received == 100_000)
        }
    }

    enum End: CaseIterable { case release, finish }

    /// The peer reads slowly, and sends what nobody reads: a socket that is closed at once resets the connection then.
    @Test(
        "Bytes written before close() arrive, although the stream is released or the session finished right after",
        arguments: End.allCases)
    func endsAfterClose(_ end: End) async throws {
        let script = """
            count = 0
            try:
                while data := socket.socket.recv(c, 65536):
                    count += len(data)
                    c.sendall(bytes(1000))
                    time.sleep(0.001)
            except OSError: pass
            c.close()
            report, _ = l.accept()
            report.sendall(str(count).encode())
            report.close()
            """
        try await withServer(script) { server, session in
            let ending = Session(transport: .sockets())
            try await write(8_000_000, ending, server.port)
            if end == .finish { await ending.finish() }
            let report = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            #expect(String(decoding: try await rest(of: report), as: UTF8.self) == "8000000")
            await ending.finish()
        }
    }

    private func write(_ count: Int, _ session: Session, _ port: Int) async throws {
        let connection = try await session.connect(to: "127.0.0.1", port: port, tls: .none)
        for _ in 0..<80 { try await connection.write(Data(count: count / 80)) }
        await connection.close()
    }

    @Test("A write after finishWriting() throws .invalidRequest, and reading goes on")
    func writesAfterFinish() async throws {
        try await withServer(Self.echo) { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            try await connection.write(Data("hi".utf8))
            try await connection.finishWriting()
            let ended = await outcome { try await connection.write(Data("late".utf8)) }
            #expect(ended == .invalidRequest)
            #expect(try await rest(of: connection) == Data("hi".utf8))
        }
    }

    @Test("A waiting read() returns nil when this side closes the stream")
    func closesUnderLoop() async throws {
        try await withServer("c.sendall(b'hello')\nc.recv(1)") { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            #expect(try await connection.read() == Data("hello".utf8))
            async let last = connection.read()
            await connection.close()
            #expect(try await last == nil)
        }
    }

    @Test("A raw stream is closed when it is released")
    func releases() async throws {
        // The server takes the second connection only after the end of the first.
        try await withServer("c.recv(1)\nc.close()") { server, session in
            _ = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            let second = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            try await second.write(Data("x".utf8))
            #expect(try await second.read() == nil)
        }
    }

    @Test("The read() after a cancelled read() gets every byte")
    func cancelsRead() async throws {
        try await withServer("c.recv(1)\nc.sendall(b'later')\nc.close()") { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            let reader = Task { try await connection.read() }
            reader.cancel()
            let ended = await outcome { _ = try await reader.value }
            #expect(ended == .cancelled)
            try await connection.write(Data("x".utf8))
            #expect(try await rest(of: connection) == Data("later".utf8))
        }
    }

    @Test("A raw stream that the peer resets ends with .connectionLost", arguments: [0, 4_000_000])
    func reset(_ count: Int) async throws {
        let script = """
            c.recv(1)
            c.sendall(bytes(\(count)))
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.close()
            """
        try await withServer(script) { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            // The reset may come before the write returns.
            let ended = await outcome {
                try await connection.write(Data("x".utf8))
                _ = try await rest(of: connection)
            }
            #expect(ended == .connectionLost)
        }
    }

    @Test(
        "Reads return bursts of a megabyte and single bytes in order, then nil or the error of a reset",
        arguments: [false, true])
    func bursts(_ resets: Bool) async throws {
        let script = """
            for size in (1000000, 1, 65536, 1, 300000):
                c.recv(1)
                c.sendall(bytes([size % 251]) * size)
            c.recv(1)
            if \(resets ? "True" : "False"):
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            c.close()
            """
        try await withServer(script) { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            for size in [1_000_000, 1, 65_536, 1, 300_000] {
                try await connection.write(Data("x".utf8))
                var received = Data()
                while received.count < size, let bytes = try await connection.read() { received += bytes }
                #expect(received == Data(repeating: UInt8(size % 251), count: size))
            }
            var last: Data?
            // The reset may come before the write returns.
            let ended = await outcome {
                try await connection.write(Data("x".utf8))
                last = try await connection.read()
            }
            #expect(ended == (resets ? .connectionLost : nil) && last == nil)
        }
    }

    @Test("Concurrent writes of many tasks arrive whole and unmixed before the end by finishWriting()")
    func writers() async throws {
        try await withServer(Self.echo) { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            async let received = rest(of: connection)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 as Range<UInt8> {
                    group.addTask {
                        for _ in 0..<20 { try await connection.write(Data(repeating: writer, count: 70_001)) }
                    }
                }
                try await group.waitForAll()
            }
            try await connection.finishWriting()
            let bytes = try await received
            #expect(bytes.count == 8 * 20 * 70_001)
            for start in stride(from: 0, to: bytes.count, by: 70_001) {
                let piece = bytes[start..<start + 70_001]
                #expect(piece.allSatisfy { $0 == piece.first })
            }
        }
    }

    @Test("finish() of a session ends its raw streams, and later ones, with .sessionFinished")
    func sessionEnds() async throws {
        try await withServer("c.recv(1)") { server, session in
            let connection = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none)
            async let end = outcome { _ = try await connection.read() }
            await session.finish()
            #expect(await end == .sessionFinished)
            let ended = await outcome { _ = try await session.connect(to: "127.0.0.1", port: server.port, tls: .none) }
            #expect(ended == .sessionFinished)
        }
    }

    @Test("connect() to a server that sends nothing ends at the connect timeout, or when its task is cancelled")
    func stopsConnecting() async throws {
        let silent = try SilentListener()
        let session = Session(transport: .sockets(.init(connectTimeout: .milliseconds(50))))
        let ended = await outcome { _ = try await session.connect(to: "127.0.0.1", port: silent.port, tls: .system) }
        #expect(ended == .timedOut)
        let patient = Session(transport: .sockets(.init(connectTimeout: .seconds(300))))
        let connecting = Task { try await patient.connect(to: "127.0.0.1", port: silent.port, tls: .system) }
        _ = try await silent.awaitedConnection()
        _ = try await silent.awaitedConnection()
        connecting.cancel()
        let cancelled = await outcome { _ = try await connecting.value }
        #expect(cancelled == .cancelled)
        await patient.finish()
    }

    @Test(
        "connect() throws .malformedURL for an invalid host or port, and .cannotConnect for a closed port",
        arguments: [
            ("127.0.0.1", 0, .malformedURL), ("127.0.0.1", 65_536, .malformedURL), ("", 80, .malformedURL),
            ("a b", 80, .malformedURL), ("a/b", 80, .malformedURL), ("u@host", 80, .malformedURL),
            ("host:1", 80, .malformedURL), ("127.0.0.1", 1, .cannotConnect), ("[::1]", 1, .cannotConnect),
            ("::1", 1, .cannotConnect),
        ] as [(String, Int, AsyncNetError.Code)])
    func refuses(_ host: String, _ port: Int, _ code: AsyncNetError.Code) async throws {
        let session = Session(transport: .sockets())
        let ended = await outcome { _ = try await session.connect(to: host, port: port, tls: .none) }
        #expect(ended == code)
    }

    @Test(
        "The transport refuses a raw stream's host that is no plain host name, or too long for SOCKS5",
        arguments: [
            "pinned.example/", "u@host", "host#", "a b", "", "[::1]", "a%2Fb", String(repeating: "a", count: 256),
        ])
    func refusesHosts(_ host: String) async throws {
        let transport = SocketTransport.sockets(.init(proxy: .socks5("127.0.0.1", port: 1)))
        let ended = await outcome {
            _ = try await transport.open(DuplexRequest(host: host, port: 80, security: .none))
        }
        #expect(ended == .malformedURL)
    }

    @Test("receive() after abort() of a transport's connection throws .connectionLost")
    func aborts() async throws {
        try await withServer("c.sendall(b'hello')\nc.recv(1)") { server, session in
            let transport = SocketTransport.sockets()
            let request = DuplexRequest(host: "127.0.0.1", port: server.port, security: .none)
            let connection = try await transport.open(request)
            #expect(try await connection.receive() == Data("hello".utf8))
            connection.abort(nil)
            let ended = await outcome { _ = try await connection.receive() }
            #expect(ended == .connectionLost)
            await transport.shutdown()
        }
    }

    @Test("A connection that is being opened is closed when its task is cancelled or its transport shut down")
    func endsOpening() async throws {
        let silent = try SilentListener()
        let transport = SocketTransport.sockets(.init(connectTimeout: .seconds(300)))
        let request = DuplexRequest(host: "127.0.0.1", port: silent.port, security: .tls(.system))
        let connecting = Task { try await transport.open(request) }
        let other = try await silent.awaitedConnection()
        connecting.cancel()
        await readsEnd(of: other)
        let ended = await outcome { _ = try await connecting.value }
        #expect(ended == .cancelled)
        async let last = outcome { _ = try await transport.open(request) }
        let next = try await silent.awaitedConnection()
        await transport.shutdown()
        await readsEnd(of: next)
        #expect(await last == .sessionFinished)
    }

    /// Returns when the other side has closed the connection.
    private func readsEnd(of descriptor: Int32) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                _ = try? file.readToEnd()
                continuation.resume()
            }
        }
    }

    @Test("close() ends at the connect timeout if the peer does not take the written bytes")
    func limitsClose() async throws {
        let silent = try SilentListener()
        let transport = SocketTransport.sockets(.init(connectTimeout: .milliseconds(50)))
        let request = DuplexRequest(host: "127.0.0.1", port: silent.port, security: .none)
        let connection = try await transport.open(request)
        // More than the system takes by itself.
        try connection.send(Data(count: 50_000_000))
        await connection.close()
        #expect(try await connection.receive() == nil)
        #expect(AsyncNetError.code { try connection.send(Data("x".utf8)) } == .connectionLost)
        await transport.shutdown()
    }

    @Test("connect() over a transport without raw streams throws .unsupportedByTransport")
    func unsupported() async throws {
        for session in [
            Session(transport: .urlSession), Session(transport: .libcurl()), Session(transport: SilentTransport()),
        ] {
            let ended = await outcome { _ = try await session.connect(to: "127.0.0.1", port: 1, tls: .none) }
            #expect(ended == .unsupportedByTransport)
        }
    }

    private struct SilentTransport: Transport {
        func send(_ request: TransportRequest) async throws -> TransportResponse { throw AsyncNetError(.cancelled) }
    }

    @Test("A raw stream is opened through an HTTP proxy's tunnel, or over the configured unix socket")
    func routes() async throws {
        let tunnel = """
            head = b""
            while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
            c.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n" + head.split(b"\\r\\n")[0])
            c.close()
            """
        let proxy = try RawServer(tunnel, readsHead: false)
        let proxied = Session(transport: .sockets(proxy: .http("127.0.0.1", port: proxy.port)))
        let connection = try await proxied.connect(to: "example.test", port: 6379, tls: .none)
        #expect(String(decoding: try await rest(of: connection), as: UTF8.self) == "CONNECT example.test:6379 HTTP/1.1")

        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "s").path
        let server = try RawServer(Self.echo, readsHead: false, unixSocket: path)
        #expect(server.port == 0)
        let local = Session(transport: .sockets(unixSocket: path))
        let socket = try await local.connect(to: "localhost", port: 1, tls: .none)
        try await socket.write(Data("over a file".utf8))
        try await socket.finishWriting()
        #expect(String(decoding: try await rest(of: socket), as: UTF8.self) == "over a file")
    }

    private func outcome(_ body: () async throws -> Void) async -> AsyncNetError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? AsyncNetError)?.code
        }
    }
}
