import AsyncNet

/// The state of a request from its first attempt to its end.
struct RequestTrack: Sendable {
    /// A hop that runs.
    struct Hop: Sendable {
        let attempt: Int
        let number: Int
        let endpoint: EndpointTable.Index
    }

    /// Whether an attempt has begun.
    private(set) var hasBegun = false
    /// The head and template of an attempt whose endpoint has not been needed yet.
    var newAttempt: (head: HTTPRequestHead, template: String?)?
    /// The endpoint of the first attempt.
    private(set) var first = EndpointTable.Index.none
    /// The endpoint of the latest hop; before a new attempt's first hop, that of the attempt.
    var endpoint = EndpointTable.Index.none {
        didSet { if first == .none { first = endpoint } }
    }
    /// Whether the attempt was redirected. The request's template does not fit the target of a redirect.
    var isRedirected = false
    /// The hops that run: several for a hedged request, or a download in segments.
    private(set) var hops: [Hop] = []
    /// How many transfers wait for a permit.
    private(set) var waits = 0
    private(set) var waitingSince = Duration.zero
    /// The endpoint of the transfers that wait.
    private(set) var waitEndpoint = EndpointTable.Index.none

    mutating func beginAttempt(_ head: HTTPRequestHead, _ template: String?) {
        (hasBegun, newAttempt, isRedirected) = (true, (head, template), false)
    }

    // MARK: Hops

    mutating func open(_ event: SessionEvent, _ endpoint: EndpointTable.Index) {
        self.endpoint = endpoint
        hops.append(Hop(attempt: event.attempt, number: event.hop, endpoint: endpoint))
    }

    /// - Returns: The endpoint of the hop that the event ends.
    mutating func close(_ event: SessionEvent) -> EndpointTable.Index? {
        hops.firstIndex { $0.attempt == event.attempt && $0.number == event.hop }.map { hops.remove(at: $0).endpoint }
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
