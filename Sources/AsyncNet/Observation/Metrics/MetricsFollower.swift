/// Counts a request's steps, in an object of the request's own: what concerns the request alone takes no lock that other
/// requests wait for.
///
/// A step is an event, or, if nobody else observes the session's requests, a call of a function for it: events are most of
/// what a monitor costs.
final class MetricsFollower: RequestFollower {
    private struct State {
        var track = RequestTrack()
        /// What was begun before the end is counted by it, and a step after it belongs to nothing.
        var isOver = false
    }

    private let monitor: MetricsMonitor
    private let clock: EventClock
    private let state = Locked(State())

    init(_ monitor: MetricsMonitor, _ clock: EventClock) { (self.monitor, self.clock) = (monitor, clock) }

    func receiveNow(_ event: SessionEvent) {
        guard event.event.isMeasured else { return }
        state.withLock { state in
            monitor.shards.withLock { $0.receive(event, &state.track) }
            if case .finished = event.event { state.isOver = true }
        }
    }

    // MARK: Steps without an event

    func beginAttempt(_ head: HTTPRequestHead, _ template: String?) { update { $0.beginAttempt(head, template) } }

    func beginHop(_ number: Int, _ head: HTTPRequestHead, _ template: String?) {
        let instant = clock.instant
        update { track in
            guard track.hasBegun else { return }
            monitor.shards.withLock { $0.beginHop(number, head, template, at: instant, &track) }
        }
    }

    func received(_ head: HTTPResponseHead, _ hop: Int) { update { $0.update(hop) { $0.receive(head) } } }

    func replaced(_ head: HTTPResponseHead, _ hop: Int) { update { $0.replace(hop, head) } }

    func failed(_ error: AsyncNetError, _ hop: Int) {
        let instant = clock.instant
        update { track in monitor.shards.withLock { $0.failed(error, hop, at: instant, &track) } }
    }

    func cached(_ outcome: CacheOutcome) {
        update { track in monitor.shards.withLock { $0.cached(outcome, &track) } }
    }

    func measured(_ metrics: TransportMetrics, _ hop: Int) {
        update { track in monitor.shards.withLock { $0.measured(metrics, hop, &track) } }
    }

    func endTransfer(_ hop: Int) {
        let instant = clock.instant
        update { track in monitor.shards.withLock { $0.endTransfer(hop, at: instant, &track) } }
    }

    /// - Parameters:
    ///   - head: The head that was sent last, or would have been sent.
    ///   - template: Its URL's template.
    func finish(_ end: RequestEnd, _ head: HTTPRequestHead?, _ template: String?) {
        let instant = clock.instant
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            if !state.track.hasBegun, let head { state.track.beginAttempt(head, template) }
            monitor.shards.withLock { $0.finish(end, at: instant, &state.track) }
        }
    }

    func decoded(after time: Duration, _ error: AsyncNetError?) {
        monitor.shards.withLock { $0.decoded(after: time, error) }
    }

    private func update(_ change: (inout RequestTrack) -> Void) {
        state.withLock { state in
            guard !state.isOver else { return }
            change(&state.track)
        }
    }
}

/// The requests whose events a program passes to a monitor itself.
struct RequestTracks: Sendable {
    private var tracks: [RequestID: RequestTrack] = [:]
    private let limit: Int

    /// - Parameter limit: How many requests are followed at a time.
    init(limit: Int = 100_000) { self.limit = max(2, limit) }

    var count: Int { tracks.count }

    mutating func receive(_ event: SessionEvent, _ state: inout MetricsState) {
        var track = tracks.removeValue(forKey: event.requestID) ?? RequestTrack()
        state.receive(event, &track)
        if track.hasBegun { tracks[event.requestID] = track }
        if tracks.count > limit { forgetOldest(&state) }
    }

    /// Forgets the older half of the requests: those whose ends were lost would otherwise be kept for ever.
    private mutating func forgetOldest(_ state: inout MetricsState) {
        let ids = tracks.keys.sorted()
        for id in ids.prefix(ids.count / 2) {
            if let track = tracks.removeValue(forKey: id) { state.forget(track) }
        }
    }
}

extension RequestEvent {
    /// Whether a metric is made of the event.
    var isMeasured: Bool {
        switch self {
        case .created, .resumed, .suspended, .adapted, .validated, .connected, .sent, .informational, .sentBody,
            .receivedBody, .requestBody, .responseBody, .cookiesStored:
            false
        default: true
        }
    }
}
