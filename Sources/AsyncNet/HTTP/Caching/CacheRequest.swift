import Foundation

/// What a cache knows of a request: the head as it is sent, with cookies, and the user.
struct CacheRequest: Sendable {
    let head: HTTPRequestHead
    let mode: CacheMode
    /// The hash of the credentials with which the request is sent, or would be after a challenge; empty without any.
    let user: String
    let trust: ResponseTrust
    let control: CacheControl
    /// The hash of a QUERY's content and of the headers that describe it (RFC 10008 §2.7); empty for GET and HEAD
    /// without a body; `nil` for requests that the cache takes no part in.
    let content: String?
    /// Whether an earlier attempt failed: a stored response with status 400 or more is then revalidated before use.
    let isRepeated: Bool

    /// The part that the request asks for; `nil` for the whole, and for several parts.
    let range: ByteRange?

    let key: String

    /// - Parameter credential: A credential that the request is sent with only after a challenge.
    /// - Parameter body: `nil` for bytes that are not in memory.
    init(
        _ head: HTTPRequestHead, mode: CacheMode, trust: ResponseTrust, credential: String? = nil,
        body: Data? = Data(), isRepeated: Bool = false
    ) {
        self.head = head
        self.mode = mode
        self.trust = trust
        content = Self.content(head, body)
        self.isRepeated = isRepeated
        control = CacheControl(head.headers)
        range = head.method == .get ? head.headers["Range"].flatMap(ByteRange.init) : nil
        key = Self.key(of: head.url, head.urlText)
        user = Self.user(head, credential)
    }

    var method: HTTPMethod { head.method }
    var url: URL { head.url }
    var headers: HTTPHeaders { head.headers }

    /// The hash of all that may tell users apart: the credential, and headers such as `Authorization` and `X-API-Key`.
    /// With the origin, so that equal passwords of two servers have different hashes. Cookies change too often to be
    /// part of it.
    private static func user(_ head: HTTPRequestHead, _ credential: String?) -> String {
        let isSent = credential != nil
        let secrets = head.headers.filter { header in
            header.isSecret && !header.hasName("Cookie") && !(isSent && header.hasName("Authorization"))
        }
        let texts = (credential.map { [$0] } ?? []) + secrets.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        guard !texts.isEmpty else { return "" }
        return Data(([head.url.origin] + texts).joined(separator: "\n").utf8).sha256
    }

    private static func content(_ head: HTTPRequestHead, _ body: Data?) -> String? {
        guard let body, [.get, .head, .query].contains(head.method) else { return nil }
        guard head.method == .query else { return body.isEmpty ? "" : nil }
        let metadata = ["Content-Type", "Content-Encoding", "Content-Language"].map { head.headers[$0] ?? "" }
        return Data((metadata + [body.sha256]).joined(separator: "\n").utf8).sha256
    }

    static func key(of url: URL, _ text: String) -> String {
        let rest = text.range(of: "://").map { text[$0.upperBound...].drop { !"/?#".contains($0) } } ?? text[...]
        let sent = rest.prefix { $0 != "#" }
        return url.origin + (sent.first == "/" ? "" : "/") + sent
    }

    /// Whether the cache takes part, see ``CacheOutcome/bypassed``. Requests with conditions of their own bypass it, as
    /// in the Fetch standard, and so do requests with a `Host`, which may name another resource of the same URL.
    var isCacheable: Bool {
        content != nil && mode != .noStore && !control.contains("no-store")
            && !Self.own.contains { headers.contains(name: $0) }
            && (range != nil || !Self.ofRanges.contains { headers.contains(name: $0) })
    }

    private static let own = ["Host", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
    private static let ofRanges = ["Range", "If-Range"]

    /// Whether stored responses may not be used without the server's confirmation (RFC 9111 §5.2.1.4, §5.4).
    var requiresValidation: Bool {
        if control.isEmpty { return CacheControl(headers["Pragma"] ?? "").contains("no-cache") }
        return control.contains("no-cache")
    }

    var isOnlyIfCached: Bool { mode == .onlyIfCached || control.contains("only-if-cached") }
}
