/// Runs the parts of an attempt that wait for the server in tasks of their own, so that a timeout can end the attempt
/// without ending the request.
final class AttemptTask: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var failure: AsyncNetError?
        var timer: TimerQueue.Timer?
        /// Set at the attempt's end: a later timeout must not end the next attempt.
        var isOver = false
    }

    private let state = Locked(State())

    /// Runs `work` and waits for its end. A cancel of the calling task cancels `work`. So does `fail`, whose error is
    /// then thrown, also if `fail` was called before.
    func run<Value: Sendable>(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        // Without an executor no preference is set: one for nil would cost a lock, see RequestEngine.makeDriver.
        // ConcurrencyGuarantees.md lists these tasks: attempt, brief reading
        let task = executor.map { Task(executorPreference: $0) { try await work() } } ?? Task { try await work() }
        let hasFailed = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.failure != nil
        }
        if hasFailed { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw state.withLock { $0.failure } ?? error
        }
    }

    /// Whether the attempt has a time limit that runs.
    var isTimed: Bool { state.withLock { $0.timer != nil } }

    func beginTime(_ schedule: (AttemptTask) -> TimerQueue.Timer?) {
        guard state.withLock({ $0.timer == nil && !$0.isOver }), let timer = schedule(self) else { return }
        state.withLock { $0.timer = timer }
    }

    func end(_ timers: TimerQueue) {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        if let timer { timers.cancel(timer) }
    }

    /// Cancels the part of the attempt that runs: `run` then throws this error. The error of the first call counts.
    /// Does nothing after the attempt's end.
    func fail(_ error: AsyncNetError) {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver else { return nil }
            state.failure = state.failure ?? error
            return state.cancel
        }
        cancel?()
    }
}
