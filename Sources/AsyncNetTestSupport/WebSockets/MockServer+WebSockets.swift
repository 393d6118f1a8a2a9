import AsyncNet
public import Foundation

extension MockServer {
    /// The URL of a percent-encoded path with the scheme `ws`, or `wss` of a server with TLS.
    public nonisolated func webSocketURL(_ path: String = "/") -> URL {
        let text = url(path).absoluteString
        return URL(string: "ws" + text.dropFirst(4)) ?? url(path)
    }
}

extension MockServerCore {
    /// Accepts a WebSocket, and runs it to its end.
    func upgrade(
        _ reply: MockResponse, _ upgrade: MockUpgrade, _ request: RecordedRequest, _ connection: inout MockConnection
    ) throws -> MockReplyWriter.End {
        let writer = MockReplyWriter(socket: connection.socket, method: request.method.rawValue)
        if reply.delay > .zero { try connection.socket.pause(reply.delay) }
        do {
            let handshake = try MockHandshake(upgrade, request, reply.headers)
            return try run(upgrade, request, handshake, connection.takeRest(), connection.socket)
        } catch let refusal as WebSocketServerHandshake.Refusal {
            return try writer.write(refusal.response)
        }
    }

    private func run(
        _ upgrade: MockUpgrade, _ request: RecordedRequest, _ handshake: MockHandshake, _ rest: Data,
        _ stream: ServerStream
    ) throws -> MockReplyWriter.End {
        let wakeup = try Wakeup()
        let pipe = PipedConnection { wakeup.set() }
        let socket = MockWebSocketConnection(pipe, request, handshake.agreement, upgrade.fault, received: rest)
        starter?.post { [scripts] in scripts.start { await socket.run(upgrade, handshake.bytes) } }
        try ConnectionCarrier(stream: stream, connection: pipe, wakeup: wakeup).run()
        return socket.isReset.withLock { $0 } ? .reset : .close
    }
}
