/// A state behind a lock that tasks wait for, each with a condition. A change resumes the tasks whose conditions are
/// then met; a cancelled task stops waiting at once.
///
/// Continuations are unchecked, as a checked one is an allocation for each wait: the code that takes a waiter out of
/// the list resumes it. The first waiter costs no allocation. Closures that read the state get it as `inout`, which
/// copies nothing.
package final class AwaitedState<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let isReady: @Sendable (inout State) -> Bool
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct Contents {
        var state: State
        var first: Waiter?
        var others: [Waiter] = []
        var lastID = 0

        mutating func add(_ waiter: Waiter) {
            if first == nil { first = waiter } else { others.append(waiter) }
        }

        mutating func remove(_ id: Int) -> Waiter? {
            if first?.id == id { return first.take() }
            return others.firstIndex { $0.id == id }.map { others.remove(at: $0) }
        }

        mutating func takeReady() -> (first: Waiter?, others: [Waiter]) {
            var ready: (first: Waiter?, others: [Waiter]) = (nil, [])
            if first?.isReady(&state) == true { ready.first = first.take() }
            guard !others.isEmpty else { return ready }
            var waiting: [Waiter] = []
            for waiter in others {
                if waiter.isReady(&state) { ready.others.append(waiter) } else { waiting.append(waiter) }
            }
            others = waiting
            return ready
        }
    }

    private let contents: Locked<Contents>

    package init(_ state: State) { contents = Locked(Contents(state: state)) }

    var waiterCount: Int { contents.withLock { ($0.first == nil ? 0 : 1) + $0.others.count } }

    package func read<Value: Sendable>(_ value: (inout State) -> Value) -> Value {
        contents.withLock { value(&$0.state) }
    }

    @discardableResult
    package func change<Value: Sendable, Failure: Error>(
        _ change: (inout State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (value, ready) = try contents.withLock { contents throws(Failure) in
            let value = try change(&contents.state)
            return (value, contents.takeReady())
        }
        ready.first?.continuation.resume()
        for waiter in ready.others { waiter.continuation.resume() }
        return value
    }

    /// Returns when the state meets the condition, at once if it does already, or when the task is cancelled.
    package func wait(until isReady: @escaping @Sendable (inout State) -> Bool) async {
        let id = contents.withLock { contents -> Int? in
            guard !isReady(&contents.state) else { return nil }
            contents.lastID += 1
            return contents.lastID
        }
        guard let id else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let mayGoOn = contents.withLock { contents in
                    if isReady(&contents.state) || Task.isCancelled { return true }
                    contents.add(Waiter(id: id, isReady: isReady, continuation: continuation))
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.remove(id) }?.continuation.resume()
        }
    }
}
