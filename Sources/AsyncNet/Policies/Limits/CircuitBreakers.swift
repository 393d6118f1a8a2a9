import Synchronization

final class CircuitBreakers: Sendable {
    private let rules: CircuitBreaker
    private let time: TimeSource
    private let circuits: RecentTable<Circuit>

    /// - Parameter capacity: How many origins are remembered, up to twice as many; other origins' circuits are closed.
    init(_ rules: CircuitBreaker, time: TimeSource, capacity: Int = 1024) {
        (self.rules, self.time) = (rules, time)
        circuits = RecentTable(capacity: capacity)
    }

    var originCount: Int { circuits.count }

    /// - Throws: `.circuitOpen`, whose message says when the next probe is admitted.
    func allow(origin: String) throws(AsyncNetError) -> Permit {
        let circuit = circuits.withValue(of: origin, default: Circuit(rules)) { $0 }
        let now = time.now
        switch circuit.state.withLock({ $0.allow(at: now) }) {
        case .allowed(let pass): return Permit(circuit, pass, time)
        case .refused(let end, let isFirst):
            let refusal = Self.refusal(of: origin, end.map { $0 - now })
            throw isFirst ? refusal : refusal.asRepetition
        }
    }

    /// Whether the origin's circuit is open now and will be after this time.
    func isOpen(origin: String, after delay: Duration) -> Bool {
        let circuit = circuits.withValue(of: origin, default: Circuit(rules)) { $0 }
        let time = time.now + delay
        return circuit.state.withLock { $0.isOpen(at: time) }
    }

    private static func refusal(of origin: String, _ wait: Duration?) -> AsyncNetError {
        let prospect =
            wait.map { "the next probe is allowed in \($0.inSeconds)" }
            ?? "the result of a probe is awaited"
        return AsyncNetError(.circuitOpen, "Requests to \(origin) failed too often; \(prospect)")
    }

    fileprivate final class Circuit: Sendable {
        let state: Locked<BreakerState>

        init(_ rules: CircuitBreaker) { state = Locked(BreakerState(rules)) }
    }

    /// The admission of a request, which records the request's result. An admission that is deallocated without a
    /// result counts as ignored, and allows another probe.
    final class Permit: Sendable {
        private let circuit: Circuit
        private let pass: BreakerState.Pass
        private let time: TimeSource
        private let isUsed = Atomic(false)

        fileprivate init(_ circuit: Circuit, _ pass: BreakerState.Pass, _ time: TimeSource) {
            (self.circuit, self.pass, self.time) = (circuit, pass, time)
        }

        deinit { record(.ignored) }

        /// Whether the circuit's phase is unchanged since the admission; otherwise the request needs a new admission.
        var isCurrent: Bool { circuit.state.withLock { $0.isCurrent(pass) } }

        /// Whether the request is a probe, whose result closes the circuit or opens it again.
        var isProbe: Bool { circuit.state.withLock { $0.isProbe(pass) } }

        /// Records the result; only the first call counts.
        func record(_ verdict: OriginVerdict) {
            guard !isUsed.exchange(true, ordering: .relaxed) else { return }
            circuit.state.withLock { $0.record(verdict, of: pass, at: time.now) }
        }
    }
}
