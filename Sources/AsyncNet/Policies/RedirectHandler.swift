#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// What becomes of redirects, for a session or one request: ``SessionConfiguration/redirects``, `await
/// request.redirect(.doNotFollow)`.
///
/// However it is followed: methods change as RFC 9110 §15.4 says, `Location` is resolved as RFC 3986 says and inherits
/// the fragment, a body is sent again where that is asked for or the request ends with `.redirectFailed`, and where
/// scheme, host or port change credentials and cookies of the caller's stay behind.
public struct RedirectHandler: Sendable {
    package enum Choice: Sendable {
        case follow
        case doNotFollow
        case modify(@Sendable (URLRequest, HTTPResponseHead) async throws -> URLRequest?)
    }

    package let choice: Choice
    /// Whether a redirect from https to http is followed; otherwise it ends with `.redirectFailed`.
    public var allowsInsecure = false
    /// Headers that stay with their origin beside `Authorization`, `Cookie`, `Proxy-Authorization` and `X-API-Key`.
    public var confidentialHeaders: [String] = []

    /// Follows redirects, ``SessionConfiguration/maximumRedirects`` at most.
    public static let follow = RedirectHandler(choice: .follow)
    /// Makes the redirect itself the response.
    public static let doNotFollow = RedirectHandler(choice: .doNotFollow)

    /// Follows redirects, with other rules of safety.
    public static func follow(allowingInsecure: Bool, confidentialHeaders: [String] = []) -> RedirectHandler {
        RedirectHandler(choice: .follow, allowsInsecure: allowingInsecure, confidentialHeaders: confidentialHeaders)
    }

    /// Follows with what the closure makes of the request that would be sent next; `nil` makes the redirect itself the
    /// response. What it throws ends the request as `.redirectFailed`, an `AsyncNetError` as it is. What the rules take
    /// away it can put back. It runs on a thread that it may block.
    public static func modify(
        _ change: @escaping @Sendable (_ next: URLRequest, _ response: HTTPResponseHead) async throws -> URLRequest?
    ) -> RedirectHandler {
        RedirectHandler(choice: .modify(change))
    }
}
