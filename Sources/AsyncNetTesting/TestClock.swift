import Synchronization

/// A clock that stands still until a test moves it.
///
///     let clock = TestClock()
///     let session = Session(transport: stub, configuration: .init(timeout: .seconds(30), clock: clock))
///     async let result = session.request(url).serializing(Data.self).result
///     await clock.sleepers(atLeast: 1)      // the request's timer is set
///     clock.advance(by: .seconds(30))       // and goes off
public final class TestClock: Clock, Sendable {
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// Since the clock was made.
        public let offset: Duration

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
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isWhole = await withTaskCancellationHandler {
            await withCheckedContinuation { add(Sleeper(deadline: deadline, continuation: $0), id) }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
        guard isWhole else { throw CancellationError() }
    }

    private func add(_ sleeper: Sleeper, _ id: Int) {
        let (answer, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if Task.isCancelled { return (false, []) }
            if sleeper.deadline <= state.now { return (true, []) }
            state.sleepers[id] = sleeper
            return (nil, state.takeSatisfiedWatchers())
        }
        if let answer { sleeper.continuation.resume(returning: answer) }
        for watcher in watchers { watcher.resume() }
    }

    /// Moves time on and wakes, in the order of their deadlines, those who slept until then.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
    }

    /// Waits until at least so many tasks sleep on this clock.
    public func sleepers(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }
}
