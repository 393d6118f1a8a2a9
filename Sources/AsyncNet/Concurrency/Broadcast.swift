/// Sends values to any number of observers, each from the moment that it begins to observe. With `keepsLatest`, a new
/// observer also gets the latest earlier value, and of several unread values an observer gets only the last.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value?
        var isFinished = false
        var observers: [AsyncStream<Value>.Continuation] = []

        /// - Returns: Observers that have ended, to be released outside the lock.
        mutating func yield(_ value: Value) -> [AsyncStream<Value>.Continuation] {
            var ended: [AsyncStream<Value>.Continuation] = []
            observers.removeAll { observer in
                guard case .terminated = observer.yield(value) else { return false }
                ended.append(observer)
                return true
            }
            return ended
        }
    }

    private let keepsLatest: Bool
    private let state = Locked(State())

    init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

    deinit { finish() }

    /// Resumes tasks under the lock, so that all observers get the values in one order. Thus no stream has an
    /// `onTermination` that takes the lock: Swift calls that while it holds a lock of the cancelled task, for which
    /// `yield` waits.
    ///
    /// - Parameter isKnown: Whether the latest value says the same: then observers do not get the value.
    func send(_ value: Value, unless isKnown: (Value) -> Bool = { _ in false }) {
        _ = state.withLock { state -> [AsyncStream<Value>.Continuation] in
            guard !state.isFinished, state.latest.map(isKnown) != true else { return [] }
            if keepsLatest { state.latest = value }
            return state.yield(value)
        }
    }

    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer.finish() }
    }

    /// - Parameter latest: The latest value if none has been sent.
    func observe(unlessKnown latest: Value? = nil) -> AsyncStream<Value> {
        let (stream, observer) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsLatest ? .bufferingNewest(1) : .unbounded)
        let isFinished = state.withLock { state in
            if let latest = state.latest ?? latest {
                observer.yield(latest)
                if keepsLatest { state.latest = latest }
            }
            guard !state.isFinished else { return true }
            state.observers.append(observer)
            return false
        }
        if isFinished { observer.finish() }
        return stream
    }
}
