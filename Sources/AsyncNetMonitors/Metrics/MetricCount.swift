/// The values of a metric that counts.
public struct MetricCount: Sendable {
    /// The name by OpenTelemetry's conventions, such as `http.client.active_requests`.
    public let name: String
    /// What is counted, in a sentence.
    public let summary: String
    /// Whether the values never decrease.
    public let isMonotonic: Bool
    /// The values by their labels.
    public let series: [Series]

    /// The value of one set of labels.
    public struct Series: Sendable {
        /// The labels by their names of OpenTelemetry's conventions, such as `server.address`. An unknown value has no
        /// label.
        public let labels: [String: String]
        /// The count for these labels.
        public let value: Int
        /// The labels as Prometheus writes them; the series are sorted by this text.
        let text: String
    }

    /// - Parameter points: The values with their labels. A value of 0 is left out, unless the metric can decrease or
    ///   has no labels.
    init(
        _ name: String, _ summary: String, isMonotonic: Bool = true, _ points: [(labels: [String: String], value: Int)]
    ) {
        let counted = points.filter { $0.value != 0 || !isMonotonic || $0.labels.isEmpty }
        let series = counted.map {
            Series(labels: $0.labels, value: $0.value, text: PrometheusText.text(of: $0.labels))
        }
        self.init(name, summary, isMonotonic, series.sorted { $0.text < $1.text })
    }

    private init(_ name: String, _ summary: String, _ isMonotonic: Bool, _ series: [Series]) {
        (self.name, self.summary, self.isMonotonic, self.series) = (name, summary, isMonotonic, series)
    }

    /// The sum of all values.
    public var total: Int { series.reduce(0) { $0 + $1.value } }

    /// The values with all of these labels, such as `["server.address": "example.com"]`.
    public func matching(_ labels: [String: String]) -> Self {
        Self(name, summary, isMonotonic, series.filter { $0.labels.contains(labels) })
    }
}

extension [String: String] {
    /// Whether the dictionary has all of these labels, with the same values.
    func contains(_ labels: [String: String]) -> Bool { labels.allSatisfy { self[$0.key] == $0.value } }
}
