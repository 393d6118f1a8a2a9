package import AsyncNet
import Synchronization

/// A clock that a test advances, or that advances itself whenever nothing else is left to do.
///
///     let clock = TestClock()
///     let session = Session(
///         transport: stub, configuration: .init(interceptors: [RetryPolicy()], timeout: .seconds(30), clock: clock))
///     let user = try await clock.run { try await session.request(url).serializing(User.self).value }
///
/// ``run(_:)`` moves the clock to each next deadline, so a test need not know who sleeps, and when. Without it time
/// moves only by ``advance(by:)`` and ``advanceToNextDeadline()``:
///
///     async let result = session.request(url).serializing(Data.self).result
///     await clock.sleepers(atLeast: 1)      // the request's timer is set
///     clock.advance(by: .seconds(30))       // and fires
///
/// The tasks of a session with this clock run on an executor of the clock, which thus knows when none of these tasks
/// has anything left to run.
public final class TestClock: Clock, Sendable {
    /// A time of a test clock.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// The time since the clock's start.
        public let offset: Duration

        /// Creates a time.
        public init(offset: Duration = .zero) { self.offset = offset }
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
        public var description: String { "+\(offset)" }
    }

    private let core = ClockCore()
    private let countingExecutor: ClockExecutor

    /// Creates a clock at time zero.
    public init() { countingExecutor = ClockExecutor(core) }

    public var now: Instant { core.now }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { core.sleeperCount }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await core.sleep(until: deadline, isLimit: false)
    }

    /// Advances the time, and wakes the tasks whose deadlines it reaches, in the order of the deadlines.
    public func advance(by duration: Duration) { core.advance(by: duration) }

    /// Waits until at least this number of tasks sleep on this clock, or the current task is cancelled.
    ///
    /// A session sleeps for each retry delay, and once for all its timeouts and deadlines. After five seconds of real
    /// time, this function prints on the standard error what it waits for.
    public func sleepers(atLeast count: Int) async {
        guard core.sleeperCount < count else { return }
        await SleeperNotice.during({ await core.sleepers(atLeast: count) }, forAtLeast: count) { [core] in
            core.sleeperCount
        }
    }

    /// Waits until each task on the clock's executor has ended or is suspended, or the current task is cancelled.
    /// The tasks of sessions with this clock run on that executor.
    package func settled() async { await core.settled() }

    /// Runs work, and moves the clock to the next deadline whenever everything that the clock sees waits for time,
    /// until the work ends.
    ///
    ///     let user = try await clock.run { try await session.request(url).serializing(User.self).value }
    ///
    /// The nearest deadline comes first, whether a task sleeps until then or a session limits a request by it: a
    /// deadline of 10 seconds ends a request whose retry would follow after 20. Time moves only while
    ///
    /// - no task of a session with this clock, of the work, or of a ``StubTransport`` under it has anything to run;
    /// - no transfer over a transport with I/O, such as one to a ``MockServer``, is under way; and
    /// - something waits for the time: a task that sleeps on this clock (a retry's delay, a stub's delayed response, a
    ///   `sleep` of the test's own), a request that waits for its rate limit, or a stub's response with the fault
    ///   ``MockResponse/Fault/stall``.
    ///
    /// Timeouts and deadlines alone do not move the clock, since they may guard work that the clock cannot see. With a
    /// `StubTransport` no timeout comes early, and a stalled or delayed response gets each timeout that is due.
    /// Over sockets delays pass too, but the clock does not move to the timeout of a server that stalls: use a stub or
    /// ``advance(by:)`` for it. A transport of your own counts as one with I/O, unless it passes its requests on to a
    /// stub.
    ///
    /// The clock waits for the actor that calls this function, such as the main actor. It does not see tasks that the
    /// work starts with `Task { }` or runs on other actors and threads, except while they sleep on this clock: time may
    /// move while such tasks run.
    ///
    /// Cancelling the current task cancels the work. Several calls may run at the same time.
    ///
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public nonisolated(nonsending) func run<Value: Sendable, Failure: Error>(
        _ work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let run = core.beginRun(on: #isolation)
        defer { core.endRun(run) }
        return try await withTaskExecutorPreference(countingExecutor) { () async throws(Failure) -> Value in
            try await change(to: work)
        }
    }

    private static let entries = Atomic(0)

    /// Runs the work on the executor that the task prefers. Swift switches to this executor only in a `@concurrent`
    /// function with code before its first call; otherwise the clock would not see the work's first steps.
    @concurrent
    private func change<Value: Sendable, Failure: Error>(
        to work: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        Self.entries.add(1, ordering: .relaxed)
        return try await observing(work)
    }

    /// Moves the clock once as ``run(_:)`` does: waits until something waits for the clock and nothing else is under
    /// way, then moves to the nearest deadline.
    ///
    ///     async let user = session.request(url).serializing(User.self).value
    ///     await clock.advanceToNextDeadline()       // the delay before the second attempt
    ///     #expect(clock.now.offset >= .seconds(1))
    ///
    /// Returns when the tasks that sleep until this deadline have been woken; they run concurrently with the caller. If
    /// the current task is cancelled, the function returns at once.
    ///
    /// - Returns: How far the clock moved; zero after a cancel.
    @discardableResult
    public func advanceToNextDeadline() async -> Duration { await core.advanceOnce() }
}

extension TestClock: SupervisedClock {
    package var executor: any TaskExecutor { countingExecutor }
    package func sleep(asLimitUntil deadline: Instant) async throws {
        try await core.sleep(until: deadline, isLimit: true)
    }
    package func begin(_ work: SupervisedWork) { core.begin(work) }
    package func end(_ work: SupervisedWork) { core.end(work) }
}
