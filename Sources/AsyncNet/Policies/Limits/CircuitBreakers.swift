import Synchronization

/// A circuit for each host, or origin; those of the hosts used last are remembered.
package final class CircuitBreakers: Sendable {
    private let rules: CircuitBreaker
    private let time: TimeSource
    private let circuits: Locked<RecentTable<Circuit>>

    /// - Parameter capacity: So many hosts are remembered at least, twice as many at most. One that is forgotten is
    ///   closed when it comes again.
    package init(_ rules: CircuitBreaker, time: TimeSource, capacity: Int = 1024) {
        (self.rules, self.time) = (rules, time)
        circuits = Locked(RecentTable(capacity: capacity))
    }

    package var hostCount: Int { circuits.withLock { $0.count } }

    /// Lets a request through.
    ///
    /// - Throws: `.circuitOpen`, whose message says when the next probe is let through.
    package func allow(host: String) throws(AsyncNetError) -> Permit {
        let circuit = circuits.withLock { $0.withValue(of: host, default: Circuit(rules)) { $0 } }
        let now = time.now
        switch circuit.state.withLock({ $0.allow(at: now) }) {
        case .allowed(let pass): return Permit(circuit, pass, time)
        case .refused(let end): throw Self.refusal(of: host, end.map { $0 - now })
        }
    }

    private static func refusal(of host: String, _ wait: Duration?) -> AsyncNetError {
        let prospect =
            wait.map { "the next one is let through in \($0.inSeconds)" }
            ?? "one is under way to see whether they still do"
        return AsyncNetError(.circuitOpen, "Requests to \(host) failed too often; \(prospect)")
    }

    fileprivate final class Circuit: Sendable {
        let state: Locked<BreakerState>

        init(_ rules: CircuitBreaker) { state = Locked(BreakerState(rules)) }
    }

    /// Says once what the request came to; one that is let go of without a word says nothing about the host, and frees
    /// a probe's place.
    package final class Permit: Sendable {
        private let circuit: Circuit
        private let pass: BreakerState.Pass
        private let time: TimeSource
        private let isUsed = Atomic(false)

        fileprivate init(_ circuit: Circuit, _ pass: BreakerState.Pass, _ time: TimeSource) {
            (self.circuit, self.pass, self.time) = (circuit, pass, time)
        }

        deinit { record(.ignored) }

        /// Whether the circuit is as it was; who has waited since then is to ask again otherwise.
        package var isCurrent: Bool { circuit.state.withLock { $0.isCurrent(pass) } }

        /// Only the first call counts.
        package func record(_ verdict: HostVerdict) {
            guard !isUsed.exchange(true, ordering: .relaxed) else { return }
            circuit.state.withLock { $0.record(verdict, of: pass, at: time.now) }
        }
    }
}
