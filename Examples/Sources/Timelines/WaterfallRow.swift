/// A request as a row of the page's table, with its hops folded under its name.
struct WaterfallRow {
    private let request: RequestTimeline
    private let names: Names
    private let scale: Scale

    init(_ request: RequestTimeline, _ names: Names, _ scale: Scale) {
        (self.request, self.names, self.scale) = (request, names, scale)
    }

    var html: String {
        let cells = [
            HTML.element("th", ["scope": "row"], folded),
            HTML.element("td", ["class": "status"], statuses),
            HTML.element("td", ["class": "number"], Texts.size(request.receivedBytes)),
            HTML.element("td", ["class": "number"], Texts.time(request.duration)),
            HTML.element("td", ["class": "bar"], bar),
        ]
        return HTML.element("tr", request.error == nil ? [:] : ["class": "failed"], cells.joined())
    }

    // MARK: Status

    private var statuses: String {
        guard !request.statuses.isEmpty else { return request.error == nil ? "–" : "failed" }
        return request.statuses.map { HTML.element("span", ["class": "s\($0 / 100)"], "\($0)") }.joined(
            separator: " → ")
    }

    // MARK: The bar

    private var bar: String {
        let segments = request.segments.filter { $0.duration > .zero }
        let parts = segments.map { HTML.element("i", ["class": $0.phase.rawValue, "style": style(of: $0)], "") }
        return HTML.element(
            "div", ["class": "line", "role": "img", "aria-label": spoken, "title": details], parts.joined())
    }

    private func style(of segment: Segment) -> String {
        let (start, end) = (scale.fraction(of: segment.start), scale.fraction(of: segment.end))
        return "left:\(WaterfallPage.percent(start));width:\(WaterfallPage.percent(end - start))"
    }

    private var spoken: String {
        "starts at \(Texts.time(request.start - scale.start)): \(Self.phases(of: request.segments, ", "))"
    }

    private var details: String {
        let head = "\(names.name(of: request))\nstarts at \(Texts.time(request.start - scale.start))"
        return "\(head)\n\(Self.phases(of: request.segments, "\n"))"
    }

    private static func phases(of segments: [Segment], _ separator: String) -> String {
        Phase.allCases.compactMap { phase in
            segments.total(of: phase).map { "\(phase.title) \(Texts.time($0))" }
        }.joined(separator: separator)
    }

    // MARK: Hops

    private var folded: String {
        let name = HTML.element("summary", [:], name)
        let error = request.error.map { HTML.element("p", ["class": "error"], HTML.escaped("\($0)")) } ?? ""
        let hops = HTML.element("ol", [:], request.hops.map(item).joined())
        return HTML.element("details", [:], name + HTML.element("div", [:], hops + notes + error))
    }

    /// The path before the origin, of which less is of interest.
    private var name: String {
        guard let method = request.method, let url = request.url else { return HTML.escaped(names.name(of: request)) }
        let (origin, path) = names.parts(of: url)
        let small = origin.isEmpty ? "" : " " + HTML.element("small", [:], HTML.escaped(origin))
        return HTML.escaped("\(method) \(path)") + small
    }

    private func item(_ hop: HopTimeline) -> String {
        let status = hop.status.map { "\($0), " } ?? ""
        let phases = Self.phases(of: hop.segments(now: request.end), ", ")
        let lines = ["\(hop.method) \(names.name(of: hop.url))", "\(status)\(phases)"] + hop.details
        return HTML.element("li", [:], lines.map(HTML.escaped).joined(separator: "<br>"))
    }

    private var notes: String {
        request.decoding.map { HTML.element("p", [:], "decoded in \(Texts.time($0))") } ?? ""
    }
}
