import AsyncNet
import Foundation

/// What one request took: a bar for each hop on a common scale, a table of the phases, and what was transferred.
package struct TimingTable {
    private let request: RequestTimeline
    private let columns: Int
    private let ink: Ink
    private let phases: [Phase]

    /// - Parameter columns: How wide the bars may be; tables and texts may be wider.
    package init(_ request: RequestTimeline, columns: Int, _ ink: Ink) {
        (self.request, self.columns, self.ink) = (request, max(40, columns), ink)
        let segments = request.segments
        phases = Phase.allCases.filter { segments.total(of: $0) != nil }
    }

    package var lines: [String] {
        guard !request.hops.isEmpty else { return [title, end] }
        return [title] + bars + ink.legend(of: phases, columns: columns) + table + request.hops.map(details) + [end]
    }

    private var title: String {
        let place = request.url.map { Texts.printable("\(request.method ?? "") \($0)") }
        let name = place ?? "Not sent"
        return "\(name), \(request.date.formatted(.iso8601))"
    }

    /// A hop's attempt and number within the attempt.
    private func place(_ hop: HopTimeline) -> String { Texts.left("\(hop.attempt).\(hop.number)", placeWidth) }

    private var placeWidth: Int { request.hops.map { "\($0.attempt).\($0.number)".count }.max() ?? 0 }

    // MARK: Bars

    private var bars: [String] {
        let bar = Bar(Scale(of: [request]), columns: columns - placeWidth - 16)
        return request.hops.map { hop in
            let status = hop.status.map { ink.paint("\($0)", Ink.colour(ofStatus: $0)) } ?? ink.paint("---", .red)
            let segments = hop.segments(now: request.end)
            let time = Texts.right(Texts.time(segments.duration), 9)
            return "\(place(hop)) \(status) \(bar.text(of: segments, ink)) \(time)"
        }
    }

    // MARK: The table

    /// Milliseconds, a column for each phase that was, and a row for each hop.
    private var table: [String] {
        let titles = phases.map(\.rawValue) + ["total"]
        let rows = request.hops.map { (place($0), cells($0.segments(now: request.end))) }
        let sum = ("sum", cells(request.segments))
        let widths = titles.indices.map { column in
            ([titles] + rows.map(\.1) + [sum.1]).map { $0[column].count }.max() ?? 0
        }
        let all = [("ms", titles)] + rows + (rows.count > 1 ? [sum] : [])
        return all.map { name, cells in
            let texts = zip(cells, widths).map { Texts.right($0, $1) }
            return ([Texts.left(name, max(placeWidth, 3))] + texts).joined(separator: "  ")
        }
    }

    private func cells(_ segments: [Segment]) -> [String] {
        phases.map { segments.total(of: $0).map(Texts.milliseconds) ?? "-" } + [Texts.milliseconds(segments.duration)]
    }

    // MARK: What was transferred

    private func details(_ hop: HopTimeline) -> String {
        let text = "\(place(hop)) \(hop.method) \(hop.url)"
        return Texts.printable(hop.details.isEmpty ? text : "\(text): \(hop.details.joined(separator: "; "))")
    }

    private var end: String {
        let outcome = request.error.map { "failed with \($0.code)" } ?? (request.isFinished ? "done" : "not finished")
        let items = [
            "\(outcome) after \(Texts.time(request.duration))", request.cacheOutcome.map { "cache: \($0)" },
            Texts.count(request.attempts, "attempt"),
            Texts.count(request.hops.count, "hop"), "\(request.sentBytes) bytes sent",
            "\(request.receivedBytes) received", request.decoding.map { "decoded in \(Texts.time($0))" },
        ]
        return items.compactMap(\.self).joined(separator: ", ")
    }
}

extension [Segment] {
    /// From the first start to the last end.
    fileprivate var duration: Duration { (map(\.end).max() ?? .zero) - (map(\.start).min() ?? .zero) }
}
