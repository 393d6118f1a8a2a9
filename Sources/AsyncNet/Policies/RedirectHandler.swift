#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// How redirects are handled, for a session (``SessionConfiguration/redirects``) or for one request
/// (`request.redirects(.doNotFollow)`).
///
/// In all cases, methods change as in RFC 9110 §15.4; `Location` is resolved as in RFC 3986 and inherits the request's
/// fragment; if the status requires a body again that cannot be sent again, the request ends with `.redirectFailed`;
/// and if the origin changes, the caller's credentials and cookies are removed.
public struct RedirectHandler: Sendable {
    enum Choice: Sendable {
        case follow
        case doNotFollow
        case modify(@Sendable (URLRequest, HTTPResponseHead) async throws -> URLRequest?)
    }

    let choice: Choice
    /// Whether a redirect from https to http is followed; if not, such a redirect is the error `.redirectFailed`.
    public var allowsInsecure = false
    /// Further headers to remove if the origin changes. The headers that ``RedactionRule/standard`` redacts, such as
    /// `Authorization`, `Cookie`, `Proxy-Authorization` and `X-API-Key`, are always removed.
    public var confidentialHeaders: [String] = []

    /// Follows redirects, at most ``SessionConfiguration/maximumRedirects``.
    public static let follow = RedirectHandler(choice: .follow)
    /// Delivers the redirect itself as the response.
    public static let doNotFollow = RedirectHandler(choice: .doNotFollow)

    /// Follows redirects, with other security rules.
    public static func follow(allowingInsecure: Bool, confidentialHeaders: [String] = []) -> RedirectHandler {
        RedirectHandler(choice: .follow, allowsInsecure: allowingInsecure, confidentialHeaders: confidentialHeaders)
    }

    /// Follows redirects with the request that the closure returns; `nil` delivers the redirect itself as the response.
    ///
    /// The closure gets the request that would be sent next, without the removed headers, which the closure may set
    /// again. It runs on a thread that it may block. If it throws, the request ends with `.redirectFailed`, or with the
    /// `AsyncNetError` that it threw.
    public static func modify(
        _ change: @escaping @Sendable (_ next: URLRequest, _ response: HTTPResponseHead) async throws -> URLRequest?
    ) -> RedirectHandler {
        RedirectHandler(choice: .modify(change))
    }
}
