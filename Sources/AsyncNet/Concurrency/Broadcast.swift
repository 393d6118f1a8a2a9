/// Sends values to any number of observers, each from the moment that it begins to observe. With `keepsLatest`, a new
/// observer also gets the latest earlier value, and of several unread values an observer gets only the last.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value?
        var isFinished = false
        var nextID = 0
        var observers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let keepsLatest: Bool
    private let state = Locked(State())

    init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

    deinit { finish() }

    /// - Parameter isKnown: Whether the latest value says the same: then observers do not get the value.
    func send(_ value: Value, unless isKnown: (Value) -> Bool = { _ in false }) {
        state.withLock { state in
            guard !state.isFinished, state.latest.map(isKnown) != true else { return }
            if keepsLatest { state.latest = value }
            for observer in state.observers.values { observer.yield(value) }
        }
    }

    func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer.finish() }
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
            state.nextID += 1
            let id = state.nextID
            state.observers[id] = observer
            observer.onTermination = { [weak self] _ in self?.remove(id) }
            return false
        }
        if isFinished { observer.finish() }
        return stream
    }

    private func remove(_ id: Int) {
        // Outside the lock, since this may release an observer's last reference.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }
}
