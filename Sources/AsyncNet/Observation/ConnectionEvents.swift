/// Sends the events of a WebSocket or a raw stream to the observers of its session.
final class ConnectionEvents: Sendable {
    private enum State {
        case idle, begun, ended
    }

    let id = RequestID()
    private let kind: RequestKind
    private let hub: EventHub
    private let state = Locked(State.idle)
    private let sessionEnd = Locked<(@Sendable () -> Void)?>(nil)

    init(_ kind: RequestKind, _ hub: EventHub) { (self.kind, self.hub) = (kind, hub) }

    /// Sends `.opening`. Before the first call of this function, and after `end`, no event is sent.
    func begin() {
        let begins = state.withLock { state in
            guard case .idle = state else { return false }
            state = .begun
            return true
        }
        if begins { hub.add(self) }
        send(.opening)
    }

    /// Holds the lock while it sends, so that no step follows the end.
    func send(_ event: @autoclosure () -> ConnectionEvent) {
        guard hub.isObserved else { return }
        state.withLock { if case .begun = $0 { pass(event()) } }
    }

    /// Sets a closure that is called when the session ends.
    func onSessionEnd(_ action: @escaping @Sendable () -> Void) { sessionEnd.withLock { $0 = action } }

    func endWithSession() {
        end(AsyncNetError(.sessionFinished))
        sessionEnd.withLock { $0 }?()
    }

    /// Sends `.closed`; only the first call has an effect.
    func end(_ error: AsyncNetError?) {
        let ends = state.withLock { state in
            guard case .begun = state else { return false }
            state = .ended
            if hub.isObserved { pass(.closed(error)) }
            return true
        }
        if ends { hub.remove(self) }
    }

    private func pass(_ event: ConnectionEvent) {
        hub.send(
            SessionEvent(
                requestID: id, attempt: 0, hop: 0, instant: hub.instant, urlTemplate: nil, event: .connection(event),
                kind: kind))
    }
}
