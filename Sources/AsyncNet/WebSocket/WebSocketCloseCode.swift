/// Why a WebSocket was closed (RFC 6455 §7.4).
///
/// Programs use 3000 to 4999 for codes of their own: 3000 to 3999 are registered with IANA, 4000 to 4999 are private.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, as it is sent.
    public let rawValue: UInt16

    /// Creates a code of any number. A code that RFC 6455 §7.4 does not allow in a frame is refused when it is sent.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the purpose of the connection is fulfilled.
    public static let normalClosure = Self(rawValue: 1000)
    /// 1001: a server is shut down, or a browser has left the page.
    public static let goingAway = Self(rawValue: 1001)
    /// 1002: the peer violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// 1003: a message is of a kind that the peer does not accept, such as binary where it accepts text only.
    public static let unsupportedData = Self(rawValue: 1003)
    /// 1005: the peer's close frame had no code. Never sent.
    public static let noStatusReceived = Self(rawValue: 1005)
    /// 1006: the connection ended without a close frame. Never sent.
    public static let abnormalClosure = Self(rawValue: 1006)
    /// 1007: a text is not UTF-8, or compressed bytes are invalid.
    public static let invalidPayload = Self(rawValue: 1007)
    /// 1008: a message violates a rule of the peer; used if no other code fits.
    public static let policyViolation = Self(rawValue: 1008)
    /// 1009: a message or frame is larger than the limit.
    public static let messageTooBig = Self(rawValue: 1009)
    /// 1010: the client required an extension that the server did not accept.
    public static let mandatoryExtension = Self(rawValue: 1010)
    /// 1011: the peer failed for a reason of its own.
    public static let internalError = Self(rawValue: 1011)
    /// 1012: the server restarts.
    public static let serviceRestart = Self(rawValue: 1012)
    /// 1013: the server is overloaded; try again later.
    public static let tryAgainLater = Self(rawValue: 1013)
    /// 1014: a gateway received an invalid response from its server.
    public static let badGateway = Self(rawValue: 1014)
    /// 1015: the TLS handshake failed. Never sent.
    public static let tlsHandshakeFailed = Self(rawValue: 1015)

    public var description: String { "\(rawValue)" }

    /// Whether a close frame may contain the code: RFC 6455 §7.4.2 reserves the others.
    package var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
