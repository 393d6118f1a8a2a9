/// A hop that has begun, with what its events have reported.
struct OpenHop: Sendable {
    let number: Int
    let endpoint: EndpointCounts
    let start: Duration
    /// When its transfer was over; `nil` while it runs, and over transports that report no measurements.
    var end: Duration?
    var status: Int?
    var version: String?
    var wireBytes: WireBytes?
    /// Whether the transport has reported its measurements.
    var isMeasured = false

    mutating func receive(_ head: HTTPResponseHead) {
        status = head.statusCode
        version = version ?? head.httpVersion
    }

    mutating func measured(_ metrics: TransportMetrics) {
        version = metrics.httpVersion ?? version
        wireBytes = metrics.wireBytes
        isMeasured = true
    }

    /// The transfer is over, if it was measured; whether the hop failed, the attempt's outcome decides.
    mutating func endTransfer(at instant: Duration) { if isMeasured { close(at: instant) } }

    /// The hop is not active any more.
    mutating func close(at instant: Duration) {
        guard end == nil else { return }
        endpoint.active.add(-1)
        end = instant
    }
}

/// What is kept of a request from its first attempt to its end.
struct RequestTrack: Sendable {
    /// Whether an attempt has begun.
    private(set) var hasBegun = false
    /// The head and template of an attempt whose endpoint has not been needed yet.
    var newAttempt: (head: HTTPRequestHead, template: String?)?
    /// The endpoint of the first attempt.
    private(set) var first: EndpointCounts?
    /// Where the attempt that runs goes.
    var endpoint: EndpointCounts? {
        didSet { if first == nil { first = endpoint } }
    }
    /// Whether the attempt follows a redirect, to which the request's template does not belong.
    var isRedirected = false
    /// The hops that have begun and whose outcome is unknown: more than one if transfers are hedged, or segments.
    private(set) var hops: [OpenHop] = []
    /// How many transfers wait for a permit.
    private(set) var waits = 0
    private(set) var waitingSince = Duration.zero
    /// Where those transfers go.
    private(set) var waitEndpoint: EndpointCounts?

    mutating func beginAttempt(_ head: HTTPRequestHead, _ template: String?) {
        (hasBegun, newAttempt, isRedirected) = (true, (head, template), false)
    }

    /// Ends what counts as running of a request whose end was lost.
    func forget() {
        for hop in hops where hop.end == nil { hop.endpoint.active.add(-1) }
        if waits > 0 { waitEndpoint?.queued.add(-waits) }
    }

    // MARK: Hops

    mutating func open(_ number: Int, _ endpoint: EndpointCounts, at start: Duration) {
        self.endpoint = endpoint
        hops.append(OpenHop(number: number, endpoint: endpoint, start: start))
        endpoint.active.add(1)
    }

    /// Changes a hop. An event outside of hops, as the response of a hedged request is, belongs to the hop that ended
    /// last, or to the hop that began last.
    mutating func update(_ number: Int, _ change: (inout OpenHop) -> Void) {
        let index =
            number > 0
            ? hops.lastIndex { $0.number == number }
            : hops.lastIndex { $0.end != nil && $0.status == nil } ?? hops.lastIndex { $0.status == nil }
        if let index { change(&hops[index]) }
    }

    /// The hop whose response was delivered; `nil` if there are several, of segments.
    var deliveredHop: Int? {
        let index = hops.firstIndex { $0.status != nil } ?? 0
        return hops.lastIndex { $0.status != nil } ?? 0 == index ? index : nil
    }

    mutating func close(_ number: Int, at instant: Duration) -> OpenHop? {
        guard let index = hops.lastIndex(where: { $0.number == number }) else { return nil }
        hops[index].close(at: instant)
        return hops.remove(at: index)
    }

    /// Nothing runs or waits any more.
    mutating func closeAll(at instant: Duration) {
        for index in hops.indices { hops[index].close(at: instant) }
        while waits > 0 { endWait(instant - waitingSince) }
    }

    mutating func takeHops() -> [OpenHop] {
        defer { hops = [] }
        return hops
    }

    // MARK: Permits

    mutating func wait(since instant: Duration) {
        if waits == 0 { (waitingSince, waitEndpoint) = (instant, endpoint) }
        waits += 1
        waitEndpoint?.queued.add(1)
    }

    /// One of the transfers that waited waits no longer.
    mutating func endWait(_ time: Duration) {
        guard waits > 0 else { return }
        waits -= 1
        waitEndpoint?.endWait(time)
    }
}

// MARK: Endpoints

extension RequestTrack {
    /// Where the attempt that runs goes; `nil` before the first. Found when it is needed first.
    mutating func endpoint(among endpoints: Endpoints) -> EndpointCounts? {
        if let (head, template) = newAttempt.take() { endpoint = endpoints.counts(of: head, template) }
        return endpoint
    }

    mutating func beginHop(
        _ number: Int, _ head: HTTPRequestHead, _ template: String?, at instant: Duration, _ endpoints: Endpoints
    ) {
        // The head of an attempt's first hop goes where the attempt's own head goes.
        let first = newAttempt == nil ? nil : endpoint(among: endpoints)
        open(number, first ?? endpoints.counts(of: head, isRedirected ? nil : template), at: instant)
    }

    /// The request is over.
    mutating func finish(at instant: Duration, _ endpoints: Endpoints) {
        _ = endpoint(among: endpoints)
        closeAll(at: instant)
    }
}
