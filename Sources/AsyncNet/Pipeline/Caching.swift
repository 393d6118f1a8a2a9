import Foundation

/// Responds from the session's HTTP cache where the hop needs no server (RFC 9111), and stores responses.
///
/// Stands before the permit: a stored response waits for none, and may be used although its origin's circuit breaker is
/// open. What the cache does for a hop that needs the server stands in ``CachedHop``.
struct Caching<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        guard attempt.run.environment.cache != nil else { return try await rest.response(to: request, in: attempt) }
        return try await cachedResponse(to: request, in: attempt)
    }

    /// Not inlined: its frame would be that of every request without a cache.
    @inline(never)
    private func cachedResponse(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        let transfer: CachedHop.Transfer = { request in
            if attempt.isStoredOnly { throw ReplacedCredential() }
            return try await rest.response(to: request, in: attempt)
        }
        guard let hop = CachedHop(request, attempt) else { return try await transfer(request) }
        return try await hop.response(to: request, transfer)
    }
}
