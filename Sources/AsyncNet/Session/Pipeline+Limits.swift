/// Circuit breaker, rate and concurrency: what an exchange waits for, or is refused by.
extension Pipeline {
    /// Rate before place: who waits for the former should not hold the latter.
    func limited<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let limits = session.limits
        guard let host = request.record.request?.head.url.origin else { return try await work() }
        let permit = try limits.breakers?.allow(host: host)
        try await limits.rate?.acquire(host: host, until: policies.end)
        place.hold(try await limits.queue?.acquire(host: host, priority: policies.priority))
        defer { place.release() }
        do {
            let value = try await work()
            permit?.record(request.record.head.map { HostVerdict(statusCode: $0.statusCode) } ?? .success)
            return value
        } catch {
            permit?.record(HostVerdict(AsyncNetError(wrapping: error, as: .transportFailed).code))
            throw error
        }
    }
}

/// A request's place among the concurrent ones. It is given back once the body has come to its end: what is done with that, such as fetching
/// further parts, which need places of their own, does not use the connection.
final class PlaceInQueue: Sendable {
    private let slot = Locked<RequestQueue.Slot?>(nil)

    func hold(_ slot: RequestQueue.Slot?) { self.slot.withLock { $0 = slot } }

    func release() {
        let slot = slot.withLock { $0.take() }
        slot?.release()
    }
}
