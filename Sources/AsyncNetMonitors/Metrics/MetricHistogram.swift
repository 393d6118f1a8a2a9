/// The values of a metric that measures durations, or sizes in bytes.
public struct MetricHistogram<Value: Sendable>: Sendable {
    /// The name: of OpenTelemetry's conventions, such as `http.client.request.duration`, or with `asyncnet.` in front.
    public let name: String
    /// What is measured, in a sentence.
    public let summary: String
    /// The values by their labels.
    public let series: [Series]

    let measure: MetricMeasure<Value>
    private let all: Distribution

    /// The values with the same labels.
    public struct Series: Sendable {
        /// The labels by their names of OpenTelemetry's conventions, such as `server.address`. An unknown value has no
        /// label.
        public let labels: [String: String]
        let distribution: Distribution
        /// The labels as Prometheus writes them; the series are sorted by this text.
        let text: String
        fileprivate let measure: MetricMeasure<Value>

        /// How many values there are.
        public var count: Int { distribution.count }
        /// The sum of all values.
        public var sum: Value { measure.value(distribution.sum) }

        /// See ``MetricHistogram/percentile(_:)``.
        public func percentile(_ part: Double) -> Value? { measure.percentile(part, distribution) }
    }

    init(
        _ name: String, _ summary: String, _ measure: MetricMeasure<Value>,
        _ points: [(labels: [String: String], value: Distribution)]
    ) {
        let measured = points.filter { $0.value.count > 0 }
        let series = measured.map {
            Series(
                labels: $0.labels, distribution: $0.value, text: PrometheusText.text(of: $0.labels), measure: measure)
        }
        self.init(name, summary, measure, series.sorted { $0.text < $1.text })
    }

    private init(_ name: String, _ summary: String, _ measure: MetricMeasure<Value>, _ series: [Series]) {
        (self.name, self.summary, self.measure, self.series) = (name, summary, measure, series)
        all = series.reduce(into: Distribution(bounds: measure.buckets)) { $0.add($1.distribution) }
    }

    /// How many values there are.
    public var count: Int { all.count }
    /// The sum of all values.
    public var sum: Value { measure.value(all.sum) }

    /// The smallest value for which at least this part of all values is not larger, within 1 percent.
    ///
    /// - Parameter part: From 0 to 1: 0.99 is the 99th percentile. 0 and 1 are the smallest and the largest value.
    /// - Returns: `nil` without values.
    public func percentile(_ part: Double) -> Value? { measure.percentile(part, all) }

    /// The values with all of these labels, such as `["server.address": "example.com"]`.
    public func matching(_ labels: [String: String]) -> Self {
        Self(name, summary, measure, series.filter { $0.labels.contains(labels) })
    }
}

/// The unit of a metric's values.
struct MetricMeasure<Value: Sendable>: Sendable {
    /// The unit at the end of Prometheus's names.
    let unit: String
    /// The inclusive upper bounds of the buckets, in nanoseconds or bytes.
    let buckets: [UInt64]
    /// How many nanoseconds or bytes the unit has.
    let scale: Double
    /// Makes a value of nanoseconds or bytes.
    let value: @Sendable (Double) -> Value

    func percentile(_ part: Double, _ distribution: Distribution) -> Value? {
        distribution.values.percentile(part).map { value(Double($0)) }
    }
}

extension MetricMeasure<Duration> {
    static let seconds = Self(unit: "seconds", buckets: MetricBuckets.durations, scale: 1e9) {
        .nanoseconds(Int64(nearest: $0))
    }
    /// Seconds, with buckets for connections, which last longer than requests.
    static let connectionSeconds = Self(unit: "seconds", buckets: MetricBuckets.connectionDurations, scale: 1e9) {
        .nanoseconds(Int64(nearest: $0))
    }
}

extension MetricMeasure<Int64> {
    static let bytes = Self(unit: "bytes", buckets: MetricBuckets.sizes, scale: 1) { Int64(nearest: $0) }
}

extension Int64 {
    /// The nearest integer; `Int64.max` for larger numbers.
    fileprivate init(nearest number: Double) { self = Int64(exactly: number.rounded()) ?? .max }
}
