/// A request method (RFC 9110 §9): any token, case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method's name, such as `GET`.
    public let rawValue: String

    /// Creates a method of any name. A name that is not a token ends the request with `.invalidRequest`.
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    public var description: String { rawValue }

    /// Retrieves a representation (RFC 9110 §9.3.1).
    public static let get = HTTPMethod(rawValue: "GET")
    /// Retrieves the head only (RFC 9110 §9.3.2).
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Has the resource process the body (RFC 9110 §9.3.3).
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource's representation (RFC 9110 §9.3.4).
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Applies changes to the resource (RFC 5789).
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes the resource (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Retrieves the communication options (RFC 9110 §9.3.7).
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Returns the request as the server received it (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// Opens a tunnel through a proxy (RFC 9110 §9.3.6).
    public static let connect = HTTPMethod(rawValue: "CONNECT")
    /// Retrieves the result of a query that is in the body; safe and idempotent (RFC 10008).
    public static let query = HTTPMethod(rawValue: "QUERY")

    /// The methods that RFC 9110 §9.2.2 defines as idempotent, and QUERY.
    static let idempotent: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .query, .trace]

    /// Whether a form of parameters is put into the query unless the caller chooses: for GET, HEAD and DELETE.
    var hasParametersInQuery: Bool { self == .get || self == .head || self == .delete }
    /// Whether a request without a body has `Content-Length: 0` (RFC 9110 §8.6).
    package var expectsBody: Bool { self == .post || self == .put || self == .patch || self == .query }
}

/// The characters allowed in names and values (RFC 9110 §5.6.2, §5.5).
package enum HTTPSyntax {
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether the text is valid as a header's value: no control character except the tab.
    package static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: isAlphanumeric(byte)
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }
}
