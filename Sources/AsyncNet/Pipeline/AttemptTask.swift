/// Runs one attempt in a task of its own, so that a timeout can end the attempt without ending the request.
final class AttemptTask: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var failure: AsyncNetError?
    }

    private let state = Locked(State())
    private let onFailure: @Sendable (AsyncNetError) -> Void

    /// - Parameter onFailure: Called by each `fail`, before it cancels the attempt.
    init(onFailure: @escaping @Sendable (AsyncNetError) -> Void = { _ in }) { self.onFailure = onFailure }

    /// Runs `work` and waits for its end. A cancel of the calling task cancels `work`; so does `fail`, whose error is
    /// thrown.
    ///
    /// - Parameter executor: The executor that the task prefers.
    func run<Value: Sendable>(
        on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: executor) { try await work() }
        let hasFailed = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.failure != nil
        }
        if hasFailed { task.cancel() }
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

    /// Cancels the attempt, which then throws this error; the error of the first call counts.
    func fail(_ error: AsyncNetError) {
        onFailure(error)
        let cancel = state.withLock { state in
            state.failure = state.failure ?? error
            return state.cancel
        }
        cancel?()
    }
}
