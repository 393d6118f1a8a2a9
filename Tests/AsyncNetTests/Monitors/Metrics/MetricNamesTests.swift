import AsyncNetMonitors
import Foundation
import Testing

/// The article EventPayloads has the names of metrics from the comments of `MetricsSnapshot`.
@Suite("Names of metrics")
struct MetricNamesTests {
    @Test("The article EventPayloads has each metric of a snapshot, with the metric's name")
    func names() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let article = root.appending(path: "Sources/AsyncNet/AsyncNet.docc/EventPayloads.md")
        let section = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "## MetricsSnapshot\n")
        let rows = try #require(section.count == 2 ? section.last : nil).matches(
            of: /\| `(\w+)` \| `[^`]+` \| `([\w.]+)`:/)
        let documented = rows.map { "\($0.1): \($0.2)" }
        let counted = Mirror(reflecting: MetricsMonitor().snapshot()).children.map { label, metric in
            let name =
                (metric as? MetricCount)?.name ?? (metric as? MetricHistogram<Duration>)?.name
                ?? (metric as? MetricHistogram<Int64>)?.name
            return "\(label ?? ""): \(name ?? "")"
        }
        #expect(documented == counted && counted.count > 10)
    }
}
