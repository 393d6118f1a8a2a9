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

    private let state = Locked(State())

    init() {}

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
        let (isTaken, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<TransferOutcome?, Never>?) in
            guard !state.isAbandoned else { return (false, nil) }
            state.outcome = outcome
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: outcome)
        return isTaken
    }

    /// Resumes the waiter without an outcome, unless the driver has delivered one.
    ///
    /// - Returns: The driver.
    @discardableResult
    func abandon() -> Task<Void, Never>? {
        let (driver, waiter) = state.withLock {
            state -> (Task<Void, Never>?, UnsafeContinuation<TransferOutcome?, Never>?) in
            if state.outcome == nil { state.isAbandoned = true }
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
