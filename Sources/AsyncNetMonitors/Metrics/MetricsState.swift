import AsyncNet
import Foundation

/// The counts and measurements of hops with the same labels.
struct HopValues: Sendable {
    var duration = Distribution(bounds: MetricBuckets.durations)
    var requestBody = Distribution(bounds: MetricBuckets.sizes)
    var responseBody = Distribution(bounds: MetricBuckets.sizes)
}

/// The counts and measurements of a ``MetricsMonitor``.
struct MetricsState: Sendable {
    private(set) var table: EndpointTable
    /// The state of each request whose first attempt has begun and that has not ended.
    private var tracks: [RequestID: RequestTrack] = [:]
    private let trackLimit: Int
    /// The values of each endpoint, indexed by the endpoint's number.
    private var endpoints: [EndpointValues] = []
    private(set) var hops: MetricFamily<HopValues>
    private(set) var outcomes: MetricFamily<Distribution>
    private(set) var decodings: MetricFamily<Distribution>
    private(set) var retries: MetricFamily<Int>
    private(set) var refreshes: MetricFamily<Int>
    private(set) var lostEvents = 0

    /// - Parameters:
    ///   - limit: How many sets of labels a metric has. All further ones are counted together, as its overflow.
    ///   - methods: The methods that are values of `http.request.method`; others are `_OTHER`.
    ///   - trackLimit: How many requests are followed at a time.
    init(limit: Int, methods: Set<HTTPMethod>, trackLimit: Int = 100_000) {
        let limit = max(1, limit)
        self.trackLimit = max(2, trackLimit)
        table = EndpointTable(limit: limit, methods: methods)
        hops = MetricFamily(limit: limit, HopValues())
        outcomes = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        decodings = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        (retries, refreshes) = (MetricFamily(limit: limit, 0), MetricFamily(limit: limit, 0))
    }

    // MARK: Endpoints

    /// The values of an endpoint, which must not be `none`.
    subscript(index: EndpointTable.Index) -> EndpointValues {
        get { endpoints.indices.contains(index.number) ? endpoints[index.number] : EndpointValues() }
        _modify {
            let number = max(0, index.number)
            while endpoints.count <= number { endpoints.append(EndpointValues()) }
            yield &endpoints[number]
        }
    }

    /// The endpoint of the track's latest hop. The endpoint of a new attempt is looked up at its first use.
    private mutating func endpoint(of track: inout RequestTrack) -> EndpointTable.Index {
        if let (head, template) = track.newAttempt.take() { track.endpoint = table.index(of: head, template) }
        return track.endpoint
    }

    // MARK: Events

    mutating func receive(_ event: SessionEvent) {
        var track = tracks.removeValue(forKey: event.requestID) ?? RequestTrack()
        receive(event, &track)
        if track.hasBegun { tracks[event.requestID] = track }
        if tracks.count > trackLimit { forgetOldest() }
    }

    /// Forgets the older half of the requests: a request whose end was lost would otherwise be kept for ever.
    private mutating func forgetOldest() {
        let ids = tracks.keys.sorted()
        for id in ids.prefix(ids.count / 2) {
            if let track = tracks.removeValue(forKey: id) { forget(track) }
        }
    }

    /// How many requests have a track.
    var trackCount: Int { tracks.count }

    /// - Parameter track: The state of the event's request.
    private mutating func receive(_ event: SessionEvent, _ track: inout RequestTrack) {
        if event.lostBefore > 0 { lostEvents &+= event.lostBefore }
        switch event.event {
        case .attempt(_, let head): track.beginAttempt(head, event.urlTemplate)
        case .finished(let error): finish(error, event, &track)
        case .decoded(_, let time, let error):
            decodings.update(MetricLabelSet(errorType: SemanticConventions.errorType(ofOutcomeWith: nil, error))) {
                $0.add(time)
            }
        case .refreshed(let error, _):
            refreshes.update(MetricLabelSet(errorType: SemanticConventions.errorType(ofOutcomeWith: nil, error))) {
                $0 += 1
            }
        case .retried(let error, _): retry(error, &track)
        default: if track.hasBegun { receive(event, ofAttempt: &track) }
        }
    }

    private mutating func receive(_ event: SessionEvent, ofAttempt track: inout RequestTrack) {
        switch event.event {
        case .hop(let head): beginHop(head, event, &track)
        case .hopEnded(let summary):
            if case .redirected = summary.ending { track.isRedirected = true }
            if let endpoint = track.close(event) { endHop(summary, endpoint) }
        case .queued:
            _ = endpoint(of: &track)
            track.wait(since: event.instant)
            self[track.waitEndpoint].queued += 1
        case .admitted(let time): if track.endWait() { self[track.waitEndpoint].endWait(time) }
        case .shared: self[endpoint(of: &track)].shared += 1
        case .hedged: self[endpoint(of: &track)].hedges += 1
        case .repeated: self[endpoint(of: &track)].repeats += 1
        case .cached(let outcome): self[endpoint(of: &track)].cached[outcome, default: 0] += 1
        default: break
        }
    }
}

// MARK: Attempts and outcomes

extension MetricsState {
    private mutating func retry(_ error: AsyncNetError?, _ track: inout RequestTrack) {
        let endpoint = endpoint(of: &track)
        let type = SemanticConventions.errorType(ofOutcomeWith: error?.statusCode, error)
        retries.update(MetricLabelSet(endpoint: endpoint, errorType: type)) { $0 += 1 }
    }

    private mutating func finish(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let summary = event.summary
        if !track.hasBegun, let head = summary?.request { track.beginAttempt(head, summary?.urlTemplate) }
        _ = endpoint(of: &track)
        for _ in 0..<track.waits { self[track.waitEndpoint].endWait(event.instant - track.waitingSince) }
        let status = summary?.response?.statusCode
        let type = SemanticConventions.errorType(ofOutcomeWith: status, error)
        let labels = MetricLabelSet(endpoint: track.first, status: status, errorType: type)
        outcomes.update(labels) { $0.add(summary?.metrics.total ?? .zero) }
        track = RequestTrack()
    }

    /// Ends the hops and waits of a request whose end was lost, so that they do not count as running.
    private mutating func forget(_ track: RequestTrack) {
        for hop in track.hops { self[hop.endpoint].active -= 1 }
        if track.waits > 0 { self[track.waitEndpoint].queued -= track.waits }
    }
}

// MARK: Hops

extension MetricsState {
    private mutating func beginHop(_ head: HTTPRequestHead, _ event: SessionEvent, _ track: inout RequestTrack) {
        // A hop after a redirect has no template: the request's template does not fit the redirect's target.
        let isFirst = track.newAttempt != nil
        let endpoint =
            isFirst ? endpoint(of: &track) : table.index(of: head, track.isRedirected ? nil : event.urlTemplate)
        track.open(event, endpoint)
        self[endpoint].active += 1
    }

    private mutating func endHop(_ summary: HopSummary, _ endpoint: EndpointTable.Index) {
        let transport = summary.metrics.transport
        self[endpoint].active -= 1
        if case .redirected = summary.ending { self[endpoint].redirects += 1 }
        if let isReused = transport.isConnectionReused { self[endpoint].countConnection(isReused: isReused) }
        if let expiry = transport.certificateExpiry {
            self[endpoint].certificateExpiry = Int(expiry.timeIntervalSince1970)
        }
        let version = transport.httpVersion ?? summary.response?.httpVersion
        let labels = MetricLabelSet(
            endpoint: endpoint, status: summary.response?.statusCode,
            version: version.map(SemanticConventions.version), errorType: SemanticConventions.errorType(of: summary))
        hops.update(labels) { values in
            values.duration.add(summary.duration)
            values.requestBody.add(size: transport.wireBytes?.sentBody ?? summary.sentBytes)
            values.responseBody.add(size: transport.wireBytes?.receivedBody ?? summary.receivedBytes)
        }
    }
}
