/// A clock of any type, as the time since this value was created.
struct TimeSource: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let sleepUntil: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// Wraps a clock whose type is not known statically.
    init(opening clock: any Clock<Duration>) {
        func open(_ clock: some Clock<Duration>) -> TimeSource { TimeSource(clock) }
        self = open(clock)
    }

    var now: Duration { elapsed() }

    /// Throws `CancellationError` if the task is cancelled.
    func sleep(until time: Duration) async throws { try await sleepUntil(time) }
}
