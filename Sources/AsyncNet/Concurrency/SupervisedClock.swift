/// A clock that moves by itself, to the next deadline, once all that it knows of waits: `TestClock` in
/// AsyncNetTestSupport.
///
/// The clock moves when tasks on `executor` have nothing left to run, no transfer is under way that only a server can
/// end, and something waits for the clock: a task that sleeps, or work marked as waiting. A sleep as a limit does not
/// count: a timeout of a minute must not end a transfer that takes a millisecond.
package protocol SupervisedClock: Clock, Sendable where Duration == Swift.Duration {
    var executor: any TaskExecutor { get }

    /// Sleeps on behalf of a limit such as a timeout. The clock does not count this sleep as waiting.
    func sleep(asLimitUntil deadline: Instant) async throws

    /// Counts work; each call is followed by a call of `end` with the same argument.
    func begin(_ work: SupervisedWork)
    func end(_ work: SupervisedWork)
}

extension SupervisedClock {
    /// Runs code. User code that it calls, such as retriers and serializers, runs on the clock's executor.
    package func observing<Value, Failure: Error>(
        _ code: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await UserCode.$supervisedExecutor.withValue(executor) {
            do throws(Failure) { return .success(try await code()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// What a `SupervisedClock` counts beside tasks.
package enum SupervisedWork: Sendable {
    /// Work that only a cancel ends, such as a response that never comes: the clock may move.
    case waiting
    /// A transfer that other threads or processes carry out, such as one over sockets: the clock stands until it ends.
    case external
}

/// A transfer as a `SupervisedClock` counts it: external until a transport without I/O has received it, except while
/// it sleeps.
package final class SupervisedTransfer: Sendable {
    private struct State {
        var isExternal = true
        var sleeps = 0
        var isCounted: Bool { isExternal && sleeps == 0 }
    }

    package let clock: any SupervisedClock
    private let state = Locked(State())

    init(_ clock: any SupervisedClock) {
        self.clock = clock
        clock.begin(.external)
    }

    /// From now on the transfer consists of tasks on the clock's executor. Further calls do nothing.
    package func becomeInternal() { change { $0.isExternal = false } }

    /// Sleeps on a clock, for a transport that delays another's transfers. Meanwhile the transfer is not counted: only
    /// the clock can end its sleep.
    package func sleep(for duration: Duration, on clock: (any Clock<Duration>)? = nil) async throws {
        change { $0.sleeps += 1 }
        defer { change { $0.sleeps -= 1 } }
        if let clock { return try await clock.sleep(for: duration) }
        try await self.clock.sleep(for: duration)
    }

    func end() { becomeInternal() }

    private func change(_ change: (inout State) -> Void) {
        let (was, isCounted) = state.withLock { state in
            let was = state.isCounted
            change(&state)
            return (was, state.isCounted)
        }
        if was, !isCounted { clock.end(.external) }
        if !was, isCounted { clock.begin(.external) }
    }
}
