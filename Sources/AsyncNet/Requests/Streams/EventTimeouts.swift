/// Ends a stream whose next event takes too long, whatever else its server sends.
///
/// The time of one call of the loop for the next events is limited: comments, reconnections and retries do not prolong
/// it, and the time that the loop takes for itself does not count.
struct EventTimeouts: Sendable {
    var first: Duration?
    var next: Duration?

    /// The timer of the loop that waits now; it ends the engine's request.
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
