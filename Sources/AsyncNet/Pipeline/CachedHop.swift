import Foundation

/// One hop through the session's cache: looks up what is stored, sends the request if the rules of RFC 9111 require it,
/// and stores the response.
struct CachedHop: Sendable {
    let cache: HTTPCache
    let request: CacheRequest
    /// The request without the cookies and credentials that stations have added.
    let plain: TransportRequest
    let attempt: Attempt
    let key: CacheKey

    /// - Parameter outgoing: The request as it is sent, with cookies and credentials.
    /// - Returns: `nil` if the session has no cache, for the handshake of a WebSocket, and if the transport refuses the
    ///   host.
    init?(_ outgoing: TransportRequest, _ attempt: Attempt) {
        // The handshake of a WebSocket has a transport of its own.
        guard attempt.run.context.carrier == nil, let cache = attempt.run.environment.cache else { return nil }
        let trust = attempt.run.transport.trust(for: outgoing.head)
        // The transport will refuse the request, which must end with the transport's error, not with a stored response.
        guard trust != .nothing else { return nil }
        plain = attempt.hopRequest ?? outgoing
        let mode = attempt.run.policies.cacheMode ?? plain.cacheMode ?? .standard
        let credential = attempt.credential(for: plain)
        let request = CacheRequest(
            outgoing.head, mode: mode, trust: trust,
            credential: credential.map { "\($0.username.utf8.count):\($0.username):\($0.password)" },
            body: plain.body.isNone ? Data() : plain.body.data, isRepeated: attempt.number > 1)
        (self.cache, self.request, self.attempt) = (cache, request, attempt)
        // The responses of a test's transport are stored apart from all others.
        let url = attempt.run.context.scoped.map { "\($0.id) \(request.key)" } ?? request.key
        key = CacheKey(partition: cache.partition, url: url, content: request.content ?? "")
    }

    var run: RequestRun { attempt.run }
    var now: Date { run.environment.date }

    func response(to outgoing: TransportRequest, _ transfer: Transfer) async throws -> Response {
        guard request.isCacheable else {
            return request.isOnlyIfCached ? try await unavailable() : try await bypassed(outgoing, transfer)
        }
        let entries = await cache.store.entries(key)
        switch CacheDecision(request, entries.map(\.response), at: now) {
        case .use(let index, let outcome):
            if let response = await use(entries[index], as: outcome) { return response }
            return request.isOnlyIfCached ? try await unavailable() : try await fetched(outgoing, transfer)
        case .useAndRevalidate(let index):
            // A revalidation in the background would send the expired credential.
            if attempt.isStoredOnly { throw ReplacedCredential() }
            guard let response = await use(entries[index], as: .stale) else {
                return try await fetched(outgoing, transfer)
            }
            run.revalidate(plain, attempt.credential, key)
            return response
        case .revalidate(let index): return try await revalidated(entries[index], outgoing, transfer)
        case .fetch: return try await fetched(outgoing, transfer)
        case .unavailable: return try await unavailable()
        }
    }

    /// The outcome of a request with `only-if-cached` without a suitable stored response (RFC 9111 §5.2.1.7).
    private func unavailable() async throws -> Response {
        if request.mode == .onlyIfCached { throw AsyncNetError(.notCached) }
        await report(.miss)
        let head = HTTPResponseHead(statusCode: 504, url: request.url, reasonPhrase: "Gateway Timeout")
        return stored(TransportResponse(head: head, body: TransportBody(Data())))
    }

    private func stored(_ message: TransportResponse) -> Response {
        Response(message, to: plain, isStored: true)
    }

    func use(_ entry: CacheEntry, as outcome: CacheOutcome) async -> Response? {
        guard let body = await body(of: entry) else { return nil }
        return await use(entry.response, body, of: entry, as: outcome)
    }

    /// - Parameter entry: The stored response, which is removed if its body cannot be decoded.
    func use(_ response: StoredResponse, _ body: TransportBody, of entry: CacheEntry, as outcome: CacheOutcome) async
        -> Response
    {
        await report(outcome)
        let part = response.part(for: request, size: entry.body.size)
        let used = part.map(response.cut) ?? response
        var message = TransportResponse(
            head: used.head(for: request.url, at: now), body: body, isContentDecoded: response.isContentDecoded)
        message.keepsContentCoding = plain.keepsContentCoding
        return stored(message.decoded { [cache, key] in await cache.store.remove(entry, key) })
    }

    /// The bytes of the stored body that the request asks for; `nil` if the body has no byte of the requested range.
    /// `nil` also if the body is damaged; the stored response is then removed.
    func body(of entry: CacheEntry) async -> TransportBody? {
        if request.method == .head { return TransportBody(Data()) }
        guard let bytes = bytes(of: entry) else { return nil }
        if let body = await entry.body.read(bytes) { return body }
        await cache.store.remove(entry, key)
        return nil
    }

    private func bytes(of entry: CacheEntry) -> Range<Int64>? {
        let (response, size) = (entry.response, entry.body.size)
        guard request.range != nil, response.statusCode == 200 || response.statusCode == 206 else { return 0..<size }
        guard let bytes = response.part(for: request, size: size)?.bytes else { return nil }
        let start = bytes.lowerBound - (response.contentRange?.bytes?.lowerBound ?? 0)
        return start..<(start + Int64(bytes.count))
    }

    func allowsStaleIfError(_ response: StoredResponse) -> Bool {
        request.mode != .revalidate && !request.requiresValidation
            && Freshness(response, at: now).allowsStaleIfError(request.control)
    }

    func report(_ outcome: CacheOutcome) async {
        run.record.cached(outcome)
        run.watch.cached(outcome)
        await cache.count(outcome)
    }
}
