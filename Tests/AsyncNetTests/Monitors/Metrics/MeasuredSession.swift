import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// Makes requests over a stub with a clock of its own, and returns what was measured.
func measured(
    _ monitor: MetricsMonitor = MetricsMonitor(), _ server: @escaping StubTransport.Handler,
    configure: (inout SessionConfiguration) -> Void = { _ in },
    run: @escaping @Sendable (Session) async throws -> Void = { session in
        _ = await session.request("http://a.example/x").serializing(String.self).result
    }
) async throws -> MetricsSnapshot {
    let clock = TestClock()
    var configuration = SessionConfiguration(monitors: [monitor], clock: clock)
    configure(&configuration)
    let session = Session(transport: StubTransport(clock: clock, server), configuration: configuration)
    try await clock.run { try await run(session) }
    return monitor.snapshot()
}

extension MetricHistogram<Duration> {
    /// Status, error, number and sum in seconds of each series, such as `503 503 1 2.0`.
    var lines: [String] {
        series.map { series in
            let labels = ["http.response.status_code", "error.type"].map { series.labels[$0] ?? "-" }
            return (labels + ["\(series.count)", "\(series.sum / .seconds(1))"]).joined(separator: " ")
        }.sorted()
    }
}

extension MetricCount {
    /// Error and value of each series, such as `503 1`.
    var lines: [String] { series.map { "\($0.labels["error.type"] ?? "-") \($0.value)" }.sorted() }
}
