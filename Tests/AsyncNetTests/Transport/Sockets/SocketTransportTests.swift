import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import AsyncNet

/// What only sockets have; the rest is in ``WireTransportTests``.
@Suite("Transport over sockets", .timeLimit(.minutes(5)))
struct SocketTransportTests {
    @Test("The description of sockets has OpenSSL's version, and on Linux sockets are the default")
    func description() {
        let text = SocketTransport().transportDescription
        #expect(text.hasPrefix("sockets (OpenSSL "))
        #if os(Linux)
            #expect(Session().transportDescription == text)
        #endif
    }

    @Test("Memory that is kept for large bodies is freed once the transport has no request, and not before")
    func keptMemory() async throws {
        let transport = SocketTransport(.init(idleTimeout: .seconds(600), eventLoops: 1))
        let memory = try transport.setup.get().memory
        let session = Session(transport: transport)
        let (sent, gate) = (Gate(), Gate())
        try await withServer { server in
            await server.route("/large") { _ in .data(Data(count: 300_000)) }
            await server.route("/held") { _ in
                sent.open()
                await gate.wait()
                return .text("")
            }
            // A transport with a request does not rest, however long it takes.
            async let held = session.request(server.url("/held")).serializing(Data.self).value
            await sent.wait()
            for _ in 0..<2 {
                let body = try await session.request(server.url("/large")).serializing(Data.self).value
                #expect(body == Data(count: 300_000))
                #expect(!memory.isResting)
            }
            gate.open()
            _ = try await held
        }
        while !memory.isResting { await Task.yield() }
    }

    // MARK: TLS

    private func connections(
        _ tls: TLSConfiguration, _ server: MockServer, requests: Int = 1
    ) async throws -> [ConnectionInfo.TLS?] {
        let transport = SocketTransport(.init(tls: tls, eventLoops: 1))
        let seen = Mutex<[ConnectionInfo.TLS?]>([])
        for _ in 0..<requests {
            var request = TransportRequest(head: HTTPRequestHead(url: server.url("/"))) { event in
                if case .connected(let info) = event { seen.withLock { $0.append(info.tls) } }
            }
            request.interests = .minimal
            for try await _ in try await transport.send(request).body {}
        }
        return seen.withLock { $0 }
    }

    private func withTLSServer(_ reply: MockResponse, body: (MockServer) async throws -> Void) async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in reply }
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("The TLS information of a connection has version, cipher suite and whether it was resumed")
    func agreement() async throws {
        try await withTLSServer(.text("a", headers: ["Connection": "close"])) { server in
            let seen = try await connections(.init(trust: .anchors([server.anchor])), server, requests: 2)
            let first = try #require(seen.first ?? nil)
            #expect(first.version == "TLSv1.3")
            #expect(first.cipherSuite.hasPrefix("TLS_"))
            #expect(!first.isResumed)
            #expect(seen.last??.isResumed == true)
        }
    }

    @Test(
        "A server that does not staple a required certificate status is refused each time",
        arguments: [TLSConfiguration.Version.tls12, .tls13])
    func unstapled(_ version: TLSConfiguration.Version) async throws {
        try await withTLSServer(.text("a")) { server in
            let tls = TLSConfiguration(
                trust: .anchors([server.anchor]), requiresStapledStatus: true, maximumVersion: version)
            let session = Session(transport: SocketTransport(.init(tls: tls, eventLoops: 1)))
            for _ in 0..<3 {
                let response = await session.request(server.url("/")).serializing(Data.self).response
                #expect(response.error?.code == .certificateRevoked)
            }
        }
    }

    @Test("Requests to a unix socket whose listener's queue is full connect once the queue has room")
    func fullQueue() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "s").path
        let answer = #"c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")"#
        let server = try RawServer(answer, unixSocket: path)
        let session = Session(transport: .sockets(unixSocket: path))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 {
                group.addTask { try await session.get("http://unix/").serializing(String.self).value }
            }
            for try await text in group { #expect(text == "x") }
        }
        withExtendedLifetime(server) {}
    }

    @Test("A connection with maximumVersion TLS 1.2 uses TLS 1.2")
    func maximumVersion() async throws {
        try await withTLSServer(.text("a")) { server in
            let tls = TLSConfiguration(trust: .anchors([server.anchor]), maximumVersion: .tls12)
            let seen = try await connections(tls, server)
            #expect(seen.first??.version == "TLSv1.2")
        }
    }

    @Test("libcurl refuses maximumVersion and keyLog with .unsupportedByTransport", arguments: [true, false])
    func onlySockets(_ isVersion: Bool) async {
        let tls = isVersion ? TLSConfiguration(maximumVersion: .tls12) : TLSConfiguration(keyLog: .environment)
        let error = await Session(transport: .libcurl(tls: tls)).request("https://127.0.0.1:1/").serializing(Data.self)
            .response.error
        #expect(error?.code == .unsupportedByTransport)
        #expect(error?.message.contains(".sockets()") == true)
    }

    @Test("keyLog writes a connection's secrets to a file that only its owner can read")
    func keyLog() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "keys")
        try await withTLSServer(.text("a")) { server in
            var tls = TLSConfiguration(trust: .anchors([server.anchor]))
            tls.keyLog = .init(kind: .file(file.path))
            _ = try await connections(tls, server)
        }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("CLIENT_TRAFFIC_SECRET_0 ") })
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    // MARK: A body that ends with the connection

    /// A TLS server whose response has no length, and which ends the connection without a word of TLS.
    private static func withTruncatingServer(body: (URL) async throws -> Void) async throws {
        let server = try RawServer(
            tls: """
                t.recv(65536)
                t.sendall(b"HTTP/1.1 200 OK\\r\\nCache-Control: max-age=60\\r\\n\\r\\nwhole?")
                t.shutdown(socket.SHUT_RDWR)
                """)
        try await body(try "https://127.0.0.1:\(server.port)/".asURL())
    }

    @Test("A body that ends without close_notify or length is delivered, and isTruncatable is set")
    func truncatable() async throws {
        try await Self.withTruncatingServer { url in
            let session = Session(transport: .sockets(tls: .init(trust: .disabled)))
            let response = await session.request(url).serializing(String.self).response
            #expect(response.value == "whole?")
            #expect(response.head?.isTruncatable == true)
        }
    }

    @Test("A body that may be truncated fails a download, and is not stored in a cache")
    func truncatableDownload() async throws {
        try await Self.withTruncatingServer { url in
            let cache = HTTPCache()
            let session = Session(
                transport: .sockets(tls: .init(trust: .disabled)), configuration: .init(cache: cache))
            let ended = await AsyncNetError.code { _ = try await session.download(url).value }
            #expect(ended == .bodyEndedEarly)
            for _ in 0..<2 {
                let response = await session.request(url).serializing(String.self).response
                #expect(response.value == "whole?")
                #expect(response.metrics.cacheOutcome != .hit)
            }
        }
    }

    @Test("isTruncatable is not set for a body with Content-Length")
    func measured() async throws {
        try await withServer(.text("a")) { (server: MockServer) async throws in
            let response = await Session(transport: .sockets()).request(server.url()).serializing(String.self).response
            #expect(response.head?.isTruncatable == false)
        }
    }

    // MARK: Trailers of a request

    private func upload(
        _ trailers: @escaping @Sendable () async throws -> HTTPHeaders, over transport: any Transport = .sockets(),
        _ server: MockServer
    ) async -> DataResponse<String, AsyncNetError> {
        let chunks = AsyncStream { continuation in
            for text in ["ab", "c"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        return await Session(transport: transport).upload(.stream(chunks, trailers: trailers), to: server.url())
            .serializing(String.self).response
    }

    @Test("Trailers are sent after a streamed body")
    func trailers() async throws {
        let server = try RawServer(
            """
            body = b""
            while not body.endswith(b"\\r\\n\\r\\n"): body += c.recv(4096)
            c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
            """)
        let chunks = AsyncStream { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        let body = RequestBody.stream(chunks) { ["X-Sum": "6", "X-End": "yes"] }
        let text = try await Session(transport: .sockets()).upload(body, to: try server.url).serializing(String.self)
            .value
        #expect(text == "3\r\nabc\r\n0\r\nX-Sum: 6\r\nX-End: yes\r\n\r\n")
    }

    @Test(
        "A request whose trailers are invalid, or throw, fails without being complete at the server",
        arguments: [
            (["Content-Length": "1"], .invalidRequest), (["a b": "1"], .invalidRequest),
            (["X": "a\r\nY: b"], .invalidRequest), (nil, .bodyStreamFailed),
        ] as [(HTTPHeaders?, AsyncNetError.Code)])
    func invalidTrailers(_ trailers: HTTPHeaders?, _ code: AsyncNetError.Code) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            struct Failure: Error {}
            let response = await upload(
                {
                    guard let trailers else { throw Failure() }
                    return trailers
                }, server)
            #expect(response.error?.code == code)
            #expect(await server.requestCount == 0)
        }
    }

    @Test("libcurl and URLSession refuse a body with trailers", arguments: [true, false])
    func trailersElsewhere(_ isLibcurl: Bool) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let transport: any Transport = isLibcurl ? .libcurl() : .urlSession
            let response = await upload({ [:] }, over: transport, server)
            #expect(response.error?.code == .unsupportedByTransport)
        }
    }

    @Test("A server that sends without end in the TLS handshake leads to .tlsHandshakeFailed, not to a timeout")
    func endlessHandshake() async throws {
        // HelloRequests, which no client answers in a handshake (RFC 5246 §7.4.1.1).
        let server = try RawServer(
            """
            c.recv(1)
            while True: c.sendall(bytes([22, 3, 3, 0, 4, 0, 0, 0, 0]) * 1000)
            """, readsHead: false)
        let transport = SocketTransport(.init(connectTimeout: .seconds(600)))
        let error = await Session(transport: transport).request("https://127.0.0.1:\(server.port)/")
            .serializing(Data.self).response.error
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains("more than 262144 bytes") == true, "\(error?.message ?? "")")
    }

    @Test("A waiting request of higher priority gets the next free connection")
    func priorities() async throws {
        let gate = Gate()
        let server = try await MockServer.start()
        await server.route("/*") { request in
            if request.path == "/first" { await gate.wait() }
            return .text("a")
        }
        let transport = SocketTransport(.init(maximumConnectionsPerOrigin: 1))
        let session = Session(transport: transport)
        let first = Task { try await session.request(server.url("/first")).serializing(String.self).value }
        _ = try await server.takeRequest()
        let queued = Counter()
        let later = [("/low", RequestPriority.low), ("/high", .high)].map { path, priority in
            Task {
                var request = TransportRequest(head: HTTPRequestHead(url: server.url(path))) { event in
                    if case .queued = event { queued.add() }
                }
                request.priority = priority
                for try await _ in try await transport.send(request).body {}
            }
        }
        await queued.reaches(2)
        gate.open()
        _ = try await first.value
        for task in later { try await task.value }
        #expect(try await server.takeRequest().path == "/high")
        #expect(try await server.takeRequest().path == "/low")
        await server.stop()
    }

    // MARK: Limits

    @Test("Bodies sent and received at maximum rates arrive whole", arguments: [true, false])
    func rates(_ isTLS: Bool) async throws {
        let server = isTLS ? try await MockServer.start(tls: .selfSigned) : try await MockServer.start()
        await server.route("/*") { request in .data(request.body) }
        let transport = SocketTransport(
            .init(
                tls: .init(trust: .disabled), maximumReceiveRate: 2_000_000, maximumSendRate: 3_000_000))
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let echo = try await Session(transport: transport).upload(.data(body), to: server.url("/")).serializing(
            Data.self
        ).value
        #expect(echo == body)
        await server.stop()
    }

    @Test(
        "A response with headers beyond the limit of bytes or lines leads to .badServerResponse, which names the limit",
        arguments: [("X: 1", 20, "10 headers"), (String(repeating: "x", count: 3000) + ": 1", 1, "2000 bytes")])
    func limits(_ line: String, _ count: Int, _ text: String) async throws {
        let server = try RawServer(
            """
            c.sendall(b"HTTP/1.1 200 OK\\r\\n" + b"\(line)\\r\\n" * \(count) + b"Content-Length: 0\\r\\n\\r\\n")
            """)
        let transport = SocketTransport(.init(maximumHeaderBytes: 2000, maximumHeaderLines: 10))
        let error = await Session(transport: transport).request(try server.url).serializing(Data.self).response.error
        #expect(error?.code == .badServerResponse)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test("A 101 response to a request is .badServerResponse")
    func switchedProtocols() async throws {
        let server = try RawServer(
            "c.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\n\\r\\nbytes'); c.recv(1)")
        let session = Session(transport: .sockets())
        #expect(
            await AsyncNetError.code { _ = try await session.request(server.url).serializing(Data.self).value }
                == .badServerResponse)
    }

    @Test(
        "The key of configured addresses may be an IPv6 address with or without brackets",
        arguments: ["[2001:DB8::1]", "2001:db8::1"])
    func keyInBrackets(_ host: String) async throws {
        let server = try RawServer("c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'); c.recv(1)")
        let configuration = SocketTransport.Configuration(addresses: ["\(host):\(server.port)": ["127.0.0.1"]])
        let session = Session(transport: .sockets(configuration))
        let url = "http://[2001:db8::1]:\(server.port)/"
        #expect(try await session.request(url).serializing(String.self).value == "ok")
        #expect(configuration.route.text(to: try url.asURL()) == "addresses 127.0.0.1")
    }

    @Test("Configured addresses may be in brackets, and a text that is no address is .invalidConfiguration")
    func configuredAddresses() async throws {
        let server = try RawServer(
            "c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'); c.recv(1)", address: "::1")
        for (text, code) in [("[::1]", nil), ("::1", nil), ("nonsense", .invalidConfiguration)]
            as [(String, AsyncNetError.Code?)]
        {
            let session = Session(transport: .sockets(.init(addresses: ["a.test:\(server.port)": [text]])))
            let response = await session.request("http://a.test:\(server.port)/").serializing(String.self).response
            #expect(response.error?.code == code)
        }
    }
}
