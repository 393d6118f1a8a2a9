/// The hop that runs, and what has been reported of it. Made only if somebody observes the run.
final class RunningHop: Sendable {
    private struct State {
        var summary: HopSummary
        /// What the response's head decided, such as `.redirected`; it replaces the ending that `end` is called with.
        var ending: HopSummary.Ending?
        var isOver = false
        /// The error of a request that shared the transfer and ended before the transfer did.
        var memberFailure: AsyncNetError?
        /// How many bytes of the response's body are still to be reported.
        var bodyLimit: Int
        /// When the transfer began to wait for a permit of the transport; `nil` while it does not wait.
        var waitingSince: Duration?
    }

    let request: HTTPRequestHead
    let interests: EventInterests
    /// Whether the hop may outlive a request that observes it.
    let isShared: Bool
    private let record: TransferRecord
    private let state: Locked<State>
    /// The trace's part of the hop; `nil` after the end. A second call of `endTrace` waits until the first has reported
    /// the end.
    private let traced: Locked<(any TracedHop)?>

    init(
        _ request: HTTPRequestHead, _ urlTemplate: String?, _ interests: EventInterests, isShared: Bool,
        _ record: TransferRecord, _ cacheOutcome: CacheOutcome?, _ traced: (any TracedHop)?
    ) {
        self.request = request
        self.interests = interests
        self.isShared = isShared
        self.record = record
        self.traced = Locked(traced)
        let metrics = HopMetrics(method: request.method, url: request.url, start: record.elapsed)
        let summary = HopSummary(
            request: request, urlTemplate: urlTemplate, metrics: metrics, cacheOutcome: cacheOutcome)
        state = Locked(State(summary: summary, bodyLimit: interests.bodyLimit))
    }

    func connected(_ connection: ConnectionInfo) -> Bool {
        state.withLock { state in
            guard state.summary.connection == nil else { return false }
            state.summary.connection = connection
            return true
        }
    }

    func received(_ head: HTTPResponseHead) {
        state.withLock { state in
            state.summary.response = head
            state.summary.metrics.statusCode = head.statusCode
        }
    }

    func measured(_ metrics: TransportMetrics) { state.withLock { $0.summary.metrics.transport = metrics } }

    func cached(_ outcome: CacheOutcome) { state.withLock { $0.summary.cacheOutcome = outcome } }

    func repeated() {
        let start = state.withLock { $0.summary.metrics.start }
        traced.withLock { $0 }?.repeated(after: record.elapsed - start)
    }

    func sent(_ bytes: Int64) { state.withLock { $0.summary.sentBytes = bytes } }

    func received(_ bytes: Int64) -> Bool {
        state.withLock { state in
            guard state.summary.receivedBytes < bytes else { return false }
            state.summary.receivedBytes = bytes
            return true
        }
    }

    /// - Returns: How many of `count` bytes of the response's body observers get.
    func take(_ count: Int) -> Int {
        state.withLock { state in
            let taken = min(count, state.bodyLimit)
            state.bodyLimit -= taken
            return taken
        }
    }

    /// Notes that the transfer begins to wait for a permit of the transport, or no longer waits. Returns the event;
    /// `nil` if it waits already, or has not waited.
    func waits(_ begins: Bool) -> RequestEvent? {
        let now = record.elapsed
        return state.withLock { state in
            let since = state.waitingSince
            state.waitingSince = begins ? since ?? now : nil
            if begins { return since == nil ? .queued : nil }
            return since.map { .admitted(after: now - $0) }
        }
    }

    func leads(to ending: HopSummary.Ending) { state.withLock { $0.ending = ending } }

    func memberFailed(_ error: AsyncNetError?) { state.withLock { $0.memberFailure = error } }

    /// The summary of the hop if it ended in this way now.
    func summary(_ ending: HopSummary.Ending) -> HopSummary {
        let now = record.elapsed
        return state.withLock { state in
            var summary = state.summary
            guard !state.isOver else { return summary }
            summary.ending = state.ending ?? ending
            if case .cancelled = summary.ending, let error = state.memberFailure { summary.ending = .init(error) }
            summary.duration = now - summary.metrics.start
            return summary
        }
    }

    func end(_ ending: HopSummary.Ending) -> HopSummary {
        let summary = summary(ending)
        return state.withLock { state in
            if !state.isOver { (state.isOver, state.summary) = (true, summary) }
            return state.summary
        }
    }

    func endTrace() {
        traced.withLock { traced in traced.take()?.ended(state.withLock { $0.summary }) }
    }
}
