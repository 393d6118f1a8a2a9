import AsyncNet

/// The state of a ``TestClock``, as a value without tasks: the time, the sleepers, and how much work is under way.
struct ClockState<Continuation: Sendable>: Sendable {
    struct Sleeper: Sendable {
        let deadline: TestClock.Instant
        /// Whether this is a session's sleep until a timeout or deadline. Such sleeps alone do not make the clock move.
        let isLimit: Bool
        let continuation: Continuation
    }

    private(set) var now = TestClock.Instant()
    private(set) var sleepers: [Int: Sleeper] = [:]
    /// The number of sleepers that are no limits, and of `SupervisedWork.waiting`.
    private var waiting = 0
    private var jobs = 0
    private var externals = 0
    /// Grows with each sleep, job or transfer that begins. After a change, an actor may have something to run again.
    private(set) var beginnings = 0
    var runs = 0
    /// How many calls of `advanceToNextDeadline()` wait.
    var steps = 0

    /// - Returns: `false` if the deadline has passed.
    mutating func add(_ sleeper: Sleeper, _ id: Int) -> Bool {
        guard sleeper.deadline > now else { return false }
        beginnings += 1
        sleepers[id] = sleeper
        if !sleeper.isLimit { waiting += 1 }
        return true
    }

    mutating func remove(_ id: Int) -> Sleeper? {
        let sleeper = sleepers.removeValue(forKey: id)
        if sleeper?.isLimit == false { waiting -= 1 }
        return sleeper
    }

    mutating func countJob(_ change: Int) {
        jobs += change
        if change > 0 { beginnings += 1 }
    }

    mutating func count(_ work: SupervisedWork, _ change: Int) {
        if change > 0 { beginnings += 1 }
        switch work {
        case .waiting: waiting += change
        case .external: externals += change
        }
    }

    /// Whether no task on the clock's executor has anything left to run.
    var isSettled: Bool { jobs == 0 }

    /// The next deadline, if the clock may move there by itself.
    var next: TestClock.Instant? {
        guard runs > 0 || steps > 0, jobs == 0, externals == 0, waiting > 0 else { return nil }
        return sleepers.values.map(\.deadline).min()
    }

    /// Moves the time, and removes the sleepers that are due, in the order of their deadlines.
    mutating func advance(to time: TestClock.Instant) -> [Continuation] {
        now = max(now, time)
        let due = sleepers.filter { $0.value.deadline <= now }
        let ordered = due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        return ordered.compactMap { remove($0.key)?.continuation }
    }
}
