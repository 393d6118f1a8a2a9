/// Responds from the session's HTTP cache where the hop needs no server (RFC 9111), and stores responses.
///
/// This station comes before ``Admission``: a stored response waits for no permit, and may be used although its
/// origin's circuit is open. ``CachedHop`` has the rules.
struct Caching<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        guard attempt.run.environment.cache != nil else { return try await rest.response(to: request, in: attempt) }
        return try await cachedResponse(to: request, in: attempt)
    }

    /// Not inlined: requests without a cache would have a larger frame.
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
