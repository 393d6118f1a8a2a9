/// What is counted of an endpoint.
struct EndpointValues: Sendable {
    /// The transfers that run.
    var active = 0
    /// The transfers that wait for a permit.
    var queued = 0
    var permitWait = Distribution(bounds: MetricBuckets.durations)
    var newConnections = 0
    var reusedConnections = 0
    var repeats = 0
    var redirects = 0
    var shared = 0
    var hedges = 0

    mutating func count(_ connection: ConnectionInfo) {
        guard let isReused = connection.isReused else { return }
        if isReused { reusedConnections += 1 } else { newConnections += 1 }
    }

    mutating func endWait(_ time: Duration) {
        queued -= 1
        permitWait.add(time)
    }
}

/// The first so many endpoints that requests go to, by number, with what is counted of them.
struct EndpointTable: Sendable {
    /// The number of an endpoint.
    struct Index: Hashable, Sendable {
        fileprivate let number: Int

        /// Differs from those of other endpoints by 1000 at least.
        var hash: Int { number &* 1000 }

        /// No endpoint, for requests that have not been made.
        static let none = Index(number: -1)
        /// All endpoints after the first so many.
        static let overflow = Index(number: 0)
    }

    private let limit: Int
    private let methods: Set<HTTPMethod>
    private var indexes: [Endpoint: Index] = [:]
    private var endpoints: [Endpoint] = []
    /// Those of `overflow` first.
    private var values = [EndpointValues()]
    private var hasOverflow = false
    private var memo = EndpointMemo()

    /// - Parameters:
    ///   - limit: How many endpoints are in the table.
    ///   - methods: The methods that are labels.
    init(limit: Int, methods: Set<HTTPMethod>) { (self.limit, self.methods) = (limit, methods) }

    /// The number of the endpoint that a head is sent to.
    mutating func index(of head: HTTPRequestHead, _ template: String?) -> Index {
        if let index = memo.index(of: head, template) { return index }
        let index = index(of: Endpoint(head, template, methods: methods))
        memo.keep(index, of: head, template)
        return index
    }

    private mutating func index(of endpoint: Endpoint) -> Index {
        if let index = indexes[endpoint] { return index }
        guard endpoints.count < limit else {
            hasOverflow = true
            return .overflow
        }
        let index = Index(number: values.count)
        endpoints.append(endpoint)
        values.append(EndpointValues())
        indexes[endpoint] = index
        return index
    }

    /// The values of an endpoint, which must not be `none`.
    subscript(index: Index) -> EndpointValues {
        _read { yield values[max(0, index.number)] }
        _modify { yield &values[max(0, index.number)] }
    }

    func labels(of index: Index) -> [String: String] {
        switch index {
        case .none: [:]
        case .overflow: MetricLabels.overflow
        default: endpoints[index.number - 1].labels
        }
    }

    /// All values with their labels.
    var points: [(labels: [String: String], value: EndpointValues)] {
        let points = zip(endpoints, values.dropFirst()).map { ($0.labels, $1) }
        return hasOverflow ? points + [(MetricLabels.overflow, values[0])] : points
    }
}
