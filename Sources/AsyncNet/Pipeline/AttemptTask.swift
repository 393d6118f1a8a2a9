/// One attempt in a task of its own, so that what ends it, such as silence, need not end the request.
final class AttemptTask: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var failure: AsyncNetError?
    }

    private let state = Locked(State())

    /// Runs `work` to its end. Cancelling the caller cancels it; `fail` does too, and then says why.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
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

    /// Ends the attempt with this error; the first counts.
    func fail(_ error: AsyncNetError) {
        let cancel = state.withLock { state in
            state.failure = state.failure ?? error
            return state.cancel
        }
        cancel?()
    }
}
