import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

@Suite("Prometheus text", .timeLimit(.minutes(5)))
struct PrometheusTextTests {
    private func histogram(_ labels: [String: String], _ durations: Duration...) -> MetricHistogram<Duration> {
        var distribution = Distribution(bounds: MetricBuckets.durations)
        for duration in durations { distribution.add(duration) }
        return MetricHistogram("a.b", "What.", .seconds, [(labels, distribution)])
    }

    @Test("A histogram has OpenTelemetry's buckets, which are cumulative and include their bounds")
    func buckets() {
        var text = PrometheusText()
        text.add(histogram(["c.d": "e"], .milliseconds(5), .microseconds(5001), .milliseconds(999), .seconds(1000)))
        #expect(
            text.text == """
                # HELP a_b_seconds What.
                # TYPE a_b_seconds histogram
                a_b_seconds_bucket{c_d="e",le="0.005"} 1
                a_b_seconds_bucket{c_d="e",le="0.01"} 2
                a_b_seconds_bucket{c_d="e",le="0.025"} 2
                a_b_seconds_bucket{c_d="e",le="0.05"} 2
                a_b_seconds_bucket{c_d="e",le="0.075"} 2
                a_b_seconds_bucket{c_d="e",le="0.1"} 2
                a_b_seconds_bucket{c_d="e",le="0.25"} 2
                a_b_seconds_bucket{c_d="e",le="0.5"} 2
                a_b_seconds_bucket{c_d="e",le="0.75"} 2
                a_b_seconds_bucket{c_d="e",le="1"} 3
                a_b_seconds_bucket{c_d="e",le="2.5"} 3
                a_b_seconds_bucket{c_d="e",le="5"} 3
                a_b_seconds_bucket{c_d="e",le="7.5"} 3
                a_b_seconds_bucket{c_d="e",le="10"} 3
                a_b_seconds_bucket{c_d="e",le="+Inf"} 4
                a_b_seconds_sum{c_d="e"} 1001.009001
                a_b_seconds_count{c_d="e"} 4

                """)
    }

    @Test("Names of counters end in _total, names of gauges do not, and labels are sorted")
    func counts() {
        var text = PrometheusText()
        text.add(MetricCount("a.b", "What.", [(["x": "2", "a": "1"], 3), (["x": "1"], 4), (["x": "0"], 0)]))
        text.add(MetricCount("c", "How many.", isMonotonic: false, [(["x": "1"], 0)]))
        text.add(MetricCount("d", "Alone.", [([:], 0)]))
        #expect(
            text.text == """
                # HELP a_b_total What.
                # TYPE a_b_total counter
                a_b_total{a="1",x="2"} 3
                a_b_total{x="1"} 4
                # HELP c How many.
                # TYPE c gauge
                c{x="1"} 0
                # HELP d_total Alone.
                # TYPE d_total counter
                d_total 0

                """)
    }

    @Test(
        "Values of labels are escaped",
        arguments: ["a\"b", "a\\b", "a\nb", "\\\"\n", "a\r\nb", "\"\u{301}", "ü", "", "}", ","])
    func escaping(_ value: String) throws {
        var text = PrometheusText()
        text.add(MetricCount("a", "What.", [(["x": value], 3)]))
        let samples = try PrometheusParser.samples(text.text)
        #expect(samples.map { Array(($0.labels["x"] ?? "none").utf8) } == [Array(value.utf8)])
    }

    @Test("The text of a monitor without requests is valid, and has every metric")
    func empty() throws {
        let text = MetricsMonitor().prometheusText()
        #expect(try PrometheusParser.samples(text).map(\.name) == ["asyncnet_client_events_lost_total"])
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.dropFirst(7) } == [
                "http_client_request_duration_seconds histogram", "http_client_active_requests gauge",
                "http_client_request_body_size_bytes histogram", "http_client_response_body_size_bytes histogram",
                "http_client_open_connections gauge", "http_client_connection_duration_seconds histogram",
                "asyncnet_client_outcome_duration_seconds histogram",
                "asyncnet_client_permit_wait_duration_seconds histogram", "asyncnet_client_queued_requests gauge",
                "asyncnet_client_retries_total counter", "asyncnet_client_redirects_total counter",
                "asyncnet_client_hedges_total counter", "asyncnet_client_shared_requests_total counter",
                "asyncnet_client_repeats_total counter", "asyncnet_client_connection_uses_total counter",
                "asyncnet_client_certificate_expiry_timestamp_seconds gauge",
                "asyncnet_client_cache_outcomes_total counter", "asyncnet_client_credential_refreshes_total counter",
                "asyncnet_client_decoding_duration_seconds histogram", "asyncnet_client_events_lost_total counter",
            ])
    }
}
