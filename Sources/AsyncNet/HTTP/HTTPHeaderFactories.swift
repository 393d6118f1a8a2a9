import Foundation

extension HTTPHeader {
    /// `Accept`: the media types that a response may have (RFC 9110 §12.5.1).
    public static func accept(_ value: String) -> HTTPHeader { .init(name: "Accept", value: value) }
    /// `Accept-Encoding`: the content codings that a response may have (RFC 9110 §12.5.3).
    public static func acceptEncoding(_ value: String) -> HTTPHeader { .init(name: "Accept-Encoding", value: value) }
    /// `Accept-Language`: the preferred languages (RFC 9110 §12.5.4).
    public static func acceptLanguage(_ value: String) -> HTTPHeader { .init(name: "Accept-Language", value: value) }
    /// `Accept-Charset`, which is deprecated (RFC 9110 §12.5.2).
    public static func acceptCharset(_ value: String) -> HTTPHeader { .init(name: "Accept-Charset", value: value) }
    /// `Content-Disposition` (RFC 6266).
    public static func contentDisposition(_ value: String) -> HTTPHeader {
        .init(name: "Content-Disposition", value: value)
    }
    /// `Content-Encoding`: the content codings of the body (RFC 9110 §8.4).
    public static func contentEncoding(_ value: String) -> HTTPHeader { .init(name: "Content-Encoding", value: value) }
    /// `Content-Type`: the media type of the body (RFC 9110 §8.3).
    public static func contentType(_ value: String) -> HTTPHeader { .init(name: "Content-Type", value: value) }
    /// `User-Agent`: the program that sends the request (RFC 9110 §10.1.5).
    public static func userAgent(_ value: String) -> HTTPHeader { .init(name: "User-Agent", value: value) }

    /// `Sec-WebSocket-Protocol` (RFC 6455 §11.3.4).
    public static func websocketProtocol(_ value: String) -> HTTPHeader {
        .init(name: "Sec-WebSocket-Protocol", value: value)
    }

    /// `Expect: 100-continue` (RFC 9110 §10.1.1): the body is sent after an interim response, or after a short time.
    public static let expectContinue = HTTPHeader(name: "Expect", value: "100-continue")

    /// `Authorization` with any value (RFC 9110 §11.6.2).
    public static func authorization(_ value: String) -> HTTPHeader { .init(name: "Authorization", value: value) }

    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    public static func authorization(bearerToken: String) -> HTTPHeader { authorization("Bearer \(bearerToken)") }

    /// `Authorization: Basic …` in UTF-8 (RFC 7617). The user name must not contain a colon.
    public static func authorization(username: String, password: String) -> HTTPHeader {
        authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
    }
}
