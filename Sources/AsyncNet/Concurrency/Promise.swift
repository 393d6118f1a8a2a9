/// A value that is set once, and that any number of tasks can wait for.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, AsyncNetError>?
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    init() {}

    var isFulfilled: Bool { state.withLock { $0.result != nil } }
    var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// Sets the result; only the first call counts.
    func fulfil(_ result: Result<Value, AsyncNetError>) {
        let waiting = state.withLock { state in
            state.result = state.result ?? result
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits for the value; throws `.cancelled` as soon as the task is cancelled.
    func value() async throws(AsyncNetError) -> Value {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.result != nil || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
            continuation?.resume()
        }
        guard let result = state.withLock({ $0.result }) else { throw AsyncNetError(.cancelled) }
        return try result.get()
    }
}
