/// What is counted of hops with the same labels.
struct HopValues: Sendable {
    var duration = Distribution(bounds: MetricBuckets.durations)
    var requestBody = Distribution(bounds: MetricBuckets.sizes)
    var responseBody = Distribution(bounds: MetricBuckets.sizes)
}

/// All that a ``MetricsMonitor`` has counted, and the requests that run.
struct MetricsState: Sendable {
    private(set) var endpoints: EndpointTable
    private(set) var hops: MetricFamily<HopValues>
    private(set) var outcomes: MetricFamily<Distribution>
    private(set) var decodings: MetricFamily<Distribution>
    private(set) var retries: MetricFamily<Int>
    private(set) var refreshes: MetricFamily<Int>
    private(set) var lostEvents = 0
    /// The requests that have begun an attempt and have not ended.
    private var tracks: [RequestID: RequestTrack] = [:]
    private let trackLimit: Int

    /// - Parameters:
    ///   - limit: How many sets of labels a metric has besides its overflow.
    ///   - methods: The methods that are labels.
    ///   - trackLimit: How many requests are followed at a time.
    init(limit: Int, methods: Set<HTTPMethod>, trackLimit: Int = 100_000) {
        let limit = max(1, limit)
        self.trackLimit = max(2, trackLimit)
        endpoints = EndpointTable(limit: limit, methods: methods)
        hops = MetricFamily(limit: limit, HopValues())
        outcomes = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        decodings = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        (retries, refreshes) = (MetricFamily(limit: limit, 0), MetricFamily(limit: limit, 0))
    }

    var trackCount: Int { tracks.count }

    /// The values alone.
    var withoutTracks: MetricsState {
        var copy = self
        copy.tracks = [:]
        return copy
    }

    // MARK: Events

    mutating func receive(_ event: SessionEvent) {
        if event.lostBefore > 0 { lostEvents &+= event.lostBefore }
        switch event.event {
        case .attempt(_, let head): beginAttempt(head, event)
        case .hop(let head): beginHop(head, event)
        case .finished(let error): finish(error, event)
        case .decoded(_, let time, let error):
            decodings.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0.add(time) }
        case .refreshed(let error, _):
            refreshes.update(MetricLabelSet(errorType: MetricLabels.errorType(error))) { $0 += 1 }
        case .retried(let error, _): retry(error, event)
        default:
            guard let slot = tracks.index(forKey: event.requestID) else { return }
            receive(event, slot)
        }
    }

    private typealias Slot = Dictionary<RequestID, RequestTrack>.Index

    /// A step of an attempt.
    private mutating func receive(_ event: SessionEvent, _ slot: Slot) {
        let endpoint = tracks.values[slot].endpoint
        switch event.event {
        case .queued: queue(event.instant, slot)
        case .admitted(let time): admit(time, slot)
        case .shared: endpoints[endpoint].shared += 1
        case .hedged: endpoints[endpoint].hedges += 1
        case .repeated: endpoints[endpoint].repeats += 1
        case .connected(let connection): endpoints[endpoint].count(connection)
        case .response(let head): tracks.values[slot].update(event.hop) { $0.receive(head) }
        case .transferred(let metrics): endTransfer(metrics, event, slot)
        case .challenged(let head): close(head, event, slot)
        case .redirected(let head, _):
            endpoints[endpoint].redirects += 1
            tracks.values[slot].isRedirected = true
            close(head, event, slot)
        default: break
        }
    }
}

// MARK: Attempts and outcomes

extension MetricsState {
    private mutating func beginAttempt(_ head: HTTPRequestHead, _ event: SessionEvent) {
        let endpoint = endpoints.index(of: head, event.urlTemplate)
        if let slot = tracks.index(forKey: event.requestID) {
            (tracks.values[slot].endpoint, tracks.values[slot].isRedirected) = (endpoint, false)
        } else {
            if tracks.count >= trackLimit { forgetOldest() }
            tracks[event.requestID] = RequestTrack(endpoint)
        }
    }

    /// Forgets the older half of the requests: those whose ends were lost would otherwise be kept for ever.
    private mutating func forgetOldest() {
        let ids = tracks.keys.sorted()
        for id in ids.prefix(ids.count / 2) {
            guard let track = tracks.removeValue(forKey: id) else { continue }
            for hop in track.hops where hop.end == nil { endpoints[hop.endpoint].active -= 1 }
            if track.waits > 0 { endpoints[track.waitEndpoint].queued -= track.waits }
        }
    }

    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent) {
        let slot = tracks.index(forKey: event.requestID)
        let type = MetricLabels.errorType(ofOutcomeWith: error?.responseCode, error)
        let labels = MetricLabelSet(endpoint: slot.map { tracks.values[$0].endpoint } ?? .none, errorType: type)
        retries.update(labels) { $0 += 1 }
        guard let slot else { return }
        for hop in tracks.values[slot].closeAll() { record(hop, event.instant, error) }
    }

    private mutating func finish(_ error: AsyncNetError?, _ event: SessionEvent) {
        let track = tracks.removeValue(forKey: event.requestID)
        if let track { end(track, error, event) }
        let endpoint =
            track?.first ?? event.summary?.request.map { endpoints.index(of: $0, event.summary?.urlTemplate) }
        let status = event.summary?.response?.statusCode
        let type = MetricLabels.errorType(ofOutcomeWith: status, error)
        outcomes.update(MetricLabelSet(endpoint: endpoint ?? .none, status: status, errorType: type)) {
            $0.add(event.summary?.metrics.total ?? .zero)
        }
    }

    private mutating func end(_ track: RequestTrack, _ error: AsyncNetError?, _ event: SessionEvent) {
        let (sent, received) = (event.summary?.metrics.sentBytes, event.summary?.metrics.receivedBytes)
        for (index, hop) in track.hops.enumerated() {
            let isLast = index == track.deliveredHop
            record(hop, event.instant, error, sent: isLast ? sent : nil, received: isLast ? received : nil)
        }
        for _ in 0..<track.waits { endpoints[track.waitEndpoint].endWait(event.instant - track.waitingSince) }
    }
}

// MARK: Permits

extension MetricsState {
    private mutating func queue(_ instant: Duration, _ slot: Slot) {
        tracks.values[slot].wait(since: instant)
        endpoints[tracks.values[slot].waitEndpoint].queued += 1
    }

    private mutating func admit(_ time: Duration, _ slot: Slot) {
        guard tracks.values[slot].endWait() else { return }
        endpoints[tracks.values[slot].waitEndpoint].endWait(time)
    }
}

// MARK: Hops

extension MetricsState {
    private mutating func beginHop(_ head: HTTPRequestHead, _ event: SessionEvent) {
        guard let slot = tracks.index(forKey: event.requestID) else { return }
        let template = tracks.values[slot].isRedirected ? nil : event.urlTemplate
        let endpoint = endpoints.index(of: head, template)
        tracks.values[slot].open(event.hop, endpoint, at: event.instant)
        endpoints[endpoint].active += 1
    }

    /// The hop is not active any more; whether it failed, the attempt's outcome decides.
    private mutating func endTransfer(_ metrics: TransportMetrics, _ event: SessionEvent, _ slot: Slot) {
        var ended: EndpointTable.Index?
        tracks.values[slot].update(event.hop) { hop in
            if hop.end == nil { ended = hop.endpoint }
            hop.end = event.instant
            hop.version = metrics.httpVersion ?? hop.version
            hop.wireBytes = metrics.wireBytes
        }
        if let ended { endpoints[ended].active -= 1 }
    }

    /// Ends a hop that another hop follows.
    private mutating func close(_ head: HTTPResponseHead, _ event: SessionEvent, _ slot: Slot) {
        guard var hop = tracks.values[slot].close(event.hop) else { return }
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
