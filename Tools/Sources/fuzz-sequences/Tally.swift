import AsyncNet
import Synchronization

/// What has been sent and how it ended, and which requests are on their way.
final class Tally: Sendable {
    private struct State {
        var outcomes: [Kind: [String: Int]] = [:]
        var running: [Int: (plan: Plan, since: ContinuousClock.Instant)] = [:]
        var next = 0
        var faults: [String] = []
        var unexplained: [String: Int] = [:]
        var longest = Duration.zero
    }

    private let state = Mutex(State())

    /// Of requests that have ended.
    var count: Int { state.withLock { $0.outcomes.values.reduce(0) { $0 + $1.values.reduce(0, +) } } }
    var faults: [String] { state.withLock { $0.faults } }
    var longest: Duration { state.withLock { $0.longest } }
    var outcomes: [Kind: [String: Int]] { state.withLock { $0.outcomes } }
    /// Messages of `.transportFailed`, which says least of all codes.
    var unexplained: [String: Int] { state.withLock { $0.unexplained } }

    func begin(_ plan: Plan) -> Int {
        state.withLock { state in
            state.next += 1
            state.running[state.next] = (plan, .now)
            return state.next
        }
    }

    func end(_ ticket: Int, _ outcome: Outcome) {
        state.withLock { state in
            guard let (plan, since) = state.running.removeValue(forKey: ticket) else { return }
            state.longest = max(state.longest, .now - since)
            state.outcomes[plan.id.kind, default: [:]][outcome.name, default: 0] += 1
            if case .foreign(let text) = outcome {
                state.faults.append("\(plan.id.path) ended in no AsyncNetError: \(text)")
            }
            if case .error(let error) = outcome, error.code == .transportFailed, state.unexplained.count < 100 {
                state.unexplained[Self.withoutNumbers(error.message), default: 0] += 1
            }
        }
    }

    func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    /// The requests that have been on their way for longer than that.
    func overdue(_ limit: Duration) -> [Plan] {
        state.withLock { state in state.running.values.filter { .now - $0.since > limit }.map(\.plan) }
    }

    private static func withoutNumbers(_ text: String) -> String {
        String(text.map { $0.isNumber ? "#" : $0 }.prefix(160))
    }
}
