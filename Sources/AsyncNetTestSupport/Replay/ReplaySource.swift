import AsyncNet

/// Gives each exchange of a recording to one request, in the order of the recording, and keeps the unmatched requests.
final class ReplaySource: Sendable {
    private struct State {
        /// How many times each exchange was used.
        var uses: [Int]
        /// How many exchanges at the start of each group are known to be used; indexed by the group's ID.
        var starts: [Int]
        var unmatched: [ReplayMismatch] = []

        /// The first position in a group, at or after the given one, whose exchange was not used.
        mutating func firstUnused(_ group: ReplayPlan.Group, from position: Int) -> Int? {
            let (start, indices) = (starts[group.id], group.indices)
            let found = indices[max(start, position)...].firstIndex { uses[$0] == 0 }
            if position <= start { starts[group.id] = found ?? indices.count }
            return found
        }

        mutating func use(_ index: Int) -> Bool {
            guard uses[index] == 0 else { return false }
            uses[index] = 1
            return true
        }
    }

    let plan: ReplayPlan
    private let reusesLast: Bool
    private let onUnmatched: (@Sendable (ReplayMismatch) -> Void)?
    private let state: Locked<State>

    init(_ plan: ReplayPlan, reusesLast: Bool, onUnmatched: (@Sendable (ReplayMismatch) -> Void)? = nil) {
        (self.plan, self.reusesLast, self.onUnmatched) = (plan, reusesLast, onUnmatched)
        state = Locked(
            State(
                uses: .init(repeating: 0, count: plan.exchanges.count),
                starts: .init(repeating: 0, count: plan.groupCount)))
    }

    // MARK: Taking

    /// The exchange for a request, or why there is none.
    enum Found: Sendable {
        /// The index of the exchange, which belongs to this request now.
        case exchange(Int)
        case none(ReplayMismatch)
    }

    /// - Parameter isReported: Whether a request without an exchange is kept and reported.
    func take(_ request: RecordedExchange.Request, isReported: Bool = true) -> Found {
        let request = plan.comparison.written(request)
        let compared = ComparedRequest(request, plan.comparison)
        if let group = plan.group(of: compared), let index = takeUnused(request, group) ?? takeLast(request, group) {
            return .exchange(index)
        }
        let mismatch = plan.mismatch(request, compared, uses: state.withLock { $0.uses })
        if isReported {
            state.withLock { $0.unmatched.append(mismatch) }
            onUnmatched?(mismatch)
        }
        return .none(mismatch)
    }

    /// Custom matchers are called without the lock, so another request may take the exchange; then the next is tried.
    private func takeUnused(_ request: RecordedExchange.Request, _ group: ReplayPlan.Group) -> Int? {
        var position = 0
        while let found = state.withLock({ $0.firstUnused(group, from: position) }) {
            let index = group.indices[found]
            if plan.accepts(request, index), state.withLock({ $0.use(index) }) { return index }
            position = found + 1
        }
        return nil
    }

    private func takeLast(_ request: RecordedExchange.Request, _ group: ReplayPlan.Group) -> Int? {
        guard reusesLast, let last = group.indices.last(where: { plan.accepts(request, $0) }) else { return nil }
        state.withLock { $0.uses[last] += 1 }
        return last
    }

    // MARK: Reports

    var unused: [RecordedExchange] { unusedIndices.map { plan.exchanges[$0] } }
    var unmatched: [ReplayMismatch] { state.withLock { $0.unmatched } }

    private var unusedIndices: [Int] {
        state.withLock { state in state.uses.indices.filter { state.uses[$0] == 0 } }
    }

    /// Texts about the unmatched requests, indented from the second line on, then about the unused exchanges.
    var differences: [String] {
        unmatched.map { $0.description.replacing("\n", with: "\n  ") }
            + unusedIndices.map { "\(plan.title($0)): recorded, but not requested" }
    }
}
