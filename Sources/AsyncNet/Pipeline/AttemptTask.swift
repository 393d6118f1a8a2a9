/// Runs one attempt in a task of its own, so that a timeout can end the attempt without ending the request.
final class AttemptTask: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var failure: AsyncNetError?
        /// Whether `run` has returned: a timeout that comes later must not end the next attempt's hop.
        var isOver = false
    }

    private let state = Locked(State())
    private let trace: (any RequestTrace)?

    /// - Parameter trace: Its hop is ended by `fail`, before that cancels the attempt.
    init(_ trace: (any RequestTrace)? = nil) { self.trace = trace }

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
            let value = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            _ = end()
            return value
        } catch {
            throw end() ?? error
        }
    }

    private func end() -> AsyncNetError? {
        state.withLock { state in
            state.isOver = true
            return state.failure
        }
    }

    /// Cancels the attempt, which then throws this error; the error of the first call counts. Does nothing after the
    /// attempt's end.
    func fail(_ error: AsyncNetError) {
        typealias Ends = (hop: (@Sendable (AsyncNetError) -> Void)?, task: (@Sendable () -> Void)?)
        let ends = state.withLock { state -> Ends in
            guard !state.isOver else { return (nil, nil) }
            state.failure = state.failure ?? error
            return (trace?.takeHop(), state.cancel)
        }
        ends.hop?(error)
        ends.task?()
    }
}
