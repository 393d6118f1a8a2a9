import Synchronization

/// Sends values to any number of observers, each from the moment that it begins to observe. With `keepsLatest`, a new
/// observer also gets the latest earlier value, and of several unread values an observer gets only the last.
final class Broadcast<Value: Sendable>: Sendable {
    private struct Observer {
        let values: AsyncStream<Value>.Continuation
        let end: ObserverEnd
    }

    private struct State {
        var latest: Value?
        var isFinished = false
        var observers: [Observer] = []

        /// - Returns: The observers that have ended, to be released outside the lock.
        mutating func takeEnded() -> [Observer] {
            let middle = observers.partition { $0.end.isReached.load(ordering: .relaxed) }
            defer { observers.removeSubrange(middle...) }
            return Array(observers[middle...])
        }
    }

    private let keepsLatest: Bool
    private let state = Locked(State())

    init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

    deinit { finish() }

    /// Resumes tasks under the lock, so that all observers get the values in one order. So no `onTermination` may take
    /// the lock: Swift calls it while it holds a lock of the cancelled task, and `yield` waits for that lock.
    ///
    /// - Parameter isKnown: Whether the latest value, which the closure gets, says the same; `value` is then not sent.
    func send(_ value: Value, unless isKnown: (Value) -> Bool = { _ in false }) {
        _ = state.withLock { state -> [Observer] in
            guard !state.isFinished, state.latest.map(isKnown) != true else { return [] }
            if keepsLatest { state.latest = value }
            for observer in state.observers { observer.values.yield(value) }
            return state.takeEnded()
        }
    }

    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.values.finish() }
    }

    /// - Parameter latest: What the observer gets first if no value has been sent; `nil` for nothing.
    func observe(unlessKnown latest: Value? = nil) -> AsyncStream<Value> {
        let (stream, values) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsLatest ? .bufferingNewest(1) : .unbounded)
        let end = ObserverEnd()
        values.onTermination = { _ in end.isReached.store(true, ordering: .relaxed) }
        let (isFinished, _) = state.withLock { state in
            if let latest = state.latest ?? latest {
                values.yield(latest)
                if keepsLatest { state.latest = latest }
            }
            if !state.isFinished { state.observers.append(Observer(values: values, end: end)) }
            return (state.isFinished, state.takeEnded())
        }
        if isFinished { values.finish() }
        return stream
    }
}

private final class ObserverEnd: Sendable {
    let isReached = Atomic(false)
}
