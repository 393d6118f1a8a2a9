import AsyncNet

/// The state of a ``TestClock`` behind a lock, and the tasks that wait for it.
///
/// The thread that ends the last job or transfer under way moves the clock: no thread polls, and no task watches.
final class ClockCore: Sendable {
    private typealias Wake = CheckedContinuation<Bool, Never>

    private struct Watcher {
        let isReady: @Sendable (ClockState<Wake>) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var clock = ClockState<Wake>()
        var nextID = 0
        var watchers: [Int: Watcher] = [:]
        var steppers: [Int: CheckedContinuation<Duration, Never>] = [:]
        /// The actor that has called each `TestClock.run`, by the run's number. The clock cannot count an actor's jobs:
        /// it visits the actor instead before it moves.
        var actors: [Int: any Actor] = [:]
        var isVisiting = false
        /// The value of the clock's `beginnings` at the last visit. A visit runs an empty function on each actor: what
        /// was queued there before has then run. While `beginnings` is still this value, no visit is needed.
        var visited: Int?

        /// The actors to visit before the clock may move; `nil` if it may move now, empty if a visit is under way.
        mutating func beginVisit() -> [any Actor]? {
            guard !actors.isEmpty, visited != clock.beginnings else { return nil }
            guard !isVisiting else { return [] }
            isVisiting = true
            return Array(actors.values)
        }

        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.value.isReady(clock) }
            for id in satisfied.keys { watchers[id] = nil }
            return satisfied.values.map(\.continuation)
        }

        /// Removes the task that has waited longest for the clock to move once.
        mutating func takeStepper() -> CheckedContinuation<Duration, Never>? {
            guard let first = steppers.keys.min() else { return nil }
            clock.steps -= 1
            return steppers.removeValue(forKey: first)
        }

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }
    }

    private let state = Locked(State())

    var now: TestClock.Instant { state.withLock { $0.clock.now } }
    var sleeperCount: Int { state.withLock { $0.clock.sleepers.count } }

    // MARK: Sleeping

    func sleep(until deadline: TestClock.Instant, isLimit: Bool) async throws {
        let id = state.withLock { $0.makeID() }
        let isWhole = await withTaskCancellationHandler {
            await withCheckedContinuation {
                add(.init(deadline: deadline, isLimit: isLimit, continuation: $0), id)
            }
        } onCancel: {
            state.withLock { $0.clock.remove(id) }?.continuation.resume(returning: false)
        }
        guard isWhole else { throw CancellationError() }
    }

    private func add(_ sleeper: ClockState<Wake>.Sleeper, _ id: Int) {
        let (isWhole, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if Task.isCancelled { return (false, []) }
            guard state.clock.add(sleeper, id) else { return (true, []) }
            return (nil, state.takeSatisfiedWatchers())
        }
        if let isWhole { return sleeper.continuation.resume(returning: isWhole) }
        for watcher in watchers { watcher.resume() }
        moveIfIdle()
    }

    func sleepers(atLeast count: Int) async { await wait { $0.sleepers.count >= count } }
    func settled() async { await wait { $0.isSettled } }

    private func wait(until isReady: @escaping @Sendable (ClockState<Wake>) -> Bool) async {
        let id = state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if isReady(state.clock) || Task.isCancelled { return true }
                    state.watchers[id] = Watcher(isReady: isReady, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    // MARK: Moving

    func advance(by duration: Duration) {
        let due = state.withLock { state in state.clock.advance(to: state.clock.now.advanced(by: duration)) }
        for sleeper in due { sleeper.resume(returning: true) }
    }

    func advanceOnce() async -> Duration {
        let id = state.withLock { $0.makeID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.steppers[id] = continuation
                    state.clock.steps += 1
                    return false
                }
                if isOver { continuation.resume(returning: .zero) } else { moveIfIdle() }
            }
        } onCancel: {
            let stepper = state.withLock { state in
                let stepper = state.steppers.removeValue(forKey: id)
                if stepper != nil { state.clock.steps -= 1 }
                return stepper
            }
            stepper?.resume(returning: .zero)
        }
    }

    /// Moves to the next deadline if nothing else is under way.
    ///
    /// Counts itself as a job while it wakes the due sleepers, so that the clock does not move on before all are awake.
    private func moveIfIdle() {
        while true {
            let (move, actors) = state.withLock {
                state -> ((due: [Wake], stepper: CheckedContinuation<Duration, Never>?, Duration)?, [any Actor]) in
                guard let next = state.clock.next else { return (nil, []) }
                if let actors = state.beginVisit() { return (nil, actors) }
                let distance = state.clock.now.duration(to: next)
                state.clock.countJob(1)
                return ((state.clock.advance(to: next), state.takeStepper(), distance), [])
            }
            guard let (due, stepper, distance) = move else { return visit(actors) }
            for sleeper in due { sleeper.resume(returning: true) }
            stepper?.resume(returning: distance)
            countEndedJob()
        }
    }

    /// Waits until each actor has run the jobs in its queue, then moves the clock if nothing has begun meanwhile: the
    /// clock's executor does not see jobs of an actor, which may be about to make another request.
    ///
    /// The task is never cancelled: an actor whose thread is blocked also keeps its own `TestClock.run` from ending.
    private func visit(_ actors: [any Actor]) {
        guard !actors.isEmpty else { return }
        let beginnings = state.withLock { $0.clock.beginnings }
        Task {
            for actor in actors { await Self.run(on: actor) }
            state.withLock { ($0.isVisiting, $0.visited) = (false, beginnings) }
            moveIfIdle()
        }
    }

    private static func run(on actor: isolated any Actor) async {}

    // MARK: Work under way

    /// - Parameter actor: The actor on which the work begins.
    /// - Returns: The run's number, for `endRun`.
    func beginRun(on actor: (any Actor)?) -> Int {
        let id = state.withLock { state in
            state.clock.runs += 1
            let id = state.makeID()
            state.actors[id] = actor
            return id
        }
        moveIfIdle()
        return id
    }

    func endRun(_ id: Int) {
        state.withLock {
            $0.clock.runs -= 1
            $0.actors[id] = nil
        }
    }

    func beginJob() { state.withLock { $0.clock.countJob(1) } }

    func endJob() {
        countEndedJob()
        moveIfIdle()
    }

    private func countEndedJob() {
        let watchers = state.withLock { state in
            state.clock.countJob(-1)
            return state.takeSatisfiedWatchers()
        }
        for watcher in watchers { watcher.resume() }
    }

    func begin(_ work: SupervisedWork) {
        state.withLock { $0.clock.count(work, 1) }
        if work == .waiting { moveIfIdle() }
    }

    func end(_ work: SupervisedWork) {
        state.withLock { $0.clock.count(work, -1) }
        if work == .external { moveIfIdle() }
    }
}
