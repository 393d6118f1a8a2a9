/// Passes the outcome of a driver on the transport's thread to the task that waits for it, without an actor.
///
/// The waiter is resumed once: by the driver, or by an abandonment, whichever comes first.
final class Handback: Sendable {
    private struct State {
        var driver: Task<Void, Never>?
        var waiter: UnsafeContinuation<TransferOutcome?, Never>?
        var outcome: TransferOutcome?
        var isAbandoned = false
    }

    private let executor: any LoopExecutor
    private let state = Locked(State())

    /// - Parameter executor: The driver's. It resumes the waiter, together with others.
    init(_ executor: any LoopExecutor) { self.executor = executor }

    /// Stores the driver; cancels it if the request has ended already.
    func begin(_ driver: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            state.driver = driver
            return state.isAbandoned
        }
        if isAbandoned { driver.cancel() }
    }

    /// - Returns: `false` if nobody takes the outcome.
    func deliver(_ outcome: TransferOutcome) -> Bool {
        let (isTaken, isAwaited) = state.withLock { state in
            guard !state.isAbandoned else { return (false, false) }
            state.outcome = outcome
            return (true, state.waiter != nil)
        }
        if isAwaited { executor.afterJobs(self) }
        return isTaken
    }

    /// Resumes the waiter without an outcome, unless the driver has delivered one.
    ///
    /// - Returns: The driver.
    @discardableResult
    func abandon() -> Task<Void, Never>? {
        let (driver, waiter) = state.withLock {
            state -> (Task<Void, Never>?, UnsafeContinuation<TransferOutcome?, Never>?) in
            guard state.outcome == nil else { return (state.driver, nil) }
            state.isAbandoned = true
            return (state.driver, state.waiter.take())
        }
        waiter?.resume(returning: nil)
        return driver
    }

    /// The driver's outcome; `nil` after an abandonment.
    func outcome() async -> TransferOutcome? {
        await withUnsafeContinuation { continuation in
            let (isReady, outcome) = state.withLock { state -> (Bool, TransferOutcome?) in
                if state.outcome == nil, !state.isAbandoned { state.waiter = continuation }
                return (state.waiter == nil, state.outcome)
            }
            if isReady { continuation.resume(returning: outcome) }
        }
    }
}

extension Handback: LoopTarget {
    func jobsHaveRun() {
        let (waiter, outcome) = state.withLock { ($0.waiter.take(), $0.outcome) }
        waiter?.resume(returning: outcome)
    }
}
