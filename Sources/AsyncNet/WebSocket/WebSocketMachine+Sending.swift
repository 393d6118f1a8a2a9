package import Foundation

extension WebSocketMachine {
    /// The frame that must be sent after an event: a pong after a ping, a close frame with the same code after the
    /// peer's (RFC 6455 §5.5.1 to §5.5.3). `nil` after other events, and after this side's close frame.
    package mutating func reply(to event: WebSocketEvent) -> Data? {
        guard !hasSentClose else { return nil }
        switch event {
        case .message, .pong: return nil
        case .ping(let payload): return encoder.control(.pong, payload)
        case .close(let code, _): return closeFrame(code)
        }
    }

    /// The close frame for a failure; `nil` after this side's close frame.
    package mutating func closeFrame(for failure: WebSocketFailure) -> Data? {
        hasSentClose ? nil : closeFrame(failure.closeCode)
    }

    /// The frames of a message, each with a payload of at most `fragmentSize` bytes; `nil` is one frame. Throws
    /// `.webSocketClosed` after this side's close frame, `.encodingFailed` without memory to compress.
    package mutating func encode(
        _ message: WebSocketMessage, fragmentSize: Int? = nil
    ) throws(AsyncNetError) -> Data {
        try checkOpen()
        return try encoder.encode(message, fragmentSize: fragmentSize)
    }

    /// A ping; its payload, of at most 125 bytes, returns in the peer's pong.
    package mutating func encodePing(_ payload: Data = Data()) throws(AsyncNetError) -> Data {
        try control(.ping, payload)
    }

    /// A pong that no ping required (RFC 6455 §5.5.3).
    package mutating func encodePong(_ payload: Data = Data()) throws(AsyncNetError) -> Data {
        try control(.pong, payload)
    }

    /// A close frame, after which this side sends nothing; `nil` sends no code. Throws `.invalidRequest` for a code
    /// that must not be sent and for a reason of more than 123 bytes, `.webSocketClosed` after this side's close frame.
    package mutating func encodeClose(
        _ code: WebSocketCloseCode? = .normalClosure, reason: String = ""
    ) throws(AsyncNetError) -> Data {
        let payload = try WebSocketCloseBody.bytes(code: code, reason: reason)
        let frame = try control(.close, payload)
        hasSentClose = true
        return frame
    }

    private mutating func control(_ opcode: WebSocketOpcode, _ payload: Data) throws(AsyncNetError) -> Data {
        try checkOpen()
        guard payload.count <= WebSocketOpcode.mostControlBytes else {
            throw AsyncNetError(
                .invalidRequest,
                "A control frame of \(payload.count) bytes has more than \(WebSocketOpcode.mostControlBytes)")
        }
        return encoder.control(opcode, payload)
    }

    private mutating func closeFrame(_ code: WebSocketCloseCode?) -> Data? { try? encodeClose(code) }

    private func checkOpen() throws(AsyncNetError) {
        if hasSentClose { throw AsyncNetError(.webSocketClosed) }
    }
}
