import AsyncNet

/// What is kept of a request until its end.
struct RequestTrack {
    /// The dimensions of the first attempt.
    let first: Dimensions
    /// Where the attempt or the hop that runs goes.
    var endpoint: Dimensions
    /// Whether the attempt follows a redirect, to which the request's template does not belong.
    var isRedirected = false
    /// The hops that have begun and whose outcome is unknown: more than one if transfers are hedged, or segments.
    private(set) var hops: [OpenHop] = []
    /// The waits for a permit.
    private(set) var waits: [Wait] = []

    init(_ endpoint: Dimensions) { (first, self.endpoint) = (endpoint, endpoint) }

    /// A hop that has begun, with what its events have reported.
    struct OpenHop {
        let number: Int
        let endpoint: Dimensions
        let start: Duration
        /// When its transfer was over; `nil` while it runs.
        var end: Duration?
        var status: Int?
        var version: String?
        var wireBytes: WireBytes?
        /// Whether a stored response was delivered in place of the hop's.
        private(set) var isReplaced = false

        mutating func replaced(_ head: HTTPResponseHead) {
            received(head)
            isReplaced = true
        }

        mutating func received(_ head: HTTPResponseHead) {
            status = head.statusCode
            version = version ?? head.httpVersion
        }
    }

    /// A transfer that waits for a permit.
    struct Wait {
        let endpoint: Dimensions
        let start: Duration
    }

    mutating func open(_ number: Int, _ endpoint: Dimensions, at start: Duration) {
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

    mutating func wait(since start: Duration) { waits.append(Wait(endpoint: endpoint, start: start)) }
    mutating func endWait() -> Wait? { waits.popLast() }
}
