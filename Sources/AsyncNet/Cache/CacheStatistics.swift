/// How often hops used a cache since it was made, and how much the cache holds.
public struct CacheStatistics: Sendable, Hashable {
    /// Fresh responses that were used without a request to the server.
    public var hits = 0
    /// Stored responses that the server confirmed with 304.
    public var revalidated = 0
    /// Stored responses that were used although they were stale.
    public var stale = 0
    /// Responses that came from the server.
    public var misses = 0
    /// Requests that the cache took no part in.
    public var bypassed = 0
    /// How many responses are stored, by all processes that share the cache.
    public var entries = 0
    /// The size of the stored responses in bytes, by all processes that share the cache.
    public var bytes: Int64 = 0

    /// The part of the hops that used a stored body, from 0 to 1; ``bypassed`` hops do not count. `nil` without hops.
    public var hitRate: Double? {
        let found = hits + revalidated + stale
        return found + misses == 0 ? nil : Double(found) / Double(found + misses)
    }

    mutating func count(_ outcome: CacheOutcome) {
        switch outcome {
        case .hit: hits += 1
        case .revalidated: revalidated += 1
        case .stale: stale += 1
        case .miss: misses += 1
        case .bypassed: bypassed += 1
        }
    }
}
