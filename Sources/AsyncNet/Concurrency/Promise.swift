/// A value that is set once, and that any number of tasks can wait for.
final class Promise<Value: Sendable>: Sendable {
    private let result = AwaitedState<Result<Value, AsyncNetError>?>(nil)

    var isFulfilled: Bool { result.read { $0 != nil } }
    var waiterCount: Int { result.waiterCount }

    func fulfil(_ result: Result<Value, AsyncNetError>) { self.result.change { $0 = $0 ?? result } }

    /// Waits for the value; throws `.cancelled` as soon as the task is cancelled.
    func value() async throws(AsyncNetError) -> Value {
        await result.wait { $0 != nil }
        guard let result = result.read({ $0 }) else { throw AsyncNetError(.cancelled) }
        return try result.get()
    }
}
