/// The labels of hops, outcomes and retries. What is unknown is no label.
struct MetricLabelSet: Hashable, Sendable {
    var endpoint = EndpointTable.Index.none
    var status: Int?
    var version: String?
    var errorType: String?

    /// Of numbers only, which differ most often.
    func hash(into hasher: inout Hasher) { hasher.combine(endpoint.hash &+ (status ?? 0)) }

    func labels(_ endpoints: EndpointTable) -> [String: String] {
        var labels = endpoints.labels(of: endpoint)
        labels["http.response.status_code"] = status.map { "\($0)" }
        labels["network.protocol.version"] = version
        labels["error.type"] = errorType
        return labels
    }
}

/// A metric's values: one for each of the first so many sets of labels, and one for all further sets.
struct MetricFamily<Value: Sendable>: Sendable {
    private let limit: Int
    private let initial: Value
    private var slots: [MetricLabelSet: Int] = [:]
    /// The set that was changed last, which is most often the next one too.
    private var latest: (labels: MetricLabelSet, slot: Int)?
    private var values: [Value] = []
    private var overflow: Value
    private var hasOverflow = false

    init(limit: Int, _ initial: Value) { (self.limit, self.initial, overflow) = (limit, initial, initial) }

    mutating func update(_ labels: MetricLabelSet, _ change: (inout Value) -> Void) {
        if let slot = latest?.labels == labels ? latest?.slot : slots[labels] {
            if latest?.slot != slot { latest = (labels, slot) }
            return change(&values[slot])
        }
        guard values.count < limit, labels.endpoint != .overflow else {
            hasOverflow = true
            return change(&overflow)
        }
        slots[labels] = values.count
        values.append(initial)
        change(&values[values.count - 1])
    }

    /// Adds the values of another family.
    mutating func add(_ other: Self, _ add: (inout Value, Value) -> Void) {
        for (labels, slot) in other.slots { update(labels) { add(&$0, other.values[slot]) } }
        guard other.hasOverflow else { return }
        hasOverflow = true
        add(&overflow, other.overflow)
    }

    /// The values with their labels.
    func points(_ endpoints: EndpointTable) -> [(labels: [String: String], value: Value)] {
        let points = slots.map { labels, slot in (labels.labels(endpoints), values[slot]) }
        return hasOverflow ? points + [(MetricLabels.overflow, overflow)] : points
    }
}
