import AsyncNet
import Foundation

/// What was measured of one transfer, in the order in which it happened.
struct Timeline {
    private let metrics: RequestMetrics

    init(_ metrics: RequestMetrics) { self.metrics = metrics }

    func text(_ label: String) -> String {
        lines.map { "\(label)\($0)" }.joined(separator: "\n")
    }

    private var lines: [String] {
        [line(.zero, "start \(metrics.start.formatted(.iso8601))")]
            + metrics.redirects.map { "            redirect to \(HTTPRequestHead(url: $0).description.dropFirst(4))" }
            + (metrics.timeToResponse.map { [line($0, "response's head\(connection)")] } ?? [])
            + [line(metrics.total, "end: \(counts)")]
            + [steps, wire].compactMap { $0 }.map { "             \($0)" }
    }

    /// The last exchange's steps, each from that exchange's own start.
    private var steps: String? {
        metrics.timings.map {
            "name lookup \($0.nameLookup.short), connect \($0.connect.short), TLS \($0.tlsHandshake.short), "
                + "first byte \($0.firstByte.short), total \($0.total.short)"
        }
    }

    /// What the last exchange weighed before decoding.
    private var wire: String? {
        metrics.wireBytes.map {
            "on the wire \($0.sentHead) + \($0.sentBody) bytes sent, \($0.receivedHead) + \($0.receivedBody) received"
        }
    }

    private func line(_ time: Duration, _ text: String) -> String { "\(time.milliseconds) \(text)" }

    private var counts: String {
        "\(metrics.attempts) attempt(s), \(metrics.redirects.count) redirect(s), "
            + "\(metrics.sentBytes) bytes sent, \(metrics.receivedBytes) received"
    }

    /// Only what the transport knows.
    private var connection: String {
        let reused = metrics.isConnectionReused.map { $0 ? "connection reused" : "new connection" }
        let known = [metrics.httpVersion, metrics.remoteAddress, reused].compactMap { $0 }
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }
}

extension Duration {
    /// Such as `     12.3 ms`, aligned.
    var milliseconds: String { String(format: "%9.1f ms", self / .milliseconds(1)) }

    /// Such as `12.3 ms`.
    fileprivate var short: String { String(format: "%.1f ms", self / .milliseconds(1)) }
}
