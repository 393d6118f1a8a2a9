/// Counts a request's events, which it receives from the request itself. What concerns the request alone takes no lock
/// that other requests wait for.
final class MetricsFollower: RequestFollower {
    private let monitor: MetricsMonitor
    private let track = Locked(RequestTrack())

    init(_ monitor: MetricsMonitor) { self.monitor = monitor }

    func receiveNow(_ event: SessionEvent) {
        switch event.event {
        case .attempt(_, let head): track.withLock { $0.beginAttempt(head, event.urlTemplate) }
        case .response(let head): track.withLock { $0.receive(head, event.hop) }
        default:
            guard event.event.isMeasured else { return }
            track.withLock { track in monitor.state.withLock { $0.receive(event, &track) } }
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
        case .created, .resumed, .suspended, .adapted, .validated, .sent, .informational, .sentBody, .receivedBody,
            .requestBody, .responseBody, .cookiesStored:
            false
        default: true
        }
    }
}
