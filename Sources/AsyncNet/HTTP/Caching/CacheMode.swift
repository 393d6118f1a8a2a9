import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a request uses its session's cache: the modes of the Fetch standard.
///
/// No mode stores a response that its server, or the request's `Cache-Control`, forbids to store.
public enum CacheMode: Sendable, Hashable, CaseIterable {
    /// Uses a fresh stored response, and revalidates a stale one (RFC 9111). Fetch: `default`.
    case standard
    /// Ignores stored responses, and stores the new response.
    case reload
    /// Has the server confirm a stored response even if it is fresh, unless it is fresh and `immutable` (RFC 8246).
    /// Fetch: `no-cache`.
    case revalidate
    /// Uses a stored response, however old it is, and sends the request only if there is none. Fetch: `force-cache`.
    case preferCache
    /// Uses a stored response, however old it is, and fails with `.notCached` if there is none. Sends nothing.
    case onlyIfCached
    /// Neither uses nor stores responses.
    case noStore

    /// The mode of a `URLRequest`'s cache policy; `nil` for the default policy.
    init?(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
        case .returnCacheDataElseLoad: self = .preferCache
        case .returnCacheDataDontLoad: self = .onlyIfCached
        case .reloadRevalidatingCacheData: self = .revalidate
        default: return nil
        }
    }
}
