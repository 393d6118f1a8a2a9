/// The labels of hops, outcomes and retries. An unknown value has no label.
struct MetricLabelSet: Hashable, Sendable {
    var endpoint = EndpointTable.Index.none
    var status: Int?
    var version: String?
    var errorType: String?

    func labels(_ endpoints: EndpointTable) -> [String: String] {
        var labels = endpoints.labels(of: endpoint)
        labels["http.response.status_code"] = status.map { "\($0)" }
        labels["network.protocol.version"] = version
        labels["error.type"] = errorType
        return labels
    }
}

/// A metric's values: one for each of the first `limit` sets of labels, and one for all further sets.
struct MetricFamily<Value: Sendable>: Sendable {
    private let limit: Int
    private let initial: Value
    private var values: [MetricLabelSet: Value] = [:]
    private var overflow: Value
    private var hasOverflow = false

    /// - Parameters:
    ///   - limit: How many sets of labels have a value.
    ///   - initial: The value before the first change.
    init(limit: Int, _ initial: Value) { (self.limit, self.initial, overflow) = (limit, initial, initial) }

    mutating func update(_ labels: MetricLabelSet, _ change: (inout Value) -> Void) {
        if let index = values.index(forKey: labels) { return change(&values.values[index]) }
        guard values.count < limit, labels.endpoint != .overflow else {
            hasOverflow = true
            return change(&overflow)
        }
        var value = initial
        change(&value)
        values[labels] = value
    }

    /// The values with their labels.
    func points(_ endpoints: EndpointTable) -> [(labels: [String: String], value: Value)] {
        let points = values.map { (labels: $0.labels(endpoints), value: $1) }
        return hasOverflow ? points + [(MetricLabels.overflow, overflow)] : points
    }
}
