/// A hop that has begun, with what its events have reported.
struct OpenHop: Sendable {
    let number: Int
    let endpoint: EndpointTable.Index
    let start: Duration
    /// When its transfer was over; `nil` while it runs, and over transports that report no measurements.
    var end: Duration?
    var status: Int?
    var version: String?
    var wireBytes: WireBytes?
    /// Whether the transport has reported its measurements.
    var isMeasured = false
    /// Whether a stored response was delivered in place of the hop's.
    private(set) var isReplaced = false

    mutating func replace(_ head: HTTPResponseHead) {
        receive(head)
        isReplaced = true
    }

    mutating func receive(_ head: HTTPResponseHead) {
        status = head.statusCode
        version = version ?? head.httpVersion
    }

    mutating func measured(_ metrics: TransportMetrics) {
        version = metrics.httpVersion ?? version
        wireBytes = metrics.wireBytes
        isMeasured = true
    }
}

/// What is kept of a request from its first attempt to its end.
struct RequestTrack: Sendable {
    /// Whether an attempt has begun.
    private(set) var hasBegun = false
    /// The head and template of an attempt whose endpoint has not been needed yet.
    var newAttempt: (head: HTTPRequestHead, template: String?)?
    /// The endpoint of the first attempt.
    private(set) var first = EndpointTable.Index.none
    /// Where the attempt that runs goes.
    var endpoint = EndpointTable.Index.none {
        didSet { if first == .none { first = endpoint } }
    }
    /// Whether the attempt follows a redirect, to which the request's template does not belong.
    var isRedirected = false
    /// The hops that have begun and whose outcome is unknown: more than one if transfers are hedged, or segments.
    private(set) var hops: [OpenHop] = []
    /// How many transfers wait for a permit.
    private(set) var waits = 0
    private(set) var waitingSince = Duration.zero
    /// Where those transfers go.
    private(set) var waitEndpoint = EndpointTable.Index.none

    mutating func beginAttempt(_ head: HTTPRequestHead, _ template: String?) {
        (hasBegun, newAttempt, isRedirected) = (true, (head, template), false)
    }

    // MARK: Hops

    mutating func open(_ number: Int, _ endpoint: EndpointTable.Index, at start: Duration) {
        self.endpoint = endpoint
        hops.append(OpenHop(number: number, endpoint: endpoint, start: start))
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

    mutating func replace(_ number: Int, _ head: HTTPResponseHead) { update(number) { $0.replace(head) } }

    /// The hop whose response was delivered; `nil` if there are several, of segments.
    var deliveredHop: Int? {
        let index = hops.firstIndex { $0.status != nil } ?? 0
        return hops.lastIndex { $0.status != nil } ?? 0 == index ? index : nil
    }

    mutating func close(_ number: Int) -> OpenHop? {
        hops.lastIndex { $0.number == number }.map { hops.remove(at: $0) }
    }

    mutating func closeAll() -> [OpenHop] {
        defer { hops = [] }
        return hops
    }

    // MARK: Permits

    mutating func wait(since instant: Duration) {
        if waits == 0 { (waitingSince, waitEndpoint) = (instant, endpoint) }
        waits += 1
    }

    /// - Returns: `false` if no transfer waited.
    mutating func endWait() -> Bool {
        guard waits > 0 else { return false }
        waits -= 1
        return true
    }
}
