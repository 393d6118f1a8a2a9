public import AsyncNet
public import Foundation

/// The server's side of an open WebSocket, for the script of a ``MockWebSocket``.
///
/// Pings and the client's close frame are answered while the script awaits ``messages`` or ``receive()``. Only one task
/// may receive at a time; any number of tasks may send.
public actor MockWebSocketConnection {
    /// The request of the handshake.
    public nonisolated let request: RecordedRequest
    /// The subprotocol that the handshake has agreed on.
    public nonisolated let subprotocol: String?
    /// Whether messages are compressed.
    public nonisolated let isCompressed: Bool
    /// The code of the client's close frame, `.noStatusReceived` if the frame had none; `.abnormalClosure` if the
    /// connection ended without a close frame; `nil` before.
    public private(set) var closeCode: WebSocketCloseCode?
    /// The reason of the client's close frame.
    public private(set) var closeReason = ""
    /// The payloads of the pings that were received.
    public private(set) var pings: [Data] = []
    /// The payloads of the pongs that were received.
    public private(set) var pongs: [Data] = []

    private let connection: any DuplexConnection
    private var machine: WebSocketMachine
    private let fault: MockWebSocket.Fault?
    private var hasSentMessage = false
    /// Whether the connection is reset when it is closed.
    nonisolated let isReset = Locked(false)

    init(
        _ connection: any DuplexConnection, _ request: RecordedRequest, _ agreement: WebSocketAgreement,
        _ fault: MockWebSocket.Fault?, received: Data = Data()
    ) {
        (self.connection, self.request, self.fault) = (connection, request, fault)
        (subprotocol, isCompressed) = (agreement.subprotocol, agreement.compression != nil)
        machine = WebSocketMachine(
            role: .server, compression: agreement.compression, limits: WebSocketLimits(frame: .max, message: .max))
        machine.receive(received)
    }

    // MARK: Receiving

    /// The messages that the client sends, until the WebSocket or its connection has ended.
    public nonisolated var messages: Messages { Messages(socket: self) }

    /// The messages of a ``MockWebSocketConnection``.
    public struct Messages: AsyncSequence, AsyncIteratorProtocol, Sendable {
        fileprivate let socket: MockWebSocketConnection

        public func makeAsyncIterator() -> Messages { self }
        public func next() async throws -> WebSocketMessage? { try await socket.receive() }
    }

    /// The next message; `nil` once the client has closed the WebSocket or the connection has ended.
    ///
    /// - Throws: ``MockServer/Failure`` if the client violates the protocol, `CancellationError` if the server stops.
    public func receive() async throws -> WebSocketMessage? {
        while closeCode == nil {
            guard let event = try nextEvent() else {
                try await receiveBytes()
                continue
            }
            if case .message(let message) = event { return message }
            try await answer(event)
        }
        return nil
    }

    private func nextEvent() throws -> WebSocketEvent? {
        do {
            return try machine.next()
        } catch {
            if let frame = machine.closeFrame(for: error) { try? write(frame) }
            throw MockServer.Failure(description: "The client violated the protocol: \(error)")
        }
    }

    private func receiveBytes() async throws {
        do {
            if let bytes = try await connection.receive() { return machine.receive(bytes) }
        } catch {
            try Task.checkCancellation()
        }
        closeCode = closeCode ?? .abnormalClosure
    }

    private func answer(_ event: WebSocketEvent) async throws {
        if case .ping(let payload) = event { pings.append(payload) }
        if case .pong(let payload) = event { pongs.append(payload) }
        if case .close(let code, let reason) = event {
            (closeCode, closeReason) = (code ?? .noStatusReceived, reason)
            if fault == .noClose { return await waitForEnd() }
            if fault == .endWithoutClose { return await connection.close() }
        }
        if case .ping = event, fault == .noPong { return }
        // If this write fails, the client is gone, which the next `receive` reports.
        if let frame = machine.reply(to: event) { try? write(frame) }
    }

    private func waitForEnd() async {
        while (try? await connection.receive()) ?? nil != nil {}
    }

    // MARK: Sending

    /// Sends a message, in frames of at most `fragmentSize` bytes; in one frame by default. Waits while the client
    /// reads nothing and 256 KiB are unsent.
    public func send(_ message: WebSocketMessage, fragmentSize: Int? = nil) async throws {
        if !hasSentMessage, let fault, try await sendFaulty(message, fault) { return }
        hasSentMessage = true
        try write(try machine.encode(message, fragmentSize: fragmentSize))
        try await connection.sendingRoom()
    }

    /// Sends a ping; its pong arrives in ``pongs``.
    public func ping(_ payload: Data = Data()) throws { try write(try machine.encodePing(payload)) }

    /// Sends a pong that no ping has asked for.
    public func pong(_ payload: Data = Data()) throws { try write(try machine.encodePong(payload)) }

    /// Sends any bytes, such as a part of a frame.
    public func send(raw bytes: Data) async throws {
        try write(bytes)
        try await connection.sendingRoom()
    }

    private func write(_ bytes: Data) throws {
        guard fault == .drip else { return try connection.send(bytes) }
        for byte in bytes { try connection.send(Data([byte])) }
    }

    /// - Returns: Whether the fault took the place of the message.
    private func sendFaulty(_ message: WebSocketMessage, _ fault: MockWebSocket.Fault) async throws -> Bool {
        guard let frame = fault.frame(for: message) else { return false }
        hasSentMessage = true
        try connection.send(frame)
        if fault == .endInFrame { await end() }
        if fault == .resetInFrame { await reset() }
        return true
    }

    // MARK: The end

    /// Sends a close frame, and receives until the client's close frame; messages until then are dropped.
    ///
    /// - Parameters:
    ///   - code: The code; `nil` sends none.
    ///   - reason: At most 123 bytes of UTF-8.
    public func close(_ code: WebSocketCloseCode? = .normalClosure, reason: String = "") async throws {
        guard !machine.hasSentClose else { return }
        let frame = try machine.encodeClose(code, reason: reason)
        guard fault != .endWithoutClose else { return await connection.close() }
        try write(frame)
        while try await receive() != nil {}
    }

    /// Closes the connection, after what was sent, without a close frame.
    public func end() async { await connection.close() }

    /// Resets the connection, after what was sent.
    public func reset() async {
        isReset.withLock { $0 = true }
        await connection.close()
    }

    /// Sends the response's head with the greeting, and runs the script to the end of the connection.
    func run(_ upgrade: MockUpgrade, _ head: Data) async {
        do {
            try connection.send(try upgrade.greeting.reduce(head) { $0 + (try machine.encode($1)) })
            try await upgrade.webSocket.script(self)
            if closeCode == nil { try await close() }
        } catch {
            if closeCode == nil, !Task.isCancelled { try? await close(.internalError) }
        }
        await connection.close()
    }
}
