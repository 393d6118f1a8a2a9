import AsyncNet

/// What is counted of an endpoint.
struct EndpointValues: Sendable {
    /// How many transfers run.
    var active = 0
    /// How many transfers wait for a permit.
    var queued = 0
    var permitWait = Distribution(bounds: MetricBuckets.durations)
    var newConnections = 0
    var reusedConnections = 0
    var repeats = 0
    var redirects = 0
    var shared = 0
    var hedges = 0
    var cached: [CacheOutcome: Int] = [:]
    /// Until when the latest certificate of the server is valid, in seconds since 1970.
    var certificateExpiry: Int?

    mutating func countConnection(isReused: Bool) {
        if isReused { reusedConnections += 1 } else { newConnections += 1 }
    }

    mutating func endWait(_ time: Duration) {
        queued -= 1
        permitWait.add(time)
    }
}

/// The endpoints that requests go to, up to a limit, by number.
struct EndpointTable: Sendable {
    /// The number of an endpoint.
    struct Index: Hashable, Sendable {
        let number: Int

        /// No endpoint: of a request that ended before it had a head, and of values that have no endpoint.
        static let none = Index(number: -1)
        /// All endpoints beyond the limit.
        static let overflow = Index(number: 0)
    }

    private let limit: Int
    private let methods: Set<HTTPMethod>
    private var indexes: [Endpoint: Index] = [:]
    private var endpoints: [Endpoint] = []
    private var hasOverflow = false

    /// - Parameters:
    ///   - limit: How many endpoints are in the table.
    ///   - methods: The methods that are values of `http.request.method`; others are `_OTHER`.
    init(limit: Int, methods: Set<HTTPMethod>) { (self.limit, self.methods) = (limit, methods) }

    /// The number of the endpoint that a head is sent to.
    mutating func index(of head: HTTPRequestHead, _ template: String?) -> Index {
        let endpoint = Endpoint(head, template, methods: methods)
        if let index = indexes[endpoint] { return index }
        guard endpoints.count < limit else {
            hasOverflow = true
            return .overflow
        }
        endpoints.append(endpoint)
        let index = Index(number: endpoints.count)
        indexes[endpoint] = index
        return index
    }

    func labels(of index: Index) -> [String: String] {
        switch index {
        case .none: [:]
        case .overflow: MetricLabels.overflow
        default: endpoints[index.number - 1].labels
        }
    }

    /// All endpoints with their labels.
    var points: [(labels: [String: String], index: Index)] {
        let points = endpoints.enumerated().map { ($1.labels, Index(number: $0 + 1)) }
        return hasOverflow ? points + [(MetricLabels.overflow, .overflow)] : points
    }
}
