import Synchronization

/// Makes requests wait for the permits of a ``ConcurrencyLimit``: the requests of a session, or the transfers of a
/// ``URLSessionTransport``.
final class RequestQueue: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private let queue: Locked<FairQueue<Waiter>>
    private let lastID = Atomic(0)

    init(_ limit: ConcurrencyLimit) { queue = Locked(FairQueue(limit)) }

    var activeCount: Int { queue.withLock { $0.activeCount } }
    var waitingCount: Int { queue.withLock { $0.waitingCount } }
    var originCount: Int { queue.withLock { $0.originCount } }

    final class Permit: Sendable {
        private let queue: RequestQueue
        private let origin: String
        private let isReleased = Atomic(false)

        fileprivate init(_ queue: RequestQueue, _ origin: String) { (self.queue, self.origin) = (queue, origin) }

        deinit { release() }

        func release() {
            guard !isReleased.exchange(true, ordering: .relaxed) else { return }
            queue.queue.withLock { $0.leave(origin) }?.resume(returning: true)
        }
    }

    /// Waits for a permit. A cancelled wait ends at once with `.cancelled` and takes no permit.
    func acquire(origin: String, priority: RequestPriority = .normal) async throws(AsyncNetError) -> Permit {
        if Task.isCancelled { throw AsyncNetError(.cancelled) }
        if queue.withLock({ $0.enter(origin) }) { return Permit(self, origin) }
        let id = lastID.add(1, ordering: .relaxed).newValue
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue(id, $0, origin, priority) }
        } onCancel: {
            queue.withLock { $0.abandon(id, origin, priority) }?.resume(returning: false)
        }
        guard isAdmitted else { throw AsyncNetError(.cancelled) }
        return Permit(self, origin)
    }

    /// Checks again under the lock: the task may have been cancelled or a permit given back since `acquire` looked.
    private func enqueue(_ id: Int, _ waiter: Waiter, _ origin: String, _ priority: RequestPriority) {
        let isAdmitted = queue.withLock { queue -> Bool? in
            if Task.isCancelled { return false }
            if queue.enter(origin) { return true }
            queue.wait(id, waiter, origin, priority)
            return nil
        }
        if let isAdmitted { waiter.resume(returning: isAdmitted) }
    }
}
