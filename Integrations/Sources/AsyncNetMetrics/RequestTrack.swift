import AsyncNet

/// What is kept of a request until its end.
struct RequestTrack {
    /// The dimensions of the first attempt.
    let first: Dimensions
    /// Where the attempt or the hop that runs goes.
    var endpoint: Dimensions
    /// Whether the attempt follows a redirect, to which the request's template does not belong.
    var isRedirected = false
    /// The hops that run: more than one if transfers are hedged, or segments.
    private(set) var hops: [OpenHop] = []
    /// The waits for a permit.
    private(set) var waits: [Wait] = []

    init(_ endpoint: Dimensions) { (first, self.endpoint) = (endpoint, endpoint) }

    /// A hop that runs.
    struct OpenHop {
        let attempt: Int
        let number: Int
        let endpoint: Dimensions
    }

    /// A transfer that waits for a permit.
    struct Wait {
        let endpoint: Dimensions
        let start: Duration
    }

    mutating func open(_ event: SessionEvent, _ endpoint: Dimensions) {
        self.endpoint = endpoint
        hops.append(OpenHop(attempt: event.attempt, number: event.hop, endpoint: endpoint))
    }

    /// - Returns: Where the hop went that the event ends.
    mutating func close(_ event: SessionEvent) -> Dimensions? {
        hops.firstIndex { $0.attempt == event.attempt && $0.number == event.hop }.map { hops.remove(at: $0).endpoint }
    }

    mutating func wait(since start: Duration) { waits.append(Wait(endpoint: endpoint, start: start)) }
    mutating func endWait() -> Wait? { waits.popLast() }
}
