/// What an HTTP cache did for a request.
public enum CacheOutcome: String, Sendable, Hashable, CaseIterable {
    /// A fresh stored response was used, without a request to the server.
    case hit
    /// The server confirmed with 304 that the stored response may still be used (RFC 9111 §4.3).
    case revalidated
    /// A stored response was used although it is not fresh any more: while it is revalidated, in place of an error (RFC
    /// 5861), or because the request allows it.
    case stale
    /// The request was sent to the server, whose response was stored if that is allowed; or there was no response.
    case miss
    /// The cache took no part, and the request was sent as it is: its method is not GET, HEAD or QUERY; a GET or HEAD
    /// has a body; the request has several ranges, conditions or a `Host` of its own; or it forbids to store its
    /// response (``CacheMode/noStore``, `no-store`).
    case bypassed
}
