import Synchronization

/// A number that any thread changes, without an order with other numbers.
struct Counter: ~Copyable, Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add(_ difference: Int) { number.add(difference, ordering: .relaxed) }
}

/// What is counted of an endpoint. Requests change it without a lock that other requests wait for.
final class EndpointCounts: Sendable {
    let index: EndpointTable.Index
    /// The transfers that run.
    let active = Counter()
    /// The transfers that wait for a permit.
    let queued = Counter()
    let permitWaits = Locked(Distribution(bounds: MetricBuckets.durations))
    let newConnections = Counter()
    let reusedConnections = Counter()
    let repeats = Counter()
    let redirects = Counter()
    let shared = Counter()
    let hedges = Counter()

    init(_ index: EndpointTable.Index) { self.index = index }

    func countConnection(isReused: Bool) {
        if isReused { reusedConnections.add(1) } else { newConnections.add(1) }
    }

    func endWait(_ time: Duration) {
        queued.add(-1)
        permitWaits.withLock { $0.add(time) }
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
    private var counts = [EndpointCounts(.overflow)]
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
        let index = Index(number: counts.count)
        endpoints.append(endpoint)
        counts.append(EndpointCounts(index))
        indexes[endpoint] = index
        return index
    }

    /// What is counted of the endpoint that a head is sent to.
    mutating func counts(of head: HTTPRequestHead, _ template: String?) -> EndpointCounts {
        counts[index(of: head, template).number]
    }

    func labels(of index: Index) -> [String: String] {
        switch index {
        case .none: [:]
        case .overflow: MetricLabels.overflow
        default: endpoints[index.number - 1].labels
        }
    }

    /// All counts with their labels.
    var points: [(labels: [String: String], counts: EndpointCounts)] {
        let points = zip(endpoints, counts.dropFirst()).map { ($0.labels, $1) }
        return hasOverflow ? points + [(MetricLabels.overflow, counts[0])] : points
    }
}

/// The endpoints of a monitor, which are looked up without the lock of what is counted of them.
final class Endpoints: Sendable {
    private let table: Locked<EndpointTable>

    init(limit: Int, methods: Set<HTTPMethod>) { table = Locked(EndpointTable(limit: limit, methods: methods)) }

    /// What is counted of the endpoint that a head is sent to.
    func counts(of head: HTTPRequestHead, _ template: String?) -> EndpointCounts {
        table.withLock { $0.counts(of: head, template) }
    }

    var copy: EndpointTable { table.withLock { $0 } }
}
