/// The transfers that revalidate stale responses in the background (RFC 5861 §3): one at a time for each URL, in a
/// task of its own. A session that finishes waits for these transfers.
final class CacheRevalidations: Sendable {
    private let running = Locked<[CacheKey: Task<Void, Never>]>([:])

    /// Does nothing if a task with this key runs.
    func begin(
        _ key: CacheKey, _ transfers: TransferCount, on executor: (any TaskExecutor)?,
        _ work: @escaping @Sendable () async -> Void
    ) {
        running.withLock { running in
            guard running[key] == nil else { return }
            transfers.begin()
            // ConcurrencyGuarantees.md lists this task: revalidation
            running[key] = Task(executorPreference: executor) { [weak self] in
                await work()
                self?.running.withLock { $0[key] = nil }
                transfers.end()
            }
        }
    }

    func drained() async {
        for task in running.withLock({ Array($0.values) }) { await task.value }
    }

    func cancelAll() {
        for task in running.withLock({ Array($0.values) }) { task.cancel() }
    }
}
