import Foundation

/// A timeline as one HTML file, which needs no other file, no network and no script.
package struct WaterfallPage {
    private let timeline: SessionTimeline
    private let requests: [RequestTimeline]
    private let names: Names
    private let scale: Scale
    private let title: String

    package init(_ timeline: SessionTimeline, title: String) {
        (self.timeline, self.title, requests) = (timeline, title, timeline.requests)
        (names, scale) = (Names(requests), Scale(of: requests))
    }

    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(HTML.escaped(title))</title>
        <style>
        \(PageStyle.css)
        </style>
        </head>
        <body>
        <h1>\(HTML.escaped(title))</h1>
        <p>\(HTML.escaped(totals.items.joined(separator: ", ")))</p>
        \(legend)
        \(table)
        </body>
        </html>

        """
    }

    private var totals: Totals { Totals(timeline) }

    /// What the colours mean, and how long all requests were in each phase.
    private var legend: String {
        let times = Dictionary(totals.phases.map { ($0.phase, $0.time) }, uniquingKeysWith: +)
        let items = Phase.allCases.map { phase in
            let time = times[phase].map { HTML.element("b", [:], Texts.time($0)) } ?? "–"
            return HTML.element("li", [:], HTML.element("i", ["class": phase.rawValue], "") + "\(phase.title) \(time)")
        }
        return HTML.element(
            "ul", ["class": "legend", "aria-label": "Phases, summed over all requests"], items.joined())
    }

    private var table: String {
        let rows = requests.map { WaterfallRow($0, names, scale).html }.joined(separator: "\n")
        return """
            <table style="--step:\(step)">
            <caption>\(caption)</caption>
            <thead><tr><th scope="col">Request</th><th scope="col">Status</th><th scope="col">Received</th>\
            <th scope="col">Time</th><th scope="col" class="axis">\(axis)</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table>
            """
    }

    private var caption: String {
        let origin =
            names.common.isEmpty
            ? "" : " Paths without an origin are of \(HTML.escaped(Texts.printable(names.common)))."
        return "Open a request for its hops; point at a bar for its times.\(origin)"
    }

    /// Round times above the bars, whose lines go down through the rows.
    private var axis: String {
        let ticks = scale.ticks(limit: 8).map { tick in
            let style = "left:\(Self.percent(scale.fraction(of: scale.start + tick)))"
            return HTML.element("span", ["style": style], Texts.tick(tick))
        }
        let title = HTML.element("b", ["class": "hidden"], "Timeline")
        return title + HTML.element("div", ["class": "ticks", "aria-hidden": "true"], ticks.joined())
    }

    /// The distance of two ticks.
    private var step: String {
        let ticks = scale.ticks(limit: 8)
        return Self.percent(ticks.count > 1 ? ticks[1] / scale.duration : 1)
    }

    static func percent(_ fraction: Double) -> String { String(format: "%.3f%%", fraction * 100) }
}
