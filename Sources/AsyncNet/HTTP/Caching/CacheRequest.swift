import Foundation

/// What a cache knows of a request: the head as it is sent, with cookies, and whose it is.
struct CacheRequest: Sendable {
    let method: HTTPMethod
    let url: URL
    let headers: HTTPHeaders
    let mode: CacheMode
    /// The hash of the credential with which the request is sent, or would be after a challenge; empty without one.
    let user: String
    let control: CacheControl
    private let hasBody: Bool
    /// Whether an attempt has failed, so that a stored error is no response to this one.
    let isRepeated: Bool

    /// - Parameter credential: A credential that the request is sent with only after a challenge.
    init(
        _ head: HTTPRequestHead, mode: CacheMode, credential: String? = nil, hasBody: Bool = false,
        isRepeated: Bool = false
    ) {
        (method, url, headers, self.mode) = (head.method, head.url, head.headers, mode)
        (self.hasBody, self.isRepeated) = (hasBody, isRepeated)
        control = CacheControl(head.headers)
        let secret = credential ?? head.headers["Authorization"]
        // With the origin, so that equal passwords of two servers have different hashes.
        user = secret.map { Data("\(head.url.origin) \($0)".utf8).sha256 } ?? ""
    }

    /// The URL without its fragment, which is not sent.
    var key: String { Self.key(of: url) }

    static func key(of url: URL) -> String {
        let text = url.absoluteString
        return text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }

    /// Whether the cache takes part: see ``CacheOutcome/bypassed``. Conditions and ranges of the request's own are not
    /// the cache's, as in the Fetch standard.
    var isCacheable: Bool {
        (method == .get || method == .head) && !hasBody && mode != .noStore && !control.contains("no-store")
            && !Self.own.contains { headers.contains(name: $0) }
    }

    private static let own = [
        "Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
    ]

    /// Whether stored responses may not be used without the server's confirmation (RFC 9111 §5.2.1.4, §5.4).
    var requiresValidation: Bool {
        if control.isEmpty { return CacheControl(headers["Pragma"] ?? "").contains("no-cache") }
        return control.contains("no-cache")
    }

    var isOnlyIfCached: Bool { mode == .onlyIfCached || control.contains("only-if-cached") }
}
