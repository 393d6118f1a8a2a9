public import AsyncNet
import Foundation
public import HTTPTypes

extension HTTPRequest {
    /// A head of AsyncNet's as swift-http-types has it: `:scheme`, `:authority` and `:path` are those of its URL,
    /// without userinfo and fragment.
    ///
    /// - Throws: `.invalidRequest` if the method is CONNECT or not a token, or a header is invalid, see
    ///   `HTTPFields.init(_:)`; `.malformedURL` if the URL has no scheme or no host.
    public init(_ head: HTTPRequestHead) throws(AsyncNetError) {
        guard let method = Method(head.method.rawValue) else {
            throw AsyncNetError(.invalidRequest, "The method is not a token")
        }
        guard method != .connect else { throw .tunnel }
        guard head.url.scheme != nil, head.url.host?.isEmpty == false else {
            throw AsyncNetError(.malformedURL, "The URL has no scheme or no host")
        }
        self.init(method: method, url: head.url, headerFields: try HTTPFields(head.headers))
    }
}

extension HTTPRequestHead {
    /// A request of swift-http-types as AsyncNet's head.
    ///
    /// The URL is `:scheme`, `:authority` and `:path`, character by character; those that are invalid in a URL, such as
    /// `|` or `{`, are percent-encoded.
    ///
    /// - Throws: `.malformedURL` if `:scheme`, `:authority` or `:path` is missing or invalid: a userinfo in
    ///   `:authority`, a path that does not begin with a slash, a fragment, or a space (RFC 9113 §8.3.1).
    ///   `.invalidRequest` for CONNECT, with or without `:protocol`, and for `OPTIONS *` (RFC 9112 §3.2.4), which no
    ///   URL expresses, and for a field whose value is not UTF-8.
    public init(_ request: HTTPRequest) throws(AsyncNetError) {
        guard request.method != .connect, request.extendedConnectProtocol == nil else { throw .tunnel }
        guard request.path != "*" else {
            throw AsyncNetError(.invalidRequest, "The target * of an OPTIONS request has no URL")
        }
        self.init(
            method: HTTPMethod(rawValue: request.method.rawValue), url: try RequestTarget(request).url,
            headers: try HTTPHeaders(request.headerFields))
    }
}

extension AsyncNetError {
    fileprivate static var tunnel: AsyncNetError {
        AsyncNetError(.invalidRequest, "A CONNECT request has no URL; transports open tunnels themselves")
    }
}
