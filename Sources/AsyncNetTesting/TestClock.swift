import AsyncNet

/// A clock that a test advances.
///
///     let clock = TestClock()
///     let session = Session(transport: stub, configuration: .init(timeout: .seconds(30), clock: clock))
///     async let result = session.request(url).serializing(Data.self).result
///     await clock.sleepers(atLeast: 1)      // the request's timer is set
///     clock.advance(by: .seconds(30))       // and fires
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

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = Instant()
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.value.count <= sleepers.count }
            for id in satisfied.keys { watchers[id] = nil }
            return satisfied.values.map(\.continuation)
        }

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let state = Locked(State())

    /// Creates a clock at time zero.
    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { $0.makeID() }
        let isWhole = await withTaskCancellationHandler {
            await withCheckedContinuation { add(Sleeper(deadline: deadline, continuation: $0), id) }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
        guard isWhole else { throw CancellationError() }
    }

    private func add(_ sleeper: Sleeper, _ id: Int) {
        let (isWhole, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if Task.isCancelled { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers[id] = sleeper
            return (nil, state.takeSatisfiedWatchers())
        }
        if let isWhole { sleeper.continuation.resume(returning: isWhole) }
        for watcher in watchers { watcher.resume() }
    }

    /// Advances the time, and wakes the tasks whose deadlines it reaches, in the order of the deadlines.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
    }

    /// Waits until at least this number of tasks sleep on this clock, or the current task is cancelled.
    public func sleepers(atLeast count: Int) async {
        let id = state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.sleepers.count >= count || Task.isCancelled { return true }
                    state.watchers[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
