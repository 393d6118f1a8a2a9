/// Ends a stream whose next event takes too long, whatever else its server sends.
///
/// Limits the time from the loop's call of `next` to an event: comments, reconnections and retries do not extend that
/// time, and the time in which the loop's body runs does not count.
struct EventTimeouts: Sendable {
    var first: Duration?
    var next: Duration?

    /// Starts the timer that ends the engine's request unless the loop gets an event in time; `nil` without a limit.
    func start(isFirst: Bool, _ engine: RequestEngine) -> TimerQueue.Timer? {
        guard let limit = isFirst ? first : next else { return nil }
        let (timers, wait) = (engine.environment.timers, min(max(limit, .zero), .longestWait))
        let error = AsyncNetError(
            .eventTimedOut,
            isFirst
                ? "The first event did not arrive within \(limit)" : "No event followed the last one within \(limit)")
        return timers.schedule(at: timers.time.now + wait) {
            if engine.hold.isHeld { return timers.time.now + wait }
            engine.soon { await $0.end(with: error) }
            return nil
        }
    }
}
