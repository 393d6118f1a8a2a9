/// Why a connection must be closed, with the code of the close frame (RFC 6455 §7.1.7).
package struct WebSocketFailure: Error, Hashable, Sendable {
    package let closeCode: WebSocketCloseCode
    /// What happened, in one sentence without secrets.
    package let message: String

    /// The peer violated the protocol: 1002.
    static func violation(_ message: String) -> Self { Self(closeCode: .protocolError, message: message) }
    /// A text is not UTF-8, or compressed bytes are invalid: 1007.
    static func invalidData(_ message: String) -> Self { Self(closeCode: .invalidPayload, message: message) }
    /// More bytes than a limit allows: 1009.
    static func tooLarge(_ message: String) -> Self { Self(closeCode: .messageTooBig, message: message) }
    /// This side cannot go on: 1011.
    static func inability(_ message: String) -> Self { Self(closeCode: .internalError, message: message) }

    package var error: AsyncNetError {
        let code: AsyncNetError.Code =
            switch closeCode {
            case .messageTooBig: .webSocketMessageTooLarge
            case .internalError: .transportFailed
            default: .webSocketProtocolViolated
            }
        return AsyncNetError(code, message)
    }
}
