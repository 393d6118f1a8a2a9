import Foundation

/// What a cache does for a request, by the responses that it has stored for the request's URL (RFC 9111 §4).
enum CacheDecision: Equatable {
    case fetch
    /// The stored response of this index is used.
    case use(Int, CacheOutcome)
    case useAndRevalidate(Int)
    case revalidate(Int)
    /// Nothing may be sent, and there is no response that may be used.
    case unavailable

    /// - Parameter stored: The stored responses of the URL, newest first.
    init(_ request: CacheRequest, _ stored: [StoredResponse], at now: Date) {
        // The newest match supersedes older ones, even if those are fresh (RFC 9111 §4). An older match is used only if
        // it has the bytes of the newest, by its validator, and the range that the request asks for (RFC 9111 §3.3).
        let matches = stored.indices.filter { stored[$0].variant.matches(request) }
        let match = matches.first { index in
            stored[index].responds(to: request)
                && (index == matches[0] || stored[matches[0]].hasSameBytes(as: stored[index]))
        }
        guard let index = match, request.mode != .reload else {
            self = request.isOnlyIfCached ? .unavailable : .fetch
            return
        }
        self = Self.decision(index, of: stored[index], for: request, at: now)
    }

    private static func decision(
        _ index: Int, of response: StoredResponse, for request: CacheRequest, at now: Date
    ) -> CacheDecision {
        let freshness = Freshness(response, at: now)
        switch request.mode {
        case .preferCache, .onlyIfCached: return .use(index, freshness.isFresh ? .hit : .stale)
        case .revalidate:
            return freshness.isImmutable && isFresh(response, for: request, at: now)
                ? .use(index, .hit) : .revalidate(index)
        case .standard, .reload, .noStore: break
        }
        if isFresh(response, for: request, at: now) { return .use(index, .hit) }
        if isAcceptedStale(freshness, request.control), !request.requiresValidation { return .use(index, .stale) }
        if request.isOnlyIfCached { return .unavailable }
        let mayUseStale = !request.requiresValidation && !request.isRepeated && !freshness.isFresh
        let isLimited = request.control.contains("max-age") || request.control.contains("min-fresh")
        return freshness.allowsStaleWhileRevalidating && mayUseStale && !isLimited
            ? .useAndRevalidate(index) : .revalidate(index)
    }

    /// Whether the response is fresh, and as fresh as the request requires (RFC 9111 §5.2.1).
    private static func isFresh(_ response: StoredResponse, for request: CacheRequest, at now: Date) -> Bool {
        let freshness = Freshness(response, at: now)
        guard freshness.isFresh, !request.requiresValidation, !(request.isRepeated && response.statusCode >= 400) else {
            return false
        }
        if let limit = request.control.seconds("max-age"), freshness.age > Double(limit) { return false }
        if let rest = request.control.seconds("min-fresh"), freshness.lifetime - freshness.age < Double(rest) {
            return false
        }
        return true
    }

    private static func isAcceptedStale(_ freshness: Freshness, _ control: CacheControl) -> Bool {
        guard let limit = control.optionalSeconds("max-stale"), !freshness.forbidsStale, freshness.staleness >= 0 else {
            return false
        }
        if let age = control.seconds("max-age"), freshness.age > Double(age) { return false }
        return freshness.staleness <= Double(limit)
    }
}
