extension Session {
    /// A WebSocket, which is opened at the first await.
    ///
    /// - Parameters:
    ///   - url: A `ws`, `wss`, `http` or `https` URL; relative URLs need a session with a base URL.
    ///   - protocols: The subprotocols that this program speaks, in the order of preference.
    ///   - headers: Headers of the handshake, which replace the session's of the same names.
    ///   - options: Limits, compression and pings.
    ///   - request: Policies and limits of the handshake, such as a credential or a deadline.
    ///   - reconnection: Whether another connection replaces a lost one; `.never` by default.
    ///   - resuming: Called each time that the WebSocket has been opened again; returns the messages that are sent
    ///     before all others. An error that the closure throws ends the WebSocket. The closure must not use the
    ///     WebSocket, which waits for the closure.
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

    /// Opens a WebSocket, passes it to the closure, and closes it when the closure ends: by a value, by an error, and by a
    /// cancel of the task, which closes the connection at once.
    ///
    ///     let answer = try await session.withWebSocket("wss://example.com/chat") { socket in
    ///         try await socket.send(.text("hi"))
    ///         return try await socket.receive()
    ///     }
    ///
    /// The closure runs where the caller does, and may use what belongs to the caller's actor. It can read
    /// ``WebSocket/closeCode``, also after an error of the loop over the messages. The other parameters are documented at
    /// ``webSocket(_:protocols:headers:options:request:reconnection:resuming:)``.
    ///
    /// - Returns: The value of the closure, once the server has closed the WebSocket too or
    ///   ``WebSocketOptions/closeTimeout`` is over.
    /// - Throws: The errors of ``WebSocket/open()``, after which the closure is not called, and the errors of the
    ///   closure.
    public nonisolated func withWebSocket<Value>(
        _ url: some URLConvertible, protocols: [String] = [], headers: HTTPHeaders = [:],
        options: WebSocketOptions = WebSocketOptions(), request: RequestOptions = RequestOptions(),
        reconnection: WebSocketReconnection = .never,
        resuming: @escaping @Sendable () async throws -> [WebSocketMessage] = { [] },
        _ body: (WebSocket) async throws -> Value
    ) async throws -> Value {
        let socket = webSocket(
            url, protocols: protocols, headers: headers, options: options, request: request, reconnection: reconnection,
            resuming: resuming)
        do {
            try await socket.open()
            let value = try await body(socket)
            try await socket.close()
            return value
        } catch {
            try? await socket.close()
            throw error
        }
    }
}
