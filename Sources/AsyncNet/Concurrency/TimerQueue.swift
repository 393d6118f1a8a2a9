/// Many timers that share one sleeping task, which the queue owns, and cancels when it is deallocated.
///
/// The task sleeps until the earliest timer is due. It is replaced when an earlier timer is added, but not when the
/// earliest is removed: an unneeded wake is cheaper than a new task for every request.
final class TimerQueue: Sendable {
    typealias Action = @Sendable () -> Duration?

    typealias Timer = TimerHeap<Duration, any TimerTarget>.ID

    let time: TimeSource
    private let state = Locked(State())

    private struct State {
        var heap = TimerHeap<Duration, any TimerTarget>()
        var wakesAt: Duration?
        var sleeper: Task<Void, Never>?
        /// Counts the tasks, so that a task that was replaced while it woke does not clear its successor's state.
        var generation = 0
    }

    init(_ time: TimeSource) { self.time = time }

    deinit { state.withLock { $0.sleeper }?.cancel() }

    func schedule(at due: Duration, _ action: @escaping Action) -> Timer { schedule(at: due, ClosureTarget(action)) }

    func schedule(at due: Duration, _ target: any TimerTarget) -> Timer {
        state.withLock { state in
            let timer = state.heap.insert(due, target)
            wake(at: due, &state)
            return timer
        }
    }

    /// Removes the timer; its action may be running.
    func cancel(_ timer: Timer) {
        state.withLock { state in
            state.heap.remove(timer)
            if time.supervisor != nil { forgetUnneededWake(&state) }
        }
    }

    /// Ends a sleep at whose end no timer is due any more: a supervised clock would stop at that time.
    private func forgetUnneededWake(_ state: inout State) {
        guard let wakesAt = state.wakesAt, wakesAt != state.heap.earliest else { return }
        state.sleeper?.cancel()
        state.generation += 1
        state.wakesAt = nil
        state.sleeper = nil
        if let next = state.heap.earliest { wake(at: next, &state) }
    }

    var count: Int { state.withLock { $0.heap.count } }

    private func wake(at due: Duration, _ state: inout State) {
        if let wakesAt = state.wakesAt, wakesAt <= due { return }
        state.sleeper?.cancel()
        state.wakesAt = due
        state.generation += 1
        // Detached: the task-local values of a request would live as long as the sleep, which serves other requests
        // too.
        // ConcurrencyGuarantees.md lists this task: timers
        state.sleeper = Task.detached(executorPreference: time.executor) {
            [time, weak self, generation = state.generation] in
            guard (try? await time.sleep(asLimitUntil: due)) != nil else { return }
            self?.fire(generation)
        }
    }

    /// Actions run outside the lock; a timer cancelled meanwhile is not added again.
    private func fire(_ generation: Int) {
        let due = state.withLock { state in
            if generation == state.generation { (state.wakesAt, state.sleeper) = (nil, nil) }
            return state.heap.takeAll(dueBy: time.now)
        }
        let rescheduled = due.map { ($0.id, $0.action.timerIsDue()) }
        state.withLock { state in
            for (timer, next) in rescheduled { state.heap.putBack(timer, due: next) }
            if let next = state.heap.earliest { wake(at: next, &state) }
        }
    }
}

protocol TimerTarget: AnyObject, Sendable {
    /// Called when the timer is due. The function must not block. It returns the time at which the timer is due again,
    /// or `nil`.
    func timerIsDue() -> Duration?
}

final class ClosureTarget: TimerTarget {
    private let action: TimerQueue.Action
    init(_ action: @escaping TimerQueue.Action) { self.action = action }
    func timerIsDue() -> Duration? { action() }
}
