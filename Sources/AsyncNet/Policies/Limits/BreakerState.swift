/// The state machine of one origin's circuit. Every change of phase begins a new generation; the results of requests
/// admitted in an earlier generation are ignored.
struct BreakerState {
    struct Pass: Hashable {
        fileprivate let generation: Int
    }

    enum Admission: Hashable {
        case allowed(Pass)
        /// Refused until a time, `nil` while probes run. `isFirst`: the first refusal since the circuit opened.
        case refused(until: Duration?, isFirst: Bool)
    }

    enum Phase: Hashable {
        case closed
        case open(until: Duration)
        /// The number of probes in progress, and of those that succeeded.
        case halfOpen(running: Int, succeeded: Int)
    }

    private let rules: CircuitBreaker
    private(set) var phase = Phase.closed
    private var generation = 0
    private var hasRefused = false
    private var failuresInARow = 0
    private var requests: SlidingSum
    private var failures: SlidingSum

    init(_ rules: CircuitBreaker) {
        self.rules = rules
        requests = SlidingSum(window: rules.window)
        failures = requests
    }

    private var probes: Int { max(rules.probes, 1) }

    mutating func allow(at now: Duration) -> Admission {
        if case .open(let end) = phase {
            guard end <= now else { return refused(until: end) }
            enter(.halfOpen(running: 0, succeeded: 0))
        }
        if case .halfOpen(let running, let succeeded) = phase {
            guard running + succeeded < probes else { return refused(until: nil) }
            phase = .halfOpen(running: running + 1, succeeded: succeeded)
        }
        return .allowed(Pass(generation: generation))
    }

    private mutating func refused(until end: Duration?) -> Admission {
        defer { hasRefused = true }
        return .refused(until: end, isFirst: !hasRefused)
    }

    func isOpen(at time: Duration) -> Bool { if case .open(let end) = phase { end > time } else { false } }

    func isCurrent(_ pass: Pass) -> Bool { pass.generation == generation }

    func isProbe(_ pass: Pass) -> Bool { if case .halfOpen = phase { isCurrent(pass) } else { false } }

    /// Records the result of an admitted request; called once for each pass.
    mutating func record(_ verdict: OriginVerdict, of pass: Pass, at now: Duration) {
        guard pass.generation == generation else { return }
        switch phase {
        case .closed: count(verdict, at: now)
        case .open: return
        case .halfOpen(let running, let succeeded): judge(verdict, running - 1, succeeded, at: now)
        }
    }

    private mutating func count(_ verdict: OriginVerdict, at now: Duration) {
        guard verdict != .ignored else { return }
        requests.add(1, at: now)
        failuresInARow = verdict == .failure ? failuresInARow + 1 : 0
        guard verdict == .failure else { return }
        failures.add(1, at: now)
        if reachesThreshold(at: now) { open(at: now) }
    }

    private mutating func reachesThreshold(at now: Duration) -> Bool {
        if let limit = rules.consecutiveFailures, failuresInARow >= limit { return true }
        guard let rate = rules.failureRate else { return false }
        let total = requests.value(at: now)
        let allowed = rate.isNaN ? 1 : min(max(rate, 0), 1)
        return total >= Int64(rules.minimumRequests) && Double(failures.value(at: now)) >= allowed * Double(total)
    }

    /// A probe with an ignored result makes room for another probe.
    private mutating func judge(_ verdict: OriginVerdict, _ running: Int, _ succeeded: Int, at now: Duration) {
        switch verdict {
        case .failure: open(at: now)
        case .success where succeeded + 1 >= probes: close()
        case .success: phase = .halfOpen(running: running, succeeded: succeeded + 1)
        case .ignored: phase = .halfOpen(running: running, succeeded: succeeded)
        }
    }

    private mutating func open(at now: Duration) {
        hasRefused = false
        enter(.open(until: now + min(max(rules.openDuration, .zero), .longestWait)))
    }

    private mutating func close() {
        failuresInARow = 0
        (requests, failures) = (SlidingSum(window: rules.window), SlidingSum(window: rules.window))
        enter(.closed)
    }

    private mutating func enter(_ phase: Phase) {
        self.phase = phase
        generation += 1
    }
}
