struct WebSocketPlan: Sendable {
    let session: Session
    /// The transport that opens the connections: the session's, or the one of the test that made the WebSocket.
    let transport: any Transport
    let url: WebSocketURL
    let protocols: [String]
    let headers: HTTPHeaders
    let options: WebSocketOptions
    let requestOptions: RequestOptions
    let reconnection: WebSocketReconnection
    let resuming: @Sendable () async throws -> [WebSocketMessage]

    let events: ConnectionEvents

    var environment: Environment { session.environment }

    /// Sends the handshake as a request of the session. If the server refuses the WebSocket, the thrown error has the
    /// server's response.
    func open() async throws(AsyncNetError) -> WebSocketLink {
        let carrier = UpgradeTransport(over: transport, protocols: protocols, compression: options.compression)
        let request = try request(carrier)
        let outcome = await request.transferOutcome()
        if let error = outcome.error { throw error }
        guard let head = outcome.head, let upgraded = carrier.takeUpgraded() else {
            throw AsyncNetError(.webSocketHandshakeFailed)
        }
        let agreement = try carrier.agreement(from: head)
        events.send(.opened(upgraded.connection.info, handshake: request.id))
        return WebSocketLink(upgraded, head, agreement, options, events)
    }

    private func request(_ carrier: UpgradeTransport) throws(AsyncNetError) -> RequestEngine {
        var headers = headers
        headers.merge(try carrier.makeFirstHandshake())
        let agrees = Validator(subject: .status) { _ = try carrier.agreement(from: $0.head) }
        var options = requestOptions
        options.validation = options.validation.adding(agrees)
        return RequestEngine(
            session.assembly.blueprint(url, .get, headers), options: options, carrier: carrier, session: session)
    }
}
