import Foundation

/// One hop through the session's cache: looks up what is stored, sends the request if the rules of RFC 9111 require it,
/// and stores the response.
struct CachedHop: Sendable {
    typealias Transfer = (TransportRequest) async throws -> TransportResponse

    private let cache: HTTPCache
    private let request: CacheRequest
    /// The request without cookies and credentials.
    private let plain: TransportRequest
    private let attempt: Attempt

    /// - Parameters:
    ///   - outgoing: The request as it is sent, with cookies and credentials.
    ///   - plain: The request without these.
    /// - Returns: `nil` if the session has no cache.
    init?(_ outgoing: TransportRequest, _ plain: TransportRequest, _ attempt: Attempt) {
        guard let cache = attempt.run.environment.cache else { return nil }
        let mode = attempt.run.policies.cacheMode ?? plain.cacheMode ?? .standard
        let credential = attempt.credential(for: plain)
        request = CacheRequest(
            outgoing.head, mode: mode, credential: credential.map { "\($0.username):\($0.password)" },
            hasBody: !plain.body.isNone, isRepeated: attempt.number > 1)
        (self.cache, self.plain, self.attempt) = (cache, plain, attempt)
    }

    private var run: RequestRun { attempt.run }
    private var now: Date { run.environment.date }

    // MARK: Without the server

    /// The final response if the server is not needed; `nil` if it is, or if a stored redirect is to be followed.
    ///
    /// - Throws: `.notCached` if the request may not be sent.
    func finalResponse() async throws -> TransportResponse? {
        guard request.isCacheable else { return request.isOnlyIfCached ? try await unavailable() : nil }
        let found = await lookUp()
        if let index = found.decision.used, run.policies.redirects.follows(found.entries[index].response.head(at: now))
        {
            return nil
        }
        return try await storedResponse(found)
    }

    private func storedResponse(_ found: (decision: CacheDecision, entries: [CacheEntry])) async throws
        -> TransportResponse?
    {
        switch found.decision {
        case .use(let index, let outcome):
            if let response = await use(found.entries[index], as: outcome) { return response }
            return request.isOnlyIfCached ? try await unavailable() : nil
        case .useAndRevalidate(let index):
            guard let response = await use(found.entries[index], as: .stale) else { return nil }
            run.revalidate(plain, attempt.credential, request.key)
            return response
        case .unavailable: return try await unavailable()
        case .fetch, .revalidate: return nil
        }
    }

    /// The response to a request with `only-if-cached` (RFC 9111 §5.2.1.7).
    private func unavailable() async throws -> TransportResponse {
        if request.mode == .onlyIfCached { throw AsyncNetError(.notCached) }
        await report(.miss)
        let head = HTTPResponseHead(statusCode: 504, url: request.url, reasonPhrase: "Gateway Timeout")
        return TransportResponse(head: head, body: TransportBody(Data()))
    }

    /// A stale response that may be used in place of this error.
    func response(inPlaceOf error: AsyncNetError) async -> TransportResponse? {
        guard request.isCacheable, case (.revalidate(let index), let entries) = await lookUp(),
            Freshness(entries[index].response, at: now).allowsStaleIfError(request.control)
        else { return nil }
        run.watch.failureReplaced(error)
        return await use(entries[index], as: .stale)
    }

    private func lookUp() async -> (decision: CacheDecision, entries: [CacheEntry]) {
        let entries = await cache.store.entries(request.key)
        return (CacheDecision(request, entries.map(\.response), at: now), entries)
    }

    /// - Returns: `nil` if the stored body is damaged.
    private func use(_ entry: CacheEntry, as outcome: CacheOutcome) async -> TransportResponse? {
        guard let body = await entry.body.read() else { return nil }
        run.watch.leaveHop()
        await report(outcome)
        return TransportResponse(
            head: entry.response.head(at: now), body: request.method == .head ? TransportBody(Data()) : body,
            isContentDecoded: entry.response.isContentDecoded)
    }

    private func report(_ outcome: CacheOutcome) async {
        run.record.cached(outcome)
        run.watch.cached(outcome)
        await cache.count(outcome)
    }

    // MARK: With the server

    /// The response, from the cache or by a transfer.
    func response(to outgoing: TransportRequest, _ transfer: Transfer) async throws -> TransportResponse {
        guard request.isCacheable else {
            await report(.bypassed)
            let response = try await transfer(outgoing)
            for url in CacheRules.invalidated(by: response.head, to: request) { await cache.remove(url) }
            return response
        }
        let found = await lookUp()
        if let stored = try await storedResponse(found) { return stored }
        if case .revalidate(let index) = found.decision {
            return try await revalidated(found.entries[index], outgoing, transfer)
        }
        return try await fetched(outgoing, transfer)
    }

    private func fetched(_ outgoing: TransportRequest, _ transfer: Transfer) async throws -> TransportResponse {
        await report(.miss)
        let sent = now
        return await stored(try await transfer(outgoing.forced(by: request.mode)), since: sent)
    }

    /// Sends the request with the conditions of a stored response (RFC 9111 §4.3.3).
    private func revalidated(_ entry: CacheEntry, _ outgoing: TransportRequest, _ transfer: Transfer) async throws
        -> TransportResponse
    {
        let (stored, sent) = (entry.response, now)
        let allowsError = Freshness(stored, at: sent).allowsStaleIfError(request.control)
        let isReplaced: @Sendable (HTTPResponseHead) -> Bool = { head in
            head.statusCode == 304 ? !stored.conditions.isEmpty : allowsError && Self.errors.contains(head.statusCode)
        }
        let conditional = outgoing.forced(by: request.mode).with(stored.conditions, run.watch, isReplaced)
        let response = try await transfer(conditional)
        guard isReplaced(response.head) else {
            await report(.miss)
            return await self.stored(response, since: sent)
        }
        await attempt.drain(response, to: request.method)
        run.replaced(response.head)
        if response.head.statusCode != 304 { return await use(entry, as: .stale) ?? response }
        if stored.isConfirmed(by: response.head), let body = await confirmed(entry, response.head, since: sent) {
            return body
        }
        // The stored response is another version than the server's, or is damaged.
        await cache.store.remove(request.key)
        return try await fetched(outgoing, transfer)
    }

    /// The statuses in whose place a stale response may be used (RFC 5861 §4).
    private static let errors: Set<Int> = [500, 502, 503, 504]

    private func confirmed(_ entry: CacheEntry, _ head: HTTPResponseHead, since sent: Date) async
        -> TransportResponse?
    {
        let response = entry.response.confirmed(by: head, requested: sent, received: now)
        let updated = CacheEntry(response: response, body: entry.body)
        guard let used = await use(updated, as: .revalidated) else { return nil }
        await cache.store.update(entry, request.key, to: response)
        return used
    }

    /// The response, which is stored as it is read if it may be.
    private func stored(_ response: TransportResponse, since sent: Date) async -> TransportResponse {
        guard CacheRules.stores(response.head, to: request), isSmallEnough(response.head),
            let variant = CacheVariant(of: response.head.headers, to: request)
        else { return response }
        let stored = StoredResponse(
            response.head, variant, isContentDecoded: response.isContentDecoded, requested: sent, received: now)
        guard let writer = await cache.store.writer(request.key, stored) else { return response }
        return await response.storing(in: writer)
    }

    private func isSmallEnough(_ head: HTTPResponseHead) -> Bool {
        head.contentLength.map { $0 <= cache.store.maximumBodySize } ?? true
    }
}

extension TransportRequest {
    /// The request with the directives by which other caches on its way do what the mode requires, as in the Fetch
    /// standard.
    fileprivate func forced(by mode: CacheMode) -> TransportRequest {
        var copy = self
        switch mode {
        case .reload:
            copy.addUnlessSet("Pragma", "no-cache")
            copy.addUnlessSet("Cache-Control", "no-cache")
        case .revalidate: copy.addUnlessSet("Cache-Control", "max-age=0")
        default: break
        }
        return copy
    }

    private mutating func addUnlessSet(_ name: String, _ value: String) {
        if !head.headers.contains(name: name) { head.headers.add(name: name, value: value) }
    }

    /// The request with conditions. What its transport reports early of a response that a stored one replaces is not
    /// passed on as the request's response.
    fileprivate func with(
        _ conditions: [HTTPHeader], _ watch: TransferWatch,
        _ isReplaced: @escaping @Sendable (HTTPResponseHead) -> Bool
    ) -> TransportRequest {
        var copy = self
        copy.change { request in
            for condition in conditions { request.head.headers.add(condition) }
            request.onEvent = { [onEvent = request.onEvent] event in
                switch event {
                case .receivedHead(let head) where isReplaced(head), .receivedBody(_, let head) where isReplaced(head):
                    watch.touch()
                default: onEvent?(event)
                }
            }
        }
        return copy
    }
}

extension RequestRun {
    /// A stored response is delivered in place of this hop's response.
    fileprivate func replaced(_ head: HTTPResponseHead) {
        record.replaced(head)
        watch.replaced(head)
    }
}
