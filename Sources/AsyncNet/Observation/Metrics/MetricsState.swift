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
        case .finished(let error): finish(error, event, &track)
        case .decoded(_, let time, let error):
            decodings.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0.add(time) }
        case .refreshed(let error, _):
            refreshes.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0 += 1 }
        case .retried(let error, _): retry(error, event, &track)
        default: if track.hasBegun { receive(event, ofAttempt: &track) }
        }
    }

    /// A step of an attempt.
    private mutating func receive(_ event: SessionEvent, ofAttempt track: inout RequestTrack) {
        switch event.event {
        case .hop(let head): beginHop(head, event, &track)
        case .queued: queue(event.instant, &track)
        case .admitted(let time): admit(time, &track)
        case .shared: endpoints[endpoint(of: &track)].shared += 1
        case .hedged: endpoints[endpoint(of: &track)].hedges += 1
        case .repeated: endpoints[endpoint(of: &track)].repeats += 1
        case .connected(let connection): endpoints[endpoint(of: &track)].count(connection)
        case .response(let head): track.receive(head, event.hop)
        case .transferred(let metrics): endTransfer(metrics, event, &track)
        case .challenged(let head): close(head, event, &track)
        case .redirected(let head, _):
            endpoints[endpoint(of: &track)].redirects += 1
            track.isRedirected = true
            close(head, event, &track)
        default: break
        }
    }

    /// Where the attempt that runs goes. Found when it is needed first.
    private mutating func endpoint(of track: inout RequestTrack) -> EndpointTable.Index {
        if let (head, template) = track.newAttempt.take() { track.endpoint = endpoints.index(of: head, template) }
        return track.endpoint
    }

    /// Ends what counts as running of a request whose end was lost.
    mutating func forget(_ track: RequestTrack) {
        for hop in track.hops where hop.end == nil { endpoints[hop.endpoint].active -= 1 }
        if track.waits > 0 { endpoints[track.waitEndpoint].queued -= track.waits }
    }
}

// MARK: Attempts and outcomes

extension MetricsState {
    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let endpoint = endpoint(of: &track)
        let type = MetricLabels.errorType(ofOutcomeWith: error?.responseCode, error)
        retries.update(MetricLabelSet(endpoint: endpoint, errorType: type)) { $0 += 1 }
        for hop in track.closeAll() { record(hop, event.instant, error) }
    }

    private mutating func finish(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let ending = event.ending
        if !track.hasBegun, let head = ending?.summary.request { track.beginAttempt(head, ending?.summary.urlTemplate) }
        _ = endpoint(of: &track)
        end(track, error, event.instant, ending)
        let status = ending?.summary.response?.statusCode
        let type = MetricLabels.errorType(ofOutcomeWith: status, error)
        outcomes.update(MetricLabelSet(endpoint: track.first, status: status, errorType: type)) {
            $0.add(ending?.summary.metrics.total ?? .zero)
        }
        track = RequestTrack()
    }

    private mutating func end(
        _ track: RequestTrack, _ error: AsyncNetError?, _ instant: Duration, _ ending: SessionEvent.Ending?
    ) {
        let (sent, received) = (ending?.summary.metrics.sentBytes, ending?.summary.metrics.receivedBytes)
        for (index, hop) in track.hops.enumerated() {
            let isLast = index == track.deliveredHop
            record(hop, instant, error, sent: isLast ? sent : nil, received: isLast ? received : nil)
        }
        for _ in 0..<track.waits { endpoints[track.waitEndpoint].endWait(instant - track.waitingSince) }
    }
}

// MARK: Permits

extension MetricsState {
    private mutating func queue(_ instant: Duration, _ track: inout RequestTrack) {
        _ = endpoint(of: &track)
        track.wait(since: instant)
        endpoints[track.waitEndpoint].queued += 1
    }

    private mutating func admit(_ time: Duration, _ track: inout RequestTrack) {
        guard track.endWait() else { return }
        endpoints[track.waitEndpoint].endWait(time)
    }
}

// MARK: Hops

extension MetricsState {
    private mutating func beginHop(_ head: HTTPRequestHead, _ event: SessionEvent, _ track: inout RequestTrack) {
        // The head of an attempt's first hop goes where the attempt's own head goes.
        let isFirst = track.newAttempt != nil
        let endpoint =
            isFirst
            ? endpoint(of: &track) : endpoints.index(of: head, track.isRedirected ? nil : event.urlTemplate)
        track.open(event.hop, endpoint, at: event.instant)
        endpoints[endpoint].active += 1
    }

    /// The hop is not active any more; whether it failed, the attempt's outcome decides.
    private mutating func endTransfer(
        _ metrics: TransportMetrics, _ event: SessionEvent, _ track: inout RequestTrack
    ) {
        var ended: EndpointTable.Index?
        track.update(event.hop) { hop in
            if hop.end == nil { ended = hop.endpoint }
            hop.end = event.instant
            hop.version = metrics.httpVersion ?? hop.version
            hop.wireBytes = metrics.wireBytes
        }
        if let ended { endpoints[ended].active -= 1 }
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
        if hop.end == nil { endpoints[hop.endpoint].active -= 1 }
        let labels = MetricLabelSet(
            endpoint: hop.endpoint, status: hop.status, version: hop.version.map(SemanticConventions.version),
            errorType: SemanticConventions.errorType(ofHopWith: hop.status, error))
        hops.update(labels) { values in
            values.duration.add((hop.end ?? instant) - hop.start)
            values.requestBody.add(size: hop.wireBytes?.sentBody ?? sent)
            values.responseBody.add(size: hop.wireBytes?.receivedBody ?? received)
        }
    }
}
