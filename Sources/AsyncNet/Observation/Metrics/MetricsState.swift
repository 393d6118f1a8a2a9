/// What is counted of hops with the same labels.
struct HopValues: Sendable {
    var duration = Distribution(bounds: MetricBuckets.durations)
    var requestBody = Distribution(bounds: MetricBuckets.sizes)
    var responseBody = Distribution(bounds: MetricBuckets.sizes)
}

/// All that a ``MetricsMonitor`` has counted.
struct MetricsState: Sendable {
    let endpoints: Endpoints
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
        endpoints = Endpoints(limit: limit, methods: methods)
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
            track.finish(at: event.instant, endpoints)
            add(track, RequestEnd(error, summary))
            track = RequestTrack()
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
        case .hop(let head): track.beginHop(event.hop, head, event.urlTemplate, at: event.instant, endpoints)
        case .queued:
            _ = track.endpoint(among: endpoints)
            track.wait(since: event.instant)
        case .admitted(let time): track.endWait(time)
        case .shared: track.endpoint(among: endpoints)?.shared.add(1)
        case .hedged: track.endpoint(among: endpoints)?.hedges.add(1)
        case .repeated: track.endpoint(among: endpoints)?.repeats.add(1)
        case .connected(let connection):
            guard let isReused = connection.isReused else { return }
            track.endpoint(among: endpoints)?.countConnection(isReused: isReused)
        case .response(let head): track.update(event.hop) { $0.receive(head) }
        case .transferred(let metrics):
            track.update(event.hop) { hop in
                hop.measured(metrics)
                hop.endTransfer(at: event.instant)
            }
        case .challenged(let head): close(head, event, &track)
        case .redirected(let head, _):
            track.endpoint(among: endpoints)?.redirects.add(1)
            track.isRedirected = true
            close(head, event, &track)
        default: break
        }
    }
}

// MARK: Attempts and outcomes

/// How a request ended.
struct RequestEnd: Sendable {
    let error: AsyncNetError?
    let status: Int?
    let total: Duration
    let sentBytes: Int64?
    let receivedBytes: Int64?

    init(_ error: AsyncNetError?, _ summary: RequestSummary?) {
        (self.error, status) = (error, summary?.response?.statusCode)
        let metrics = summary?.metrics
        (total, sentBytes, receivedBytes) = (metrics?.total ?? .zero, metrics?.sentBytes, metrics?.receivedBytes)
    }

    init(_ outcome: TransferOutcome) {
        (error, status, total) = (outcome.error, outcome.head?.statusCode, outcome.metrics.total)
        (sentBytes, receivedBytes) = (outcome.metrics.sentBytes, outcome.metrics.receivedBytes)
    }
}

extension MetricsState {
    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let endpoint = track.endpoint(among: endpoints)
        let type = MetricLabels.errorType(ofOutcomeWith: error?.responseCode, error)
        retries.update(MetricLabelSet(endpoint: endpoint?.index ?? .none, errorType: type)) { $0 += 1 }
        for var hop in track.takeHops() {
            hop.close(at: event.instant)
            add(hop, error)
        }
    }

    /// Adds a request that is over.
    mutating func add(_ track: RequestTrack, _ end: RequestEnd) {
        let delivered = track.deliveredHop
        for index in track.hops.indices {
            let isLast = index == delivered
            add(
                track.hops[index], end.error, sent: isLast ? end.sentBytes : nil,
                received: isLast ? end.receivedBytes : nil)
        }
        let type = MetricLabels.errorType(ofOutcomeWith: end.status, end.error)
        let labels = MetricLabelSet(endpoint: track.first?.index ?? .none, status: end.status, errorType: type)
        outcomes.update(labels) { $0.add(end.total) }
    }

    mutating func decoded(after time: Duration, _ error: AsyncNetError?) {
        decodings.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0.add(time) }
    }
}

// MARK: Hops

extension MetricsState {
    /// Ends a hop that another hop follows.
    private mutating func close(_ head: HTTPResponseHead, _ event: SessionEvent, _ track: inout RequestTrack) {
        guard var hop = track.close(event.hop, at: event.instant) else { return }
        hop.receive(head)
        add(hop, nil)
    }

    /// Adds a hop that is over.
    ///
    /// - Parameters:
    ///   - sent: The size of the request's body, for a transport that does not report it.
    ///   - received: The size of the response's body.
    private mutating func add(
        _ hop: OpenHop, _ error: AsyncNetError?, sent: Int64? = nil, received: Int64? = nil
    ) {
        let labels = MetricLabelSet(
            endpoint: hop.endpoint.index, status: hop.status, version: hop.version.map(SemanticConventions.version),
            errorType: SemanticConventions.errorType(ofHopWith: hop.status, error))
        hops.update(labels) { values in
            values.duration.add((hop.end ?? hop.start) - hop.start)
            values.requestBody.add(size: hop.wireBytes?.sentBody ?? sent)
            values.responseBody.add(size: hop.wireBytes?.receivedBody ?? received)
        }
    }
}
