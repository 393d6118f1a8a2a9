/// A WebSocket (RFC 6455): messages in both directions over one connection.
///
///     let socket = session.webSocket("wss://example.com/chat", protocols: ["v2"])
///     try await socket.send(.text("hi"))
///     for try await message in socket.messages { print(message) }
///     try await socket.close()
///
/// A WebSocket is made without I/O, and opened at the first await. Its handshake is a request of the session: adapters,
/// cookies, credentials, redirects, retriers, time-outs and the transport's proxy and TLS settings apply, and monitors
/// see it. The WebSocket answers the server's pings, also while the program awaits no message, until 256 messages or
/// 256 KiB wait: then nothing is received.
///
/// No time-out or deadline ends an open WebSocket: ``WebSocketOptions/pingInterval`` finds a lost connection, and
/// cancelling the task ends a wait for a message.
///
/// Any number of tasks may use a WebSocket at the same time. It ends once: when either side closes it, when its
/// connection is lost and ``WebSocketReconnection`` opens no other, when the program cancels or releases it, or with
/// ``Session/finish()``.
public final class WebSocket: Sendable {
    private let engine: WebSocketEngine

    init(_ plan: WebSocketPlan) { engine = WebSocketEngine(plan) }

    deinit { engine.plan.environment.mailbox.post { [engine] in await engine.cancel() } }

    /// Opens the WebSocket, unless it is open. Not needed: every function that needs the connection opens it.
    ///
    /// - Throws: ``AsyncNetError``. If the server refuses the WebSocket, the code is `.webSocketHandshakeFailed`, and
    ///   ``AsyncNetError/statusCode`` and ``AsyncNetError/data`` are the status and the body of the server's response.
    public func open() async throws(AsyncNetError) { try await engine.open() }

    /// The subprotocol that the server has chosen (RFC 6455 §1.9); `nil` before the WebSocket is open, and if the
    /// server has chosen none.
    public var subprotocol: String? { get async { await engine.agreement?.subprotocol } }

    /// Whether messages are compressed (RFC 7692).
    public var isCompressed: Bool { get async { await engine.agreement?.compression != nil } }

    /// The response to the last handshake that was accepted; `nil` before the WebSocket is open.
    public var response: HTTPResponseHead? { get async { await engine.lastHead } }

    /// Sends a message, after all earlier ones.
    ///
    /// Returns when the connection has room for more, so a loop that sends goes no faster than the server receives;
    /// that the server has received the message is known only from its answer. If the task is cancelled before the
    /// call, nothing is sent; if it is cancelled later, the message is sent whole or not at all.
    ///
    /// - Throws: ``AsyncNetError``: `.webSocketClosed` after the end, `.connectionLost`, `.cancelled`, and the errors of
    ///   opening.
    public func send(_ message: WebSocketMessage) async throws(AsyncNetError) { try await engine.send(message) }

    /// The next message; `nil` once the WebSocket was closed, where a loop over ``messages`` ends.
    ///
    /// Cancelling the task loses no message: the next call returns it.
    ///
    /// - Throws: ``AsyncNetError``, as ``messages``.
    public func receive() async throws(AsyncNetError) -> WebSocketMessage? {
        if !engine.hasStarted { await engine.startIfNeeded() }
        return try await engine.queue.take()
    }

    /// The messages that the server sends, from here on. Several loops share them: each message goes to one loop.
    ///
    /// A loop ends without an error when this side closes the WebSocket, or when the server closes it with code 1000, 1001 or
    /// none. With any other end it throws: `.webSocketClosed` with another code, `.connectionLost`, `.timedOut` for missed
    /// pongs, `.webSocketProtocolViolated`, `.webSocketMessageTooLarge`, and the errors of opening.
    ///
    /// Up to 256 messages, or 256 KiB, wait for a loop; then nothing more is received, and the server has to wait.
    public var messages: some AsyncSequence<WebSocketMessage, AsyncNetError> & Sendable {
        PulledSequence(pull: receive)
    }

    /// Sends a ping, waits for its pong, and returns the time between the two.
    ///
    /// The pong comes after the messages that the server sent before it: if 256 messages, or 256 KiB, wait for the
    /// program, this function waits until some are read. For pings at intervals see ``WebSocketOptions/pingInterval``.
    @discardableResult
    public func ping() async throws(AsyncNetError) -> Duration { try await engine.ping() }

    /// Closes the WebSocket: sends all messages and a close frame, and waits for the server's close frame, at most
    /// ``WebSocketOptions/closeTimeout``. Does nothing after the end. Messages that arrive after the call are dropped.
    ///
    /// If the task is cancelled, the connection is closed at once.
    ///
    /// - Parameters:
    ///   - code: 1000 to 1003, 1007 to 1014, or 3000 to 4999.
    ///   - reason: At most 123 bytes of UTF-8.
    /// - Throws: ``AsyncNetError`` with code `.invalidRequest` for another code, or a longer reason; nothing is sent then.
    public func close(
        code: WebSocketCloseCode = .normalClosure, reason: String = ""
    ) async throws(AsyncNetError) {
        try await engine.close(code, reason)
    }

    /// Ends the WebSocket at once, without a close frame. Whatever waits for it ends with `.cancelled`.
    public func cancel() async { await engine.cancel() }

    /// The close code of the server; `nil` before the WebSocket is open, and while it is. While another connection
    /// replaces a lost one, the code that closed the lost one.
    ///
    /// ``WebSocketCloseCode/noStatusReceived`` if the server's close frame had no code,
    /// ``WebSocketCloseCode/abnormalClosure`` if the server sent no close frame, and the code that this side has sent
    /// because of a violation of the protocol.
    public var closeCode: WebSocketCloseCode? { get async { await engine.closing?.code } }

    /// The text of the server's close frame, which may contain anything; `nil` as ``closeCode``.
    public var closeReason: String? { get async { await engine.closing?.reason } }
}

extension WebSocket: ShownByDescription {

    /// The WebSocket's URL without secrets, see ``RedactionRule``.
    public var description: String { "WebSocket to \(engine.plan.url.redactedText)" }
}
