import Foundation

/// The payload of a close frame: nothing, or a code and a reason (RFC 6455 §5.5.1).
enum WebSocketCloseBody {
    /// The most bytes of a reason: those of a control frame without the code.
    static let mostReasonBytes = WebSocketOpcode.mostControlBytes - 2

    static func parse(_ payload: Data) throws(WebSocketFailure) -> (code: WebSocketCloseCode?, reason: String) {
        let bytes = [UInt8](payload)
        guard !bytes.isEmpty else { return (nil, "") }
        guard bytes.count > 1 else { throw .violation("A close frame has half of a code") }
        let code = WebSocketCloseCode(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        guard code.isAllowedInFrame else { throw .violation("A close frame has the invalid code \(code)") }
        guard let reason = String(validating: bytes[2...], as: UTF8.self) else {
            throw .invalidData("A close frame's reason is not UTF-8")
        }
        return (code, reason)
    }

    /// Refuses a code or reason that must not be sent. A reason is not cut, since half of it may mean something else.
    static func bytes(code: WebSocketCloseCode?, reason: String) throws(AsyncNetError) -> Data {
        guard let code else {
            guard reason.isEmpty else { throw invalid("A close frame without a code has no reason") }
            return Data()
        }
        guard code.isAllowedInFrame else {
            throw invalid("Close code \(code) must not be sent; use 1000 to 1003, 1007 to 1014, or 3000 to 4999")
        }
        guard reason.utf8.count <= mostReasonBytes else {
            throw invalid("A close reason of \(reason.utf8.count) bytes is longer than \(mostReasonBytes)")
        }
        return withUnsafeBytes(of: code.rawValue.bigEndian) { Data($0) } + Data(reason.utf8)
    }

    private static func invalid(_ message: String) -> AsyncNetError { AsyncNetError(.invalidRequest, message) }
}
