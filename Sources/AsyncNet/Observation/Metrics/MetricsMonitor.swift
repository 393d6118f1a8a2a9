/// Counts and measures all requests of the sessions that it monitors.
///
///     let metrics = MetricsMonitor()
///     let session = Session(configuration: .init(monitors: [metrics]))
///     metrics.prometheusText()                                // for a page that Prometheus reads
///     metrics.snapshot().requestDuration.percentile(0.99)     // within 1 percent
///
/// Names, units, labels and buckets are those of OpenTelemetry's semantic conventions for HTTP; in Prometheus's text `_`
/// is written for `.`, and the unit stands at the end. As these conventions require for spans, and for metrics to have
/// the durations of spans, each hop counts: what is sent again for a retry, a redirect or a challenge is a request of its
/// own in ``MetricsSnapshot/requestDuration``. A duration is that from ``RequestEvent/hop(_:)`` to the end of the
/// transfer, with the wait for a connection and the response's body. ``MetricsSnapshot/outcomeDuration`` has the requests
/// as the program made them.
///
/// A request is counted when it has ended, before its outcome is returned to the caller. An event takes less than a
/// microsecond on average. Memory is limited by `labelLimit`, whatever hosts are requested or redirected to: a set of
/// labels takes some kilobytes, at most 60. A monitor may be used by several sessions, and from any thread.
public final class MetricsMonitor: ImmediateMonitor {
    /// The methods that are values of `http.request.method`: those of RFC 9110 §9, PATCH (RFC 5789) and QUERY.
    public static let standardMethods: Set<HTTPMethod> = SemanticConventions.methods

    /// What is over and has not been added to `state` yet.
    enum Ended: Sendable {
        case request(RequestTrack, RequestEnd)
        case decoding(Duration, AsyncNetError?)
    }

    let state: Locked<MetricsState>
    let endpoints: Endpoints
    private let ended = Locked<[Ended]>([])
    private let passed = Locked(RequestTracks())

    /// How much is added at a time: for one after the other, code and values would have left the processor's cache.
    private static let batchSize = 64

    /// Makes a monitor that has counted nothing.
    ///
    /// - Parameters:
    ///   - labelLimit: How many sets of labels each metric has, 1,000 by default and 1 at least. What has other labels
    ///     counts under the single label `otel.metric.overflow`, so that sums stay correct.
    ///   - methods: The methods that are values of `http.request.method`; others are `_OTHER`.
    public init(labelLimit: Int = 1000, methods: Set<HTTPMethod> = MetricsMonitor.standardMethods) {
        let state = MetricsState(limit: labelLimit, methods: methods)
        endpoints = state.endpoints
        self.state = Locked(state)
    }

    func add(_ new: Ended) {
        let isBatch = ended.withLock { ended in
            if ended.capacity == 0 { ended.reserveCapacity(Self.batchSize) }
            ended.append(new)
            return ended.count >= Self.batchSize
        }
        if isBatch { state.withLock { addEnded(to: &$0) } }
    }

    /// Called with the lock of `state`, so that nobody who reads it misses what is taken here.
    private func addEnded(to state: inout MetricsState) {
        let batch = ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
        for ended in batch {
            switch ended {
            case .request(let track, let end): state.add(track, end)
            case .decoding(let time, let error): state.decoded(after: time, error)
            }
        }
    }

    /// All values up to now.
    private var current: MetricsState {
        state.withLock { state in
            addEnded(to: &state)
            return state
        }
    }

    /// Nothing that costs time.
    public var interests: EventInterests { .minimal }

    func follower(of id: RequestID, _ clock: EventClock) -> any RequestFollower { MetricsFollower(self, clock) }

    /// Receives an event from a program that passes events on. Those of a session's requests come by `follower(of:_:)`.
    func receiveNow(_ event: SessionEvent) {
        guard event.event.isMeasured || event.lostBefore > 0 else { return }
        passed.withLock { tracks in state.withLock { tracks.receive(event, &$0) } }
    }

    /// All values up to now.
    public func snapshot() -> MetricsSnapshot { MetricsSnapshot(current) }

    /// All values up to now in Prometheus's text format, version 0.0.4; the same values always make the same text.
    public func prometheusText() -> String { snapshot().prometheusText() }
}
