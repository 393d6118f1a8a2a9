/// A timeline as lines of a terminal: a bar for each request on a common scale, and the totals.
package struct Waterfall {
    private let timeline: SessionTimeline
    private let requests: [RequestTimeline]
    private let names: Names
    private let scale: Scale
    private let ink: Ink
    private let columns: Int
    private let nameWidth: Int
    private let statusWidth: Int
    private let barWidth: Int
    /// The columns beside name and bar.
    private let margin: Int
    /// Narrow terminals have no room for sizes.
    private let showsSizes: Bool

    /// - Parameter columns: How wide lines may be; at least 40.
    package init(_ timeline: SessionTimeline, columns: Int, _ ink: Ink) {
        (self.timeline, self.ink, requests) = (timeline, ink, timeline.requests)
        (names, scale, self.columns) = (Names(requests), Scale(of: requests), max(40, columns))
        statusWidth = requests.map { Self.status(of: $0).count }.max() ?? 0
        showsSizes = columns >= 60
        margin = statusWidth + (showsSizes ? 18 : 9) + 3
        let room = self.columns - margin
        nameWidth = min(requests.map { [names] in names.name(of: $0).count }.max() ?? 0, room * 2 / 5)
        barWidth = room - nameWidth
    }

    package var lines: [String] {
        guard !requests.isEmpty else { return ["No requests"] }
        let totals = Totals(timeline)
        let times = totals.phases.map { "\($0.phase.title) \(Texts.time($0.time))" }
        return [axis] + requests.map(line) + [""] + ink.legend(columns: columns) + [""]
            + Texts.lines(of: totals.items, columns) + Texts.lines(of: times, columns) + errors
    }

    /// Such as `name  status  size  time  [bar]`.
    private func line(of request: RequestTimeline) -> String {
        let name = Texts.left(Texts.shortened(names.name(of: request), to: nameWidth), nameWidth)
        let status = Texts.left(Self.status(of: request), statusWidth)
        let size = showsSizes ? Texts.right(Texts.size(request.receivedBytes), 9) : ""
        let bar = Bar(scale, columns: barWidth).text(of: request.segments, ink)
        return "\(name) \(ink.paint(status, colour(of: request))) \(size)"
            + "\(Texts.right(Texts.time(request.duration), 9)) \(bar)".trimmingSpaces
    }

    /// The status of each hop, and a failure without any.
    private static func status(of request: RequestTimeline) -> String {
        let statuses = request.statuses
        guard !statuses.isEmpty else { return request.error == nil ? "-" : "failed" }
        // At most 12 columns.
        let shown = statuses.suffix(3).map { "\($0)" }.joined(separator: ">")
        return statuses.count > 3 ? ">\(shown)" : shown
    }

    private func colour(of request: RequestTimeline) -> Ink.Colour? {
        request.error != nil ? .red : request.statuses.last.map(Ink.colour)
    }

    /// Round times above the bars.
    private var axis: String {
        let ticks = scale.ticks(limit: barWidth / 8)
        var text = ""
        for tick in ticks {
            let column = Int(scale.fraction(of: scale.start + tick) * Double(barWidth))
            let label = "|\(Texts.tick(tick))"
            if column >= text.count, column + label.count <= barWidth { text = Texts.left(text, column) + label }
        }
        return String(repeating: " ", count: nameWidth + margin) + ink.paint(text, .grey)
    }

    private var errors: [String] {
        requests.compactMap { request in
            request.error.map { error in
                let name = Texts.shortened(names.name(of: request), to: columns - "\(error.code)".count - 9)
                return "\(ink.paint("failed", .red)) \(name): \(error.code)"
            }
        }
    }
}

extension String {
    /// Without spaces at the end.
    fileprivate var trimmingSpaces: String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
