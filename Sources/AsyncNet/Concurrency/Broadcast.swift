/// Gives every observer what is sent from the moment it began to observe; with `keepsLatest`, also the last value
/// before, and of several unread values only the last.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value?
        var isFinished = false
        var nextID = 0
        var observers: [Int: AsyncStream<Value>.Continuation] = [:]
    }

    private let keepsLatest: Bool
    private let state = Locked(State())

    package init(keepsLatest: Bool) { self.keepsLatest = keepsLatest }

    deinit { finish() }

    package func send(_ value: Value) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if keepsLatest { state.latest = value }
            for observer in state.observers.values { observer.yield(value) }
        }
    }

    /// Ends every observer's loop, now and later.
    package func finish() {
        let observers = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return state.observers
        }
        for observer in observers.values { observer.finish() }
    }

    /// A new observer's values; it observes from this call on.
    package func observe() -> AsyncStream<Value> {
        let (stream, observer) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: keepsLatest ? .bufferingNewest(1) : .unbounded)
        let isFinished = state.withLock { state in
            if let latest = state.latest { observer.yield(latest) }
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
        // Outside the lock, since the last reference to an observer may go away with it.
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }
}
