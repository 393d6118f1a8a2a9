/// What is counted of hops with the same labels.
struct HopValues: Sendable {
    var duration = Distribution(bounds: MetricBuckets.durations)
    var requestBody = Distribution(bounds: MetricBuckets.sizes)
    var responseBody = Distribution(bounds: MetricBuckets.sizes)

    mutating func add(_ other: Self) {
        duration.add(other.duration)
        requestBody.add(other.requestBody)
        responseBody.add(other.responseBody)
    }
}

/// What a ``MetricsMonitor``, or a shard of it, has counted.
struct MetricsState: Sendable {
    let registry: EndpointRegistry
    private var memo = EndpointMemo()
    /// By the numbers of the endpoints.
    private var endpoints: [EndpointValues] = []
    private(set) var hops: MetricFamily<HopValues>
    private(set) var outcomes: MetricFamily<Distribution>
    private(set) var decodings: MetricFamily<Distribution>
    private(set) var retries: MetricFamily<Int>
    private(set) var refreshes: MetricFamily<Int>
    private(set) var lostEvents = 0

    /// - Parameters:
    ///   - limit: How many sets of labels a metric has besides its overflow.
    ///   - methods: The methods that are labels.
    init(limit: Int, methods: Set<HTTPMethod>) {
        self.init(limit: max(1, limit), EndpointRegistry(limit: max(1, limit), methods: methods))
    }

    init(limit: Int, _ registry: EndpointRegistry) {
        self.registry = registry
        hops = MetricFamily(limit: limit, HopValues())
        outcomes = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        decodings = MetricFamily(limit: limit, Distribution(bounds: MetricBuckets.durations))
        (retries, refreshes) = (MetricFamily(limit: limit, 0), MetricFamily(limit: limit, 0))
    }

    /// Adds what another shard of the monitor has counted.
    mutating func add(_ other: Self) {
        for (number, values) in other.endpoints.enumerated() { self[.init(number: number)].add(values) }
        hops.add(other.hops) { $0.add($1) }
        outcomes.add(other.outcomes) { $0.add($1) }
        decodings.add(other.decodings) { $0.add($1) }
        retries.add(other.retries) { $0 += $1 }
        refreshes.add(other.refreshes) { $0 += $1 }
        lostEvents &+= other.lostEvents
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

    private mutating func index(of head: HTTPRequestHead, _ template: String?) -> EndpointTable.Index {
        if let index = memo.index(of: head, template) { return index }
        let index = registry.index(of: head, template)
        memo.keep(index, of: head, template)
        return index
    }

    /// Where the attempt that runs goes. Found when it is needed first.
    private mutating func endpoint(of track: inout RequestTrack) -> EndpointTable.Index {
        if let (head, template) = track.newAttempt.take() { track.endpoint = index(of: head, template) }
        return track.endpoint
    }

    // MARK: Events

    /// - Parameter track: What is kept of the event's request.
    mutating func receive(_ event: SessionEvent, _ track: inout RequestTrack) {
        if event.lostBefore > 0 { lostEvents &+= event.lostBefore }
        switch event.event {
        case .attempt(_, let head): track.beginAttempt(head, event.urlTemplate)
        case .finished(let error):
            let summary = event.ending?.value
            if !track.hasBegun, let head = summary?.request { track.beginAttempt(head, summary?.urlTemplate) }
            finish(RequestEnd(error, summary), at: event.instant, &track)
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
            self[track.waitEndpoint].queued += 1
        case .admitted(let time): if track.endWait() { self[track.waitEndpoint].endWait(time) }
        case .shared: self[endpoint(of: &track)].shared += 1
        case .hedged: self[endpoint(of: &track)].hedges += 1
        case .repeated: self[endpoint(of: &track)].repeats += 1
        case .cached(let outcome): cached(outcome, &track)
        case .replaced(let head): track.replace(event.hop, head)
        case .failureReplaced(let error): failed(error, event.hop, at: event.instant, &track)
        case .response(let head): track.update(event.hop) { $0.receive(head) }
        case .transferred(let metrics):
            measured(metrics, event.hop, &track)
            endTransfer(event.hop, at: event.instant, &track)
        case .challenged(let head): close(head, event, &track)
        case .redirected(let head, _):
            self[endpoint(of: &track)].redirects += 1
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
    var total = Duration.zero
    var sentBytes: Int64?
    var receivedBytes: Int64?
}

extension RequestEnd {
    init(_ error: AsyncNetError?, _ summary: RequestSummary?) {
        self.init(error: error, status: summary?.response?.statusCode)
        guard let metrics = summary?.metrics else { return }
        (total, sentBytes, receivedBytes) = (metrics.total, metrics.sentBytes, metrics.receivedBytes)
    }
}

extension MetricsState {
    private mutating func retry(_ error: AsyncNetError?, _ event: SessionEvent, _ track: inout RequestTrack) {
        let endpoint = endpoint(of: &track)
        let type = MetricLabels.errorType(ofOutcomeWith: error?.responseCode, error)
        retries.update(MetricLabelSet(endpoint: endpoint, errorType: type)) { $0 += 1 }
        for hop in track.closeAll() { record(hop, event.instant, error) }
    }

    mutating func finish(_ end: RequestEnd, at instant: Duration, _ track: inout RequestTrack) {
        _ = endpoint(of: &track)
        let delivered = track.deliveredHop
        for index in track.hops.indices {
            let isLast = index == delivered && !track.hops[index].isReplaced
            record(
                track.hops[index], instant, end.error, sent: isLast ? end.sentBytes : nil,
                received: isLast ? end.receivedBytes : nil)
        }
        for _ in 0..<track.waits { self[track.waitEndpoint].endWait(instant - track.waitingSince) }
        let type = MetricLabels.errorType(ofOutcomeWith: end.status, end.error)
        let labels = MetricLabelSet(endpoint: track.first, status: end.status, errorType: type)
        outcomes.update(labels) { $0.add(end.total) }
        track = RequestTrack()
    }

    /// Ends what counts as running of a request whose end was lost.
    mutating func forget(_ track: RequestTrack) {
        for hop in track.hops where hop.end == nil { self[hop.endpoint].active -= 1 }
        if track.waits > 0 { self[track.waitEndpoint].queued -= track.waits }
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
        let isFirst = track.newAttempt != nil
        let endpoint = isFirst ? endpoint(of: &track) : index(of: head, track.isRedirected ? nil : template)
        track.open(number, endpoint, at: instant)
        self[endpoint].active += 1
    }

    /// Ends a hop that failed, though the request goes on.
    mutating func failed(_ error: AsyncNetError, _ number: Int, at instant: Duration, _ track: inout RequestTrack) {
        if let hop = track.close(number) { record(hop, instant, error) }
    }

    mutating func cached(_ outcome: CacheOutcome, _ track: inout RequestTrack) {
        guard track.hasBegun else { return }
        self[endpoint(of: &track)].cached[outcome, default: 0] += 1
    }

    /// A hop that another hop follows may have been closed before its measurements come, which then count only its
    /// connection.
    mutating func measured(_ metrics: TransportMetrics, _ number: Int, _ track: inout RequestTrack) {
        var isFirst = true
        track.update(number) { hop in
            isFirst = !hop.isMeasured
            hop.measured(metrics)
        }
        if isFirst, track.hasBegun, let isReused = metrics.isConnectionReused {
            self[endpoint(of: &track)].countConnection(isReused: isReused)
        }
    }

    /// The hop is not active any more; whether it failed, the attempt's outcome decides.
    mutating func endTransfer(_ number: Int, at instant: Duration, _ track: inout RequestTrack) {
        var ended: EndpointTable.Index?
        track.update(number) { hop in
            guard hop.isMeasured, hop.end == nil else { return }
            (ended, hop.end) = (hop.endpoint, instant)
        }
        if let ended { self[ended].active -= 1 }
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
        if hop.end == nil { self[hop.endpoint].active -= 1 }
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
