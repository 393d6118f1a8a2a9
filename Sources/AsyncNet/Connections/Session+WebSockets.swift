extension Session {
    /// A WebSocket, which is opened at the first await.
    ///
    /// - Parameters:
    ///   - url: A `ws`, `wss`, `http` or `https` URL; relative URLs need a session with a base URL.
    ///   - protocols: The subprotocols that this program speaks, in the order of preference.
    ///   - headers: Headers of the handshake, which replace the session's of the same names.
    ///   - options: Limits, compression and pings.
    ///   - request: Policies and limits of the handshake, such as a credential or a deadline.
    ///   - reconnection: Whether a lost connection is replaced; `.never` by default.
    ///   - resuming: Called each time that the WebSocket has been opened again; returns the messages that are sent before
    ///     all others. An error ends the WebSocket. It must not use the WebSocket, which waits for it.
    public nonisolated func webSocket(
        _ url: some URLConvertible, protocols: [String] = [], headers: HTTPHeaders = [:],
        options: WebSocketOptions = WebSocketOptions(), request: RequestOptions = RequestOptions(),
        reconnection: WebSocketReconnection = .never,
        resuming: @escaping @Sendable () async throws -> [WebSocketMessage] = { [] }
    ) -> WebSocket {
        WebSocket(
            WebSocketPlan(
                session: self, transport: environment.scopedTransport ?? environment.transport,
                url: WebSocketURL(url: url), protocols: protocols, headers: headers, options: options,
                requestOptions: request, reconnection: reconnection, resuming: resuming,
                events: ConnectionEvents(.webSocket, environment.events)))
    }
}
