/// A clock of any type, as the time since this value was created.
struct TimeSource: Sendable {
    private final class Storage: Sendable {
        let clock: any Clock<Duration>
        let supervisor: (any SupervisedClock)?
        /// When the source was created, in nanoseconds of the default clock; `nil` for other clocks. Reading
        /// nanoseconds is ten times as fast as reading an instant.
        let start: Int64?
        let elapsed: @Sendable () -> Duration
        let sleepUntil: @Sendable (Duration) async throws -> Void
        let sleepAsLimit: @Sendable (Duration) async throws -> Void

        init(_ clock: some Clock<Duration>) {
            let start = clock.now
            self.clock = clock
            supervisor = clock as? any SupervisedClock
            self.start = clock is ContinuousClock ? Platform.continuousNanoseconds : nil
            elapsed = { start.duration(to: clock.now) }
            sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
            sleepAsLimit = supervisor.map { Self.sleepAsLimit($0) } ?? sleepUntil
        }

        private static func sleepAsLimit(_ clock: some SupervisedClock) -> @Sendable (Duration) async throws -> Void {
            let start = clock.now
            return { try await clock.sleep(asLimitUntil: start.advanced(by: $0)) }
        }
    }

    private let storage: Storage

    init(_ clock: any Clock<Duration>) {
        func open(_ clock: some Clock<Duration>) -> Storage { Storage(clock) }
        storage = open(clock)
    }

    var clock: any Clock<Duration> { storage.clock }
    var supervisor: (any SupervisedClock)? { storage.supervisor }
    /// The executor for tasks that use this time; `nil` for Swift's own.
    var executor: (any TaskExecutor)? { storage.supervisor?.executor }
    var now: Duration { nanoseconds.map { .nanoseconds($0) } ?? storage.elapsed() }
    /// As `now`, in nanoseconds, for the clock that sessions have by default; `nil` for other clocks.
    var nanoseconds: Int64? {
        guard let start = storage.start, let now = Platform.continuousNanoseconds else { return nil }
        return now &- start
    }

    func sleep(until time: Duration) async throws { try await storage.sleepUntil(time) }

    /// Sleeps, for a limit on other work: a supervised clock does not move because of this sleep alone.
    func sleep(asLimitUntil time: Duration) async throws { try await storage.sleepAsLimit(time) }
}
