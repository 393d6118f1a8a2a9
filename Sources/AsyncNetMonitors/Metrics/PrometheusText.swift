/// Prometheus's text format, version 0.0.4.
///
/// Names follow OpenTelemetry's rules for Prometheus: each `.` becomes `_`. The name of a histogram ends with its unit,
/// the name of a count that only increases ends with `_total`.
struct PrometheusText {
    private(set) var text = ""

    mutating func add<Value>(_ metric: MetricHistogram<Value>) {
        let name = "\(Self.name(metric.name))_\(metric.measure.unit)"
        begin(name, metric.summary, "histogram")
        for series in metric.series { add(series.distribution, name, series.text, metric.measure) }
    }

    mutating func add(_ metric: MetricCount) {
        let name = Self.name(metric.name) + (metric.isMonotonic ? "_total" : "")
        begin(name, metric.summary, metric.isMonotonic ? "counter" : "gauge")
        for series in metric.series { line(name, series.text, "\(series.value)") }
    }

    private mutating func begin(_ name: String, _ summary: String, _ type: String) {
        text += "# HELP \(name) \(summary)\n# TYPE \(name) \(type)\n"
    }

    /// Writes cumulative buckets: each counts the values of all smaller buckets too.
    private mutating func add<Value>(
        _ values: Distribution, _ name: String, _ labels: String, _ measure: MetricMeasure<Value>
    ) {
        let bounds = measure.buckets.map { Self.number(Double($0) / measure.scale) } + ["+Inf"]
        var sum = 0
        for (bound, count) in zip(bounds, values.counts) {
            sum += count
            line("\(name)_bucket", labels.isEmpty ? "le=\"\(bound)\"" : "\(labels),le=\"\(bound)\"", "\(sum)")
        }
        line("\(name)_sum", labels, Self.number(values.sum / measure.scale))
        line("\(name)_count", labels, "\(values.count)")
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    // MARK: Words

    /// The name of a metric or label, with `_` for each dot.
    static func name(_ name: String) -> String { String(name.map { $0 == "." ? "_" : $0 }) }

    /// Labels in the order of their names.
    static func text(of labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\(name($0.key))=\"\(escaped($0.value))\"" }.joined(separator: ",")
    }

    private static let escapes: [UInt8: [UInt8]] = [
        UInt8(ascii: "\\"): Array("\\\\".utf8), UInt8(ascii: "\""): Array("\\\"".utf8),
        UInt8(ascii: "\n"): Array("\\n".utf8),
    ]

    /// The escaped value of a label. Works on bytes: a quote before a combining mark is no `Character` of its own.
    static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { escapes[$0] != nil }) else { return value }
        return String(decoding: value.utf8.flatMap { escapes[$0] ?? [$0] }, as: UTF8.self)
    }

    /// The number as text; a whole number has no decimal point.
    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
