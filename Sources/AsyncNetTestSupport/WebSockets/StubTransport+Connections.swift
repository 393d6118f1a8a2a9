public import AsyncNet
import Foundation

extension StubTransport: DuplexTransport {
    /// Serves a connection that is not HTTP, of `Session.connect(to:port:tls:)`. When the closure returns, the
    /// connection is closed; an error resets it.
    public typealias ConnectionHandler = @Sendable (StubConnection) async throws -> Void

    /// Opens a connection in memory. On a connection for HTTP, routes make the response as in `send`; the response
    /// ``MockResponse/webSocket(_:protocols:compression:headers:greeting:fault:)`` makes the connection a WebSocket.
    ///
    /// - Throws: `AsyncNetError` with code `.unsupportedByTransport` for a connection that is not HTTP, unless
    ///   the stub was made with a closure for these.
    public func open(_ request: DuplexRequest) async throws -> any DuplexConnection {
        let pair = PipedPair.make(ConnectionInfo(isReused: false, remotePort: request.port))
        let connection = StubConnection(request, pair.server)
        if request.isHTTP {
            tasks.start { [weak self, clock] in await connection.serve(clock) { try await self?.reply(to: $0) } }
        } else if let connections {
            tasks.start { await connection.run(connections) }
        } else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "This StubTransport opens only HTTP and WebSockets: it has no closure for other connections")
        }
        return pair.client
    }
}

extension StubConnection {
    func run(_ handler: StubTransport.ConnectionHandler) async {
        do {
            try await handler(self)
            await close()
        } catch {
            reset()
        }
    }

    /// Responds to one request; the response's delay passes on the clock, or in real time without one.
    func serve(_ clock: (any Clock<Duration>)?, _ reply: (RecordedRequest) async throws -> MockResponse?) async {
        do {
            guard let (request, rest) = try await readRequest(), let reply = try await reply(request) else {
                return reset()
            }
            if reply.delay > .zero { try await (clock ?? ContinuousClock()).sleep(for: reply.delay) }
            switch reply.fault {
            case .stall:
                while try await receive() != nil {}
                return reset()
            case .closeBeforeHead: return await close()
            // A refused handshake does not need its body.
            case .resetAfterHead, .resetMidBody, .truncate, .stallMidBody:
                if reply.upgrade != nil { return reset() }
            case nil, .drip, .earlyResponse, .goAway(_, lastStream: nil): break
            default: return reset()
            }
            guard let upgrade = reply.upgrade else { return try await respond(reply) }
            try await self.upgrade(upgrade, reply, request, rest)
        } catch {
            reset()
        }
    }

    private func upgrade(
        _ upgrade: MockUpgrade, _ reply: MockResponse, _ request: RecordedRequest, _ rest: Data
    ) async throws {
        do {
            let handshake = try MockHandshake(upgrade, request, reply.headers)
            let socket = MockWebSocketConnection(end, request, handshake.agreement, upgrade.fault, received: rest)
            await socket.run(upgrade, handshake.bytes)
            if socket.isReset.withLock({ $0 }) { reset() }
        } catch let refusal as WebSocketServerHandshake.Refusal {
            try await respond(refusal.response)
        }
    }

    private func readRequest() async throws -> (RecordedRequest, Data)? {
        var input = Data()
        while true {
            if let end = input.range(of: Data("\r\n\r\n".utf8)) {
                let head = try MockConnection.parse(String(decoding: input[..<end.lowerBound], as: UTF8.self))
                let request = RecordedRequest(
                    method: HTTPMethod(rawValue: head.method), target: head.target, headers: head.headers,
                    body: Data(), connection: 0, httpVersion: head.version)
                return (request, Data(input[end.upperBound...]))
            }
            guard let bytes = try await receive() else { return nil }
            input += bytes
        }
    }

    /// Sends a response that does not upgrade, and closes the connection, which ends a streamed body.
    private func respond(_ reply: MockResponse) async throws {
        let body = reply.wholeBody
        var text = "HTTP/1.1 \(reply.statusCode) \(reply.reason ?? "")\r\n"
        if reply.streamed == nil { text += "Content-Length: \(body.count)\r\n" }
        for header in reply.headers { text += "\(header.name): \(header.value)\r\n" }
        try await write(Data((text + "\r\n").utf8) + body)
        if let chunks = reply.streamed { for try await chunk in chunks { try await write(chunk) } }
        await close()
    }
}
