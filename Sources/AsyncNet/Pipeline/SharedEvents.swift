import Synchronization

/// Sends the steps of a shared transfer to every request that waits for it.
final class SharedEvents: EventTarget {
    private struct Member {
        let target: any EventTarget
        /// The member's own numbers of the transfer's hops.
        var hops: [Int: Int] = [:]

        mutating func send(_ event: RequestEvent, hop: Int) {
            if hop > 0, hops[hop] == nil { hops[hop] = target.beginHop() }
            target.send(event, hop: hops[hop] ?? 0)
        }
    }

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var hops = 0
    }

    private let hub: EventHub
    /// How many members have observers of their own.
    private let observedMembers = Atomic(0)
    private let state = Locked(State())

    /// - Parameter hub: The observers of all requests, those of the members among them.
    init(_ hub: EventHub) { self.hub = hub }

    func join(_ target: (any EventTarget)?) {
        guard let target else { return }
        if target.isObserved { observedMembers.add(1, ordering: .relaxed) }
        state.withLock { $0.members[ObjectIdentifier(target)] = Member(target: target) }
    }

    func leave(_ target: (any EventTarget)?) {
        guard let target else { return }
        _ = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(target)) }
    }

    /// Whether somebody observes all requests, or observed one of them when it joined.
    var isObserved: Bool { hub.isObserved || observedMembers.load(ordering: .relaxed) > 0 }

    var interests: EventInterests? {
        state.withLock { state in
            state.members.values.reduce(nil) { union, member in
                guard let interests = member.target.interests else { return union }
                return union.map { $0.union(interests) } ?? interests
            }
        }
    }

    /// The members have meters of their own.
    var meter: MetricsFollower? { nil }

    func beginHop() -> Int {
        state.withLock { state in
            state.hops += 1
            return state.hops
        }
    }

    /// Holds the lock while it sends, so that members get the steps in their order.
    func send(_ event: RequestEvent, hop: Int) {
        state.withLock { state in
            for key in Array(state.members.keys) { state.members[key]?.send(event, hop: hop) }
        }
    }
}
