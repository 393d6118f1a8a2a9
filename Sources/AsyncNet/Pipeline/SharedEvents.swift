/// Sends the steps of a shared transfer to every request that waits for it.
final class SharedEvents: EventTarget {
    private struct Member {
        let target: any EventTarget
        /// The member's own numbers of the transfer's hops.
        var hops: [Int: Int] = [:]
    }

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var hops = 0
    }

    private let state = Locked(State())

    init() {}

    func join(_ target: (any EventTarget)?) {
        guard let target else { return }
        state.withLock { $0.members[ObjectIdentifier(target)] = Member(target: target) }
    }

    func leave(_ target: (any EventTarget)?) {
        guard let target else { return }
        _ = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(target)) }
    }

    var isObserved: Bool { state.withLock { $0.members.values.contains { $0.target.isObserved } } }

    var interests: EventInterests? {
        state.withLock { state in
            state.members.values.reduce(nil) { union, member in
                guard let interests = member.target.interests else { return union }
                return union.map { $0.union(interests) } ?? interests
            }
        }
    }

    func beginHop() -> Int {
        state.withLock { state in
            state.hops += 1
            return state.hops
        }
    }

    /// Holds the lock while it sends, so that members get the steps in their order.
    func send(_ event: RequestEvent, hop: Int) {
        state.withLock { state in
            for (key, member) in state.members {
                var member = member
                if hop > 0, member.hops[hop] == nil { member.hops[hop] = member.target.beginHop() }
                state.members[key] = member
                member.target.send(event, hop: member.hops[hop] ?? 0)
            }
        }
    }
}
