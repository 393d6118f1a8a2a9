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

/// The first so many sets of labels that a metric has, by number. All shards of a monitor have the same numbers: a set
/// that once has a value of its own keeps it.
final class LabelRegistry: Sendable {
    private struct Table {
        var numbers: [MetricLabelSet: Int] = [:]
        var sets: [MetricLabelSet] = []
    }

    private let limit: Int
    private let table = Locked(Table())

    init(limit: Int) { self.limit = limit }

    /// The number of a set; `nil` if it belongs to the overflow.
    func number(of labels: MetricLabelSet) -> Int? {
        table.withLock { table in
            if let number = table.numbers[labels] { return number }
            guard table.sets.count < limit, labels.endpoint != .overflow else { return nil }
            table.numbers[labels] = table.sets.count
            table.sets.append(labels)
            return table.sets.count - 1
        }
    }

    /// All sets by their numbers.
    var sets: [MetricLabelSet] { table.withLock { $0.sets } }
}

/// A metric's values: one for each of the first so many sets of labels, and one for all further sets.
struct MetricFamily<Value: Sendable>: Sendable {
    private let registry: LabelRegistry
    private let initial: Value
    /// The numbers of the sets that were changed in this shard.
    private var numbers: [MetricLabelSet: Int] = [:]
    /// The set that was changed last, which is most often the next one too.
    private var latest: (labels: MetricLabelSet, number: Int)?
    /// By the sets' numbers.
    private var values: [Value] = []
    private var overflow: Value
    private var hasOverflow = false

    /// - Parameters:
    ///   - limit: How many sets of labels have a value.
    ///   - initial: The value before the first change.
    init(limit: Int, _ initial: Value) {
        (registry, self.initial, overflow) = (LabelRegistry(limit: limit), initial, initial)
    }

    mutating func update(_ labels: MetricLabelSet, _ change: (inout Value) -> Void) {
        guard let number = number(of: labels) else {
            hasOverflow = true
            return change(&overflow)
        }
        reserve(number + 1)
        change(&values[number])
    }

    private mutating func number(of labels: MetricLabelSet) -> Int? {
        if let latest, latest.labels == labels { return latest.number }
        guard let number = numbers[labels] ?? registry.number(of: labels) else { return nil }
        numbers[labels] = number
        latest = (labels, number)
        return number
    }

    private mutating func reserve(_ count: Int) {
        while values.count < count { values.append(initial) }
    }

    /// Adds the values of a family with the same registry.
    mutating func add(_ other: Self, _ add: (inout Value, Value) -> Void) {
        reserve(other.values.count)
        for (number, value) in other.values.enumerated() { add(&values[number], value) }
        if other.hasOverflow { add(&overflow, other.overflow) }
        hasOverflow = hasOverflow || other.hasOverflow
    }

    /// The values with their labels.
    func points(_ endpoints: EndpointTable) -> [(labels: [String: String], value: Value)] {
        let points = zip(registry.sets, values).map { (labels: $0.labels(endpoints), value: $1) }
        return hasOverflow ? points + [(MetricLabels.overflow, overflow)] : points
    }
}
