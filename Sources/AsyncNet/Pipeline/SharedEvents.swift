import Synchronization

/// Sends the steps of a shared transfer to every request that waits for it.
final class SharedEvents: EventTarget {
    private struct State {
        var members: [ObjectIdentifier: any EventTarget] = [:]
        var running: RunningHop?
    }

    private let hub: EventHub
    /// How many requests had observers of their own when they joined.
    private let observedMembers = Atomic(0)
    private let state = Locked(State())

    /// - Parameter hub: The observers of all requests of the session, and so of the members.
    init(_ hub: EventHub) { self.hub = hub }

    /// Adds a member, for which the running hop begins now.
    func join(_ target: (any EventTarget)?) {
        guard let target else { return }
        if target.isObserved { observedMembers.add(1, ordering: .relaxed) }
        state.withLock { state in
            state.members[ObjectIdentifier(target)] = target
            if let hop = state.running { _ = target.begin(hop) }
        }
    }

    func leave(_ target: (any EventTarget)?) {
        guard let target else { return }
        state.withLock { state in
            state.members[ObjectIdentifier(target)] = nil
            if let hop = state.running { target.end(hop, hop.summary(.cancelled)) }
        }
    }

    /// Whether somebody observes all requests, or observed one of them when it joined.
    var isObserved: Bool { hub.isObserved || observedMembers.load(ordering: .relaxed) > 0 }

    var interests: EventInterests? {
        state.withLock { state in
            state.members.values.reduce(nil) { union, member in
                guard let interests = member.interests else { return union }
                return union.map { $0.union(interests) } ?? interests
            }
        }
    }

    // The lock is held while a step is sent, so that members get the steps in their order.

    func begin(_ hop: RunningHop) -> Bool {
        state.withLock { state in
            state.running = hop
            for member in state.members.values { _ = member.begin(hop) }
        }
        return true
    }

    func send(_ event: RequestEvent, of hop: RunningHop?) {
        state.withLock { for member in $0.members.values { member.send(event, of: hop) } }
    }

    func end(_ hop: RunningHop, _ summary: HopSummary) {
        state.withLock { state in
            state.running = nil
            for member in state.members.values { member.end(hop, summary) }
        }
    }
}
