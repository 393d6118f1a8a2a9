/// Circuit breaker, rate and concurrency: what an exchange waits for, or is refused by.
extension Pipeline {
    /// Rate before place: who waits for the former should not hold the latter.
    func limited<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let limits = session.limits
        guard let host = request.record.request?.head.url.origin else { return try await work() }
        var permit = try limits.breakers?.allow(host: host)
        // Of those who share this request, some may have more time.
        try await limits.rate?.acquire(host: host, until: scope == .whole ? policies.end : nil)
        place.hold(try await limits.queue?.acquire(host: host, priority: policies.priority))
        defer { place.release() }
        if await hasReplacedCredential() { throw ReplacedCredential() }
        // Others may have found meanwhile that the host has trouble.
        if let waited = permit, !waited.isCurrent { permit = try limits.breakers?.allow(host: host) }
        do {
            let value = try await work()
            permit?.record(
                isElsewhere(host)
                    ? .success : request.record.head.map { HostVerdict(statusCode: $0.statusCode) } ?? .success)
            return value
        } catch {
            permit?.record(isElsewhere(host) ? .success : HostVerdict(await cause(of: error)))
            throw error
        }
    }

    /// The request waited so long for its place that it would be refused.
    struct ReplacedCredential: Error {}

    private func hasReplacedCredential() async -> Bool {
        guard let request = request.record.request else { return false }
        for adapter in policies.adapters {
            if let keeper = adapter as? any CredentialKeeper,
                await UserCode.run({ await keeper.hasReplacedCredential(request) })
            {
                return true
            }
        }
        return false
    }

    /// Whether the host has answered, and sent the request to another one.
    private func isElsewhere(_ host: String) -> Bool {
        request.record.request.map { $0.head.url.origin != host } ?? false
    }

    /// What is ended by silence or by a deadline, its own or that of the request it is part of, only sees a cancel. A
    /// host that had begun to answer by its deadline does not hang.
    private func cause(of error: any Error) async -> AsyncNetError.Code {
        let code = AsyncNetError(wrapping: error, as: .transportFailed).code
        guard code == .cancelled else { return code }
        if let end = policies.end, end <= session.timers.time.now {
            return request.record.head == nil ? .deadlineExceeded : code
        }
        return await request.failure?.code ?? code
    }
}

/// A request's place among the concurrent ones. It is given back once the body has come to its end: what is done with
/// that, such as fetching further parts, which need places of their own, does not use the connection.
final class PlaceInQueue: Sendable {
    private let slot = Locked<RequestQueue.Slot?>(nil)

    func hold(_ slot: RequestQueue.Slot?) { self.slot.withLock { $0 = slot } }

    func release() {
        let slot = slot.withLock { $0.take() }
        slot?.release()
    }
}
