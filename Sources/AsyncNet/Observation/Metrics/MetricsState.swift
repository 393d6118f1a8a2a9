/// What is counted of hops with the same labels.
struct HopValues: Sendable {
    var duration = Distribution(bounds: MetricBuckets.durations)
    var requestBody = Distribution(bounds: MetricBuckets.sizes)
    var responseBody = Distribution(bounds: MetricBuckets.sizes)
}

/// All that a ``MetricsMonitor`` has counted.
struct MetricsState: Sendable {
    private(set) var endpoints: EndpointTable
    private(set) var hops: MetricFamily<HopValues>
    private(set) var outcomes: MetricFamily<Distribution>
    private(set) var decodings: MetricFamily<Distribution>
    private(set) var retries: MetricFamily<Int>
    private(set) var refreshes: MetricFamily<Int>
    private(set) var lostEvents = 0
    var connections: ConnectionTable

    /// - Parameters:
    ///   - limit: How many sets of labels a metric has besides its overflow.
    ///   - methods: The methods that are labels.
    init(limit: Int, methods: Set<HTTPMethod>) {
        let limit = max(1, limit)
        endpoints = EndpointTable(limit: limit, methods: methods)
        hops = MetricFamily(limit: limit, HopValues())
        outcomes = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        decodings = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        connections = ConnectionTable(limit: limit)
        (retries, refreshes) = (MetricFamily(limit: limit, 0), MetricFamily(limit: limit, 0))
    }

    // MARK: Events

    /// - Parameter track: What is kept of the event's request.
    mutating func receive(_ event: SessionEvent, _ track: inout RequestTrack) {
        if event.lostBefore > 0 { lostEvents &+= event.lostBefore }
        switch event.event {
        case .attempt(_, let head): track.beginAttempt(head, event.urlTemplate)
        case .finished(let error):
            let summary = event.ending?.summary
            if !track.hasBegun, let head = summary?.request { track.beginAttempt(head, summary?.urlTemplate) }
            finish(RequestEnd(error, summary, at: event.instant), &track)
        case .decoded(_, let time, let error): decoded(after: time, error)
        case .refreshed(let error, _):
            refreshes.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0 += 1 }
        case .retried(let error, _): retry(error, event, &track)
        default: if track.hasBegun { receive(event, ofAttempt: &track) }
        }
    }

    /// A step of an attempt.
    private mutating func receive(_ event: SessionEvent, ofAttempt track: inout RequestTrack) {
        switch event.event {
        case .hop(let head): beginHop(event.hop, head, event.urlTemplate, at: event.instant, &track)
        case .queued:
            _ = endpoint(of: &track)
            track.wait(since: event.instant)
        case .admitted(let time): track.endWait(time)
        case .shared: endpoint(of: &track)?.shared.add(1)
        case .hedged: endpoint(of: &track)?.hedges.add(1)
        case .repeated: endpoint(of: &track)?.repeats.add(1)
        case .connected(let connection):
            guard let isReused = connection.isReused else { return }
            endpoint(of: &track)?.countConnection(isReused: isReused)
        case .response(let head): track.update(event.hop) { $0.receive(head) }
        case .transferred(let metrics):
            track.update(event.hop) { hop in
                hop.measured(metrics)
                hop.endTransfer(at: event.instant)
            }
        case .challenged(let head): close(head, event, &track)
        case .redirected(let head, _):
            endpoint(of: &track)?.redirects.add(1)
            track.isRedirected = true
            close(head, event, &track)
        default: break
        }
    }

    /// Where the attempt that runs goes; `nil` before the first. Found when it is needed first.
    private mutating func endpoint(of track: inout RequestTrack) -> EndpointCounts? {
        if let (head, template) = track.newAttempt.take() { track.endpoint = endpoints.counts(of: head, template) }
        return track.endpoint
    }
}

// MARK: Attempts and outcomes

/// How a request ended.
struct RequestEnd: Sendable {
    let instant: Duration
    let error: AsyncNetError?
    let status: Int?
    let total: Duration
    let sentBytes: Int64?
    let receivedBytes: Int64?

    init(_ error: AsyncNetError?, _ summary: RequestSummary?, at instant: Duration) {
        (self.instant, self.error, status) = (instant, error, summary?.response?.statusCode)
        let metrics = summary?.metrics
        (total, sentBytes, receivedBytes) = (metrics?.total ?? .zero, metrics?.sentBytes, metrics?.receivedBytes)
    }

    init(_ outcome: TransferOutcome, at instant: Duration) {
        (self.instant, error, status) = (instant, outcome.error, outcome.head?.statusCode)
        total = outcome.metrics.total
        (sentBytes, receivedBytes) = (outcome.metrics.sentBytes, outcome.metrics.receivedBytes)
    }
}

extension MetricsState {
    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let endpoint = endpoint(of: &track)
        let type = MetricLabels.errorType(ofOutcomeWith: error?.responseCode, error)
        retries.update(MetricLabelSet(endpoint: endpoint?.index ?? .none, errorType: type)) { $0 += 1 }
        for hop in track.closeAll() { record(hop, event.instant, error) }
    }

    mutating func finish(_ end: RequestEnd, _ track: inout RequestTrack) {
        _ = endpoint(of: &track)
        for (index, hop) in track.hops.enumerated() {
            let isLast = index == track.deliveredHop
            record(
                hop, end.instant, end.error, sent: isLast ? end.sentBytes : nil,
                received: isLast ? end.receivedBytes : nil)
        }
        track.endWaits(at: end.instant)
        let type = MetricLabels.errorType(ofOutcomeWith: end.status, end.error)
        let labels = MetricLabelSet(endpoint: track.first?.index ?? .none, status: end.status, errorType: type)
        outcomes.update(labels) { $0.add(end.total) }
        track = RequestTrack()
    }

    mutating func decoded(after time: Duration, _ error: AsyncNetError?) {
        decodings.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0.add(time) }
    }
}

// MARK: Hops

extension MetricsState {
    mutating func beginHop(
        _ number: Int, _ head: HTTPRequestHead, _ template: String?, at instant: Duration, _ track: inout RequestTrack
    ) {
        // The head of an attempt's first hop goes where the attempt's own head goes.
        let first = track.newAttempt == nil ? nil : endpoint(of: &track)
        track.open(
            number, first ?? endpoints.counts(of: head, track.isRedirected ? nil : template), at: instant)
    }

    /// Ends a hop that another hop follows.
    private mutating func close(_ head: HTTPResponseHead, _ event: SessionEvent, _ track: inout RequestTrack) {
        guard var hop = track.close(event.hop) else { return }
        hop.receive(head)
        record(hop, event.instant, nil)
    }

    /// - Parameters:
    ///   - sent: The size of the request's body, for a transport that does not report it.
    ///   - received: The size of the response's body.
    private mutating func record(
        _ hop: OpenHop, _ instant: Duration, _ error: AsyncNetError?, sent: Int64? = nil, received: Int64? = nil
    ) {
        if hop.end == nil { hop.endpoint.active.add(-1) }
        let labels = MetricLabelSet(
            endpoint: hop.endpoint.index, status: hop.status, version: hop.version.map(SemanticConventions.version),
            errorType: SemanticConventions.errorType(ofHopWith: hop.status, error))
        hops.update(labels) { values in
            values.duration.add((hop.end ?? instant) - hop.start)
            values.requestBody.add(size: hop.wireBytes?.sentBody ?? sent)
            values.responseBody.add(size: hop.wireBytes?.receivedBody ?? received)
        }
    }
}
