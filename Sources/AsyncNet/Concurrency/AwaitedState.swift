/// A state behind a lock that tasks wait for.
///
/// Each waiting task has a condition; a change of the state resumes the tasks whose conditions are then met. A cancelled
/// task stops waiting at once.
final class AwaitedState<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let isReady: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Contents {
        var state: State
        var waiters: [Waiter] = []
        var lastID = 0

        mutating func takeReady() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            let ready = waiters.filter { $0.isReady(state) }
            if !ready.isEmpty { waiters.removeAll { $0.isReady(state) } }
            return ready
        }
    }

    private let contents: Locked<Contents>

    init(_ state: State) { contents = Locked(Contents(state: state)) }

    /// How many tasks wait.
    var waiterCount: Int { contents.withLock { $0.waiters.count } }

    func read<Value: Sendable>(_ value: (State) -> Value) -> Value { contents.withLock { value($0.state) } }

    /// Changes the state, and resumes the tasks that waited for that.
    func change<Value: Sendable, Failure: Error>(
        _ change: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (value, ready) = try contents.withLock { contents throws(Failure) in
            let value = try change(&contents.state)
            return (value, contents.takeReady())
        }
        for waiter in ready { waiter.continuation.resume() }
        return value
    }

    /// Returns when the state meets the condition, or the task is cancelled; at once if it does already.
    func wait(until isReady: @escaping @Sendable (State) -> Bool) async {
        let id = contents.withLock { contents in
            contents.lastID += 1
            return contents.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGoOn = contents.withLock { contents in
                    if isReady(contents.state) || Task.isCancelled { return true }
                    contents.waiters.append(Waiter(id: id, isReady: isReady, continuation: continuation))
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            let waiter = contents.withLock { contents in
                contents.waiters.firstIndex { $0.id == id }.map { contents.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
    }
}
