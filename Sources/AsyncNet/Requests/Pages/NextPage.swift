/// How the page after a page is found.
///
///     session.pages([Product].self, from: "products")                                       // Link: <…>; rel="next"
///     session.pages(Feed.self, from: "feed", next: .url { page, _ in page.nextURL })
///     session.pages(Feed.self, from: "feed", next: .url { page, _ in page.cursor.map { "feed?after=\($0)" } })
///
/// A link or URL is requested with GET and the first request's headers, under the rules for redirects: another origin
/// gets neither credentials and cookies of the caller nor ``RedirectHandler/confidentialHeaders``, and a link from
/// https to http ends the sequence with `.pagingFailed`, unless ``RedirectHandler/allowsInsecure``.
public struct NextPage<Page: Sendable>: Sendable {
    enum Rule: Sendable {
        case link(relation: String)
        case url(@Sendable (Page, HTTPResponseHead) throws -> (any URLConvertible)?)
        case request(@Sendable (Page, HTTPResponseHead) throws -> (any URLRequestConvertible)?)
    }

    let rule: Rule

    /// Follows the response's first ``WebLink`` with relation `next`; a page without one is the last.
    public static var linked: NextPage { linked(relation: "next") }

    /// Follows the response's first ``WebLink`` with this relation, such as `prev`. Links with an `anchor` that is
    /// another URL than the response's do not count.
    public static func linked(relation: String) -> NextPage { NextPage(rule: .link(relation: relation)) }

    /// Requests the closure's URL, which is resolved against the response's URL; `nil` ends the sequence.
    ///
    /// The closure runs when the next page is asked for, on a thread that it may block; its error ends the sequence
    /// with `.pagingFailed`, an `AsyncNetError` with its own code.
    public static func url(
        _ next: @escaping @Sendable (_ page: Page, _ response: HTTPResponseHead) throws -> (any URLConvertible)?
    ) -> NextPage {
        NextPage(rule: .url(next))
    }

    /// Sends the closure's request, for pages that a body or header selects; `nil` ends the sequence.
    ///
    /// The request's URL is resolved against the session's base URL. Its headers are sent to any origin, and no headers
    /// of the first request. The closure runs as that of ``url(_:)`` does.
    public static func request(
        _ next: @escaping @Sendable (_ page: Page, _ response: HTTPResponseHead) throws -> (any URLRequestConvertible)?
    ) -> NextPage {
        NextPage(rule: .request(next))
    }
}
