import Foundation

extension HTTPHeader {
    public static func accept(_ value: String) -> HTTPHeader { .init(name: "Accept", value: value) }
    public static func acceptEncoding(_ value: String) -> HTTPHeader { .init(name: "Accept-Encoding", value: value) }
    public static func acceptLanguage(_ value: String) -> HTTPHeader { .init(name: "Accept-Language", value: value) }
    public static func acceptCharset(_ value: String) -> HTTPHeader { .init(name: "Accept-Charset", value: value) }
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        .init(name: "Content-Disposition", value: value)
    }
    public static func contentEncoding(_ value: String) -> HTTPHeader { .init(name: "Content-Encoding", value: value) }
    public static func contentType(_ value: String) -> HTTPHeader { .init(name: "Content-Type", value: value) }
    public static func userAgent(_ value: String) -> HTTPHeader { .init(name: "User-Agent", value: value) }

    /// `Sec-WebSocket-Protocol` (RFC 6455 §11.3.4).
    public static func websocketProtocol(_ value: String) -> HTTPHeader {
        .init(name: "Sec-WebSocket-Protocol", value: value)
    }

    /// `Expect: 100-continue` (RFC 9110 §10.1.1): a body is sent only once the server is willing, or has said nothing
    /// for a while.
    public static let expectContinue = HTTPHeader(name: "Expect", value: "100-continue")

    /// `Authorization` with a value of one's own.
    public static func authorization(_ value: String) -> HTTPHeader { .init(name: "Authorization", value: value) }

    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Authorization: Basic …` in UTF-8 (RFC 7617). The name must hold no colon: the receiver splits at the first.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
    }
}
