import Foundation

/// The transfers that revalidate stale responses after these were used (RFC 5861 §3): one at a time for each URL, in a
/// task of its own. A session that finishes waits for them.
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
            running[key] = Task(executorPreference: executor) { [weak self] in
                await work()
                self?.end(key)
                transfers.end()
            }
        }
    }

    /// Returns when those that run have ended.
    func drained() async {
        for task in running.withLock({ Array($0.values) }) { await task.value }
    }

    func cancelAll() {
        for task in running.withLock({ Array($0.values) }) { task.cancel() }
    }

    private func end(_ key: CacheKey) { running.withLock { $0[key] = nil } }
}

extension RequestRun {
    /// Sends a request with the conditions of its stored response, in a run of its own. Observers see it as a request.
    func revalidate(_ request: TransportRequest, _ credential: OriginCredential?, _ key: CacheKey) {
        let (environment, policies, scoped) = (environment, policies.ofRevalidation, scoped)
        environment.revalidations.begin(key, environment.transfers, on: environment.timers.time.executor) {
            let id = RequestID()
            let observers = RequestObservers(id, .data, environment.events)
            var context = RunContext(id, environment, policies, DroppingSink())
            (context.observers, context.scoped) = (observers, scoped)
            let run = RequestRun(context)
            run.record.beginAttempt(1)
            observers.send(.created)
            observers.beginAttempt(1, request.urlTemplate)
            observers.send(.attempt(1, request.head))
            observers.finish(await run.outcome(over: Pipeline.transfer, request, credential))
        }
    }
}

/// Reads a body to its end, so that it is stored.
private struct DroppingSink: ResponseSink {
    func receive(_ body: inout ResponseBody) async throws { while try await body.next() != nil {} }
}
