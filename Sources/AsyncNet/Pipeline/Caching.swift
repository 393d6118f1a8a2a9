import Foundation

/// Responds from the session's HTTP cache where the request needs no server (RFC 9111): before the request waits for a
/// permit, and although its origin's circuit breaker is open.
///
/// All else that the cache does, it does for each hop: see ``CachedHop``.
struct Caching<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        guard attempt.run.environment.cache != nil, let hop = await attempt.cachedHop(request) else {
            return try await rest.send(request, in: attempt)
        }
        if let response = try await hop.finalResponse() { return try await deliver(response, request, attempt) }
        // A request that only the cache may answer is never sent: its stored redirects are followed by the hops.
        if attempt.isStoredOnly, !hop.request.isOnlyIfCached { throw ReplacedCredential() }
        do { return try await rest.send(request, in: attempt) } catch {
            guard let failure = attempt.failure(error, of: request),
                let response = await hop.response(inPlaceOf: failure)
            else { throw error }
            return try await deliver(response, request, attempt)
        }
    }

    private func deliver(_ response: TransportResponse, _ request: TransportRequest, _ attempt: Attempt) async throws
        -> Next
    {
        attempt.run.watch.touch()
        if let next = try await attempt.deliver(response.decoded, to: request) { return next }
        if attempt.isStoredOnly { throw ReplacedCredential() }
        return try await rest.send(try await attempt.run.prepare(request), in: attempt)
    }
}

extension Attempt {
    /// The request's first hop through the session's cache; `nil` without a cache.
    fileprivate func cachedHop(_ request: TransportRequest) async -> CachedHop? {
        var outgoing = request
        outgoing.head.asksForUncodedRange()
        if let jar = run.environment.configuration.cookieJar { await jar.addCookies(to: &outgoing) }
        return CachedHop(outgoing, request, self)
    }

    /// Whether the cache answers the request without the server.
    func needsNoServer(_ request: TransportRequest) async -> Bool {
        guard let hop = await cachedHop(request) else { return false }
        if hop.request.isOnlyIfCached { return true }
        guard hop.request.isCacheable else { return false }
        let found = await hop.lookUp()
        switch found.decision {
        case .use(let index, _):
            return !run.policies.redirects.follows(
                found.entries[index].response.head(for: hop.request.url, at: hop.now))
        default: return false
        }
    }

    /// The error in whose place a stale response may be used: `nil` after a response, a redirect or a cancel.
    fileprivate func failure(_ error: any Error, of request: TransportRequest) -> AsyncNetError? {
        guard !Task.isCancelled, run.record.head == nil, run.record.request?.head.url == request.head.url else {
            return nil
        }
        let failure = AsyncNetError(wrapping: error, as: .transportFailed)
        return failure.allowsStaleResponse ? failure : nil
    }
}

extension AsyncNetError {
    /// Whether a stale response may be used in place of the error (RFC 5861 §4), as for a status of 500 and more.
    fileprivate var allowsStaleResponse: Bool { isConnectivity || code == .timedOut || code == .circuitOpen }
}
