import AsyncNet
import Foundation

/// The parts of a request's URL as they are sent, in the forms that signatures cover.
struct RequestTarget: Sendable {
    /// In lower case.
    let scheme: String
    /// The value of `Host`: in lower case, without the scheme's default port (RFC 9110 §4.2.3), unless the request has
    /// a header of its own.
    let authority: String
    /// Percent-encoded as sent; `/` if the URL has none.
    let path: String
    /// Percent-encoded as sent; `nil` without a question mark.
    let query: String?

    init(_ head: HTTPRequestHead) throws(AsyncNetError) {
        guard let parts = URLComponents(url: head.url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme?.lowercased(), let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { throw AsyncNetError(.malformedURL, "The URL to sign has no scheme or no host") }
        self.scheme = scheme
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : $0 }
        authority = head.headers["Host"] ?? port.map { "\(host):\($0)" } ?? host
        path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        query = parts.percentEncodedQuery
    }

    /// Path and query, as in a request line (RFC 9112 §3.2.1).
    var originForm: String { query.map { "\(path)?\($0)" } ?? path }

    /// The whole URL without userinfo and fragment.
    var uri: String { "\(scheme)://\(authority)\(originForm)" }
}
