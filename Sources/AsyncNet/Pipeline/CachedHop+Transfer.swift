import Foundation

/// Sends the hop's request to the server: if the cache takes no part in the hop, has no stored response, or needs the
/// server to confirm a stored response.
extension CachedHop {
    typealias Transfer = (TransportRequest) async throws -> Response

    func bypassed(_ outgoing: TransportRequest, _ transfer: Transfer) async throws -> Response {
        if attempt.isStoredOnly { throw ReplacedCredential() }
        await report(.bypassed)
        let response = try await transfer(outgoing)
        for url in CacheRules.invalidated(by: response.head, to: request) {
            await cache.removeResponses(of: url)
        }
        return response
    }

    func fetched(_ outgoing: TransportRequest, _ transfer: Transfer) async throws -> Response {
        if attempt.isStoredOnly { throw ReplacedCredential() }
        await report(.miss)
        let sent = Sent(date: now, removals: cache.removals.now)
        let response = try await transfer(outgoing.forced(by: request.mode))
        return await storing(response, sent) ?? response
    }

    /// Sends the request with the conditions of a stored response (RFC 9111 §4.3.3).
    func revalidated(_ entry: CacheEntry, _ outgoing: TransportRequest, _ transfer: Transfer) async throws -> Response {
        let (stored, sent) = (entry.response, Sent(date: now, removals: cache.removals.now))
        let allowsError = allowsStaleIfError(stored)
        let isReplaced: @Sendable (HTTPResponseHead) -> Bool = { head in
            head.statusCode == 304 ? !stored.conditions.isEmpty : allowsError && Self.errors.contains(head.statusCode)
        }
        let conditional = outgoing.forced(by: request.mode).with(stored.conditions, run.watch, isReplaced)
        let response: Response
        do { response = try await transfer(conditional) } catch {
            if allowsError, let stale = await self.response(inPlaceOf: error, entry) { return stale }
            if !(error is ReplacedCredential) { await report(.miss) }
            throw error
        }
        if isReplaced(response.head) {
            if let used = try await replacing(response, by: entry, sent) { return used }
            if response.head.statusCode == 304 { return try await fetched(outgoing, transfer) }
        }
        await report(.miss)
        if let storing = await storing(response, sent) { return storing }
        // The server's response supersedes the stored one, although it is not stored itself.
        if response.head.statusCode < 500 { await supersede(entry) }
        return response
    }

    /// The stored response in place of an error of the connection or of the origin's circuit (RFC 5861 §4); `nil` after a
    /// cancel or a response, and if the stored body is damaged.
    private func response(inPlaceOf error: any Error, _ entry: CacheEntry) async -> Response? {
        let failure = AsyncNetError(wrapping: error, as: .transportFailed)
        guard !Task.isCancelled, run.record.head == nil,
            failure.isConnectivity || failure.code == .timedOut || failure.code == .circuitOpen
        else { return nil }
        guard let body = await body(of: entry) else { return nil }
        await attempt.failHop(error)
        return await use(entry.response, body, of: entry, as: .stale)
    }

    /// The stored response in place of a response that confirms it, or of an error; `nil` if the stored response is
    /// damaged, has no byte of the requested range, or is another version than the server's.
    private func replacing(_ response: Response, by entry: CacheEntry, _ sent: Sent) async throws -> Response? {
        let isConfirmed = response.head.statusCode == 304
        let isVersion = !isConfirmed || entry.response.isConfirmed(by: response.head)
        let body = isVersion ? await body(of: entry) : nil
        // A server's error is delivered if there is no stored response in its place.
        guard isConfirmed || body != nil else { return nil }
        await attempt.drain(response.message, to: request.method)
        run.watch.hopLeads(to: .replaced)
        defer { attempt.endHop(response.head) }
        guard let body else {
            // A damaged stored response is removed already. A stored response that lacks the requested range stays,
            // since the server has confirmed it.
            if !isVersion { await cache.store.remove(entry, key) }
            return nil
        }
        guard isConfirmed else { return await use(entry.response, body, of: entry, as: .stale) }
        let confirmed = entry.response.confirmed(by: response.head, requested: sent.date, received: now)
        await update(entry, to: confirmed, sent)
        return await use(confirmed, body, of: entry, as: .revalidated)
    }

    /// The statuses in whose place a stale response may be used (RFC 5861 §4).
    private static let errors: Set<Int> = [500, 502, 503, 504]

    /// Stores the headers that a 304 response has changed. With them the stored response may suit other requests, or
    /// may not be stored any more.
    private func update(_ entry: CacheEntry, to confirmed: StoredResponse, _ sent: Sent) async {
        guard !cache.removals.hasRemoved(key, since: sent.removals) else { return }
        var (updated, variant) = (confirmed, CacheVariant?.none)
        if let headers = await headersToStore(confirmed.statusCode, confirmed.headers) {
            updated.headers = headers
            variant = CacheVariant(of: headers, to: request, isPart: confirmed.statusCode == 206)
        }
        if let variant {
            updated.variant = variant
            await cache.store.update(entry, key, to: updated)
            // A removal during the update did not find the new response.
            if cache.removals.hasRemoved(key, since: sent.removals) { await cache.store.removeAll(of: key) }
        }
        if variant != entry.response.variant { await supersede(entry) }
    }

    /// Removes a stored response that the server's response has superseded, unless the stored one came from a server
    /// that was verified more strictly than this request demands.
    private func supersede(_ entry: CacheEntry) async {
        guard request.trust.serves(entry.response.variant.trust) else { return }
        await cache.store.remove(entry, key)
    }

    /// The headers to store, as the cache's ``HTTPCache/WillStore`` and RFC 9111 §3 decide; `nil` if nothing is stored.
    private func headersToStore(_ status: Int, _ headers: HTTPHeaders) async -> HTTPHeaders? {
        guard CacheRules.mayBeStored(status) else { return nil }
        var headers = headers
        if let willStore = cache.willStore {
            let (sent, received) = (
                request.head, HTTPResponseHead(statusCode: status, url: request.url, headers: headers)
            )
            switch await UserCode.run({ willStore(sent, received) }) {
            case .store: break
            case .doNotStore: return nil
            case .modify(let others): headers = others
            }
        }
        return CacheRules.mayStore(status, headers) ? headers : nil
    }

    /// When a request was sent, and how many removals the cache had counted then.
    private struct Sent {
        let date: Date
        let removals: UInt64
    }

    /// The response with a body that is stored as it is read; `nil` if the response may not be stored.
    private func storing(_ response: Response, _ sent: Sent) async -> Response? {
        let head = response.head
        guard request.method != .head, head.contentLength ?? 0 <= cache.store.maximumBodySize,
            !(head.isTruncatable && request.url.scheme == "https"),
            let headers = await headersToStore(head.statusCode, head.headers),
            let variant = CacheVariant(of: headers, to: request, isPart: head.statusCode == 206)
        else { return nil }
        let stored = StoredResponse(
            head, headers: headers, variant: variant, isContentDecoded: response.message.isContentDecoded,
            requested: sent.date, received: now)
        let length = stored.contentRange?.bytes.map { Int64($0.count) }
        guard head.statusCode != 206 || request.range != nil && length != nil else { return nil }
        let part = head.statusCode == 206 ? await neighbour(of: stored) : nil
        guard let writer = await cache.store.writer(key, part?.whole ?? stored) else { return nil }
        if let before = part?.before, await !writer.append(all: before) { return nil }
        let checked = CheckedWriter(writer, length: length, rest: part?.after) { [cache, key] in
            !cache.removals.hasRemoved(key, since: sent.removals)
        } remove: { [cache, key] in
            await cache.store.removeAll(of: key)
        }
        return response.with(await response.message.storing(in: checked))
    }

    /// The bytes of a stored part before and after the received part, and the part that all of them form (RFC 9111
    /// §3.4).
    private struct Neighbour {
        let whole: StoredResponse
        let before: TransportBody
        let after: TransportBody
    }

    /// The stored part that the received part continues or overlaps; `nil` if there is none, or its body is damaged.
    private func neighbour(of part: StoredResponse) async -> Neighbour? {
        guard let bytes = part.contentRange?.bytes else { return nil }
        for entry in await cache.store.entries(key) {
            guard let whole = part.combined(with: entry.response), let other = entry.response.contentRange?.bytes else {
                continue
            }
            let size = entry.body.size
            let before = 0..<min(size, max(0, bytes.lowerBound - other.lowerBound))
            let after = min(size, max(0, bytes.upperBound + 1 - other.lowerBound))..<size
            let first = before.isEmpty ? TransportBody(Data()) : await entry.body.read(before)
            let last = after.isEmpty ? TransportBody(Data()) : await entry.body.read(after)
            if let first, let last { return Neighbour(whole: whole, before: first, after: last) }
        }
        return nil
    }
}

extension TransportRequest {
    /// The request with the directives that make other caches on the way do what the mode requires, as in the Fetch
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

    /// The request with conditions. If a stored response replaces the server's, the head that the transport reports
    /// early is not passed on as the request's response.
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
