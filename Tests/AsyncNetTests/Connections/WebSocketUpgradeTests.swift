import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The handshake is a request of the session.
@Suite("WebSocket: the handshake over sockets", .timeLimit(.minutes(5)))
struct WebSocketUpgradeTests {
    private struct AddingHeader: RequestAdapter {
        func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
            var request = request
            request.setValue("yes", forHTTPHeaderField: "X-Adapted")
            return request
        }
    }

    /// The error of opening.
    private func failure(
        _ session: Session, _ url: URL, options: RequestOptions = RequestOptions()
    ) async -> AsyncNetError? {
        do {
            try await session.webSocket(url, request: options).open()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "The error of a refused handshake has its status and body, however the body is framed",
        arguments: [
            MockResponse.status(403, body: "not today"), .status(200, body: "not today"),
            .chunkedRefusal, .raw("HTTP/1.1 403 No\r\n\r\nnot today"),
        ])
    func refused(_ reply: MockResponse) async throws {
        try await withWebSockets(reply) { (server: MockServer, session: Session) async throws in
            let error = await failure(session, server.webSocketURL())
            #expect(error?.code == .webSocketHandshakeFailed)
            #expect(error?.statusCode == (reply.rawBytes == nil ? reply.statusCode : 403))
            #expect(error?.data == Data("not today".utf8))
            await server.connectionsClosed()
        }
    }

    @Test("A 101 whose Sec-WebSocket-Accept is for another key is refused")
    func wrongAccept() async throws {
        try await withWebSockets(.webSocket(fault: .wrongAccept)) {
            (server: MockServer, session: Session) async throws in
            #expect(await failure(session, server.webSocketURL())?.code == .webSocketHandshakeFailed)
            await server.connectionsClosed()
        }
    }

    @Test(
        "A handshake without a valid response ends with the error that any request would have",
        arguments: [
            (.closeBeforeHead, [.emptyReply]), (.resetBeforeHead, [.connectionLost, .emptyReply]),
            (.garbage, [.badServerResponse]), (.refuse, [.connectionLost, .emptyReply, .cannotConnect]),
        ] as [(MockResponse.Fault, Set<AsyncNetError.Code>)])
    func noResponse(_ fault: MockResponse.Fault, _ codes: Set<AsyncNetError.Code>) async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            await server.enqueue(.fault(fault))
            let error = await failure(session, server.webSocketURL())
            let code = try #require(error?.code)
            #expect(codes.contains(code))
        }
    }

    @Test("After a 401 the handshake is sent again with credentials and another Sec-WebSocket-Key")
    func challenge() async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            await server.enqueue(.status(401, headers: ["WWW-Authenticate": "Basic realm=\"chat\""], body: "who?"))
            let options = RequestOptions(credential: PasswordCredential(username: "ada", password: "secret"))
            let socket = session.webSocket(server.webSocketURL(), request: options)
            try await socket.send(.text("hi"))
            #expect(try await socket.receive() == .text("hi"))
            let requests = server.requests
            #expect(requests.count == 2)
            #expect(requests.first?.headers["Authorization"] == nil)
            let credentials = "Basic " + Data("ada:secret".utf8).base64EncodedString()
            #expect(requests.last?.headers["Authorization"] == credentials)
            #expect(Set(requests.map { $0.headers["Sec-WebSocket-Key"] }).count == 2)
        }
    }

    /// So that the cURL command of the handshake is the request that was sent.
    @Test("The first handshake is sent with the Sec-WebSocket-Key that adapters see")
    func key() async throws {
        let seen = Locked<String?>(nil)
        let adapter = Adapter { request, _ in
            let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key")
            seen.withLock { $0 = key }
            return request
        }
        try await withWebSockets(configuration: .init(interceptors: [adapter])) {
            (server: MockServer, session: Session) async throws in
            try await session.webSocket(server.webSocketURL()).open()
            let sent = server.requests.first?.headers["Sec-WebSocket-Key"]
            #expect(sent != nil && sent == seen.withLock { $0 })
        }
    }

    @Test("A redirect of the handshake to a path or to a ws URL is followed", arguments: ["/there", nil])
    func redirect(_ location: String?) async throws {
        try await withWebSockets { (server: MockServer, session: Session) async throws in
            await server.enqueue(.redirect(to: location ?? server.webSocketURL("/there").absoluteString))
            server.on(.get, "/there", replies: .webSocket(.echo))
            let socket = session.webSocket(server.webSocketURL())
            try await socket.send(.text("hi"))
            #expect(try await socket.receive() == .text("hi"))
            #expect(server.requests.map(\.path) == ["/", "/there"])
        }
    }

    @Test("A redirect to another origin drops subprotocols with credentials, and keeps the other subprotocols")
    func credentialAmongSubprotocols() async throws {
        let protocols = ["realtime", "openai-insecure-api-key.sk-hunter2"]
        try await withWebSockets { (first: MockServer, session: Session) async throws in
            try await withWebSockets { (other: MockServer, _: Session) async throws in
                await first.enqueue(.redirect(to: "/there"))
                first.on(.get, "/there", replies: .redirect(to: other.webSocketURL().absoluteString))
                try await session.webSocket(first.webSocketURL(), protocols: protocols).open()
                let offered = (first.requests + other.requests).map { $0.headers["Sec-WebSocket-Protocol"] }
                let all = protocols.joined(separator: ", ")
                #expect(offered == [all, all, "realtime"])
            }
        }
    }

    @Test("The session's cookies, adapters and retriers apply to the handshake")
    func policies() async throws {
        let jar = CookieJar()
        let configuration = SessionConfiguration(
            interceptors: [AddingHeader(), RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))], cookieJar: jar)
        let reply = MockResponse.webSocket(.echo, headers: ["Set-Cookie": "id=1; Path=/"])
        try await withWebSockets(reply, configuration: configuration) {
            (server: MockServer, session: Session) async throws in
            await server.enqueue(.status(503))
            let first = session.webSocket(server.webSocketURL())
            try await first.open()
            try await session.webSocket(server.webSocketURL()).open()
            let requests = server.requests
            #expect(requests.map { $0.headers["X-Adapted"] } == ["yes", "yes", "yes"])
            #expect(requests.map { $0.headers["Cookie"] } == [nil, nil, "id=1"])
        }
    }

    @Test(
        "open() throws at the request's deadline, at its timeout, and after cancel()",
        arguments: ["deadline", "timeout", "cancel"])
    func limits(_ kind: String) async throws {
        let clock = TestClock()
        try await withWebSockets(.fault(.stall), configuration: .init(clock: clock)) {
            (server: MockServer, session: Session) async throws in
            var options = RequestOptions()
            if kind == "deadline" { options.deadline = .seconds(3) }
            if kind == "timeout" { options.timeout = .seconds(3) }
            let socket = session.webSocket(server.webSocketURL(), request: options)
            async let code = AsyncNetError.code { try await socket.open() }
            _ = try await server.takeRequest()
            if kind == "cancel" { await socket.cancel() } else { clock.advance(by: .seconds(3)) }
            let expected: [String: AsyncNetError.Code] = [
                "deadline": .deadlineExceeded, "timeout": .timedOut, "cancel": .cancelled,
            ]
            #expect(await code == expected[kind])
            await server.connectionsClosed()
        }
    }

    @Test("A WebSocket to a ws URL is opened through an HTTP proxy's tunnel")
    func proxy() async throws {
        try await withWebSockets { (server: MockServer, _: Session) async throws in
            let proxy = try RawServer(Self.tunnel(to: server.port))
            let session = Session(transport: .sockets(proxy: .http("127.0.0.1", port: proxy.port)))
            let socket = session.webSocket("ws://chat.example:81/")
            try await socket.send(.text("hi"))
            #expect(try await socket.receive() == .text("hi"))
            try await socket.close()
            #expect(server.requests.first?.headers["Host"] == "chat.example:81")
            await session.finish()
        }
    }

    /// A proxy that leads all tunnels to one port.
    private static func tunnel(to port: Int) -> String {
        """
        assert head.startswith(b"CONNECT chat.example:81 HTTP/1.1")
        up = socket.create_connection(("127.0.0.1", \(port)))
        c.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        def down():
            while data := up.recv(65536): c.sendall(data)
            c.shutdown(socket.SHUT_WR)
        threading.Thread(target=down, daemon=True).start()
        while True: up.sendall(c.recv(65536))
        """
    }

    @Test("open() throws over a transport without raw connections, and for a subprotocol that is no token")
    func impossible() async throws {
        let session = Session(transport: StubTransport { _ in .text("") })
        let other = Session(transport: PageTransport { _ in (200, [:], "") })
        let url = try "ws://example.com".asURL()
        #expect(await failure(other, url)?.code == .unsupportedByTransport)
        let socket = session.webSocket(url, protocols: ["a b"])
        #expect(await AsyncNetError.code { try await socket.open() } == .invalidRequest)
    }
}

extension MockResponse {
    fileprivate static var chunkedRefusal: MockResponse {
        var response = MockResponse.chunked(["not ", "today"])
        response.statusCode = 403
        return response
    }
}
