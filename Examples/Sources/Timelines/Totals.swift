/// What all requests of a timeline took together.
package struct Totals {
    private let requests: [RequestTimeline]
    private let lostEvents: Int

    init(_ timeline: SessionTimeline) { (requests, lostEvents) = (timeline.requests, timeline.lostEvents) }

    private var hops: [HopTimeline] { requests.flatMap(\.hops) }

    /// Such as `21 requests in 612.3 ms`, `2 failed`, `25 hops`, `6 new connections`, `412.0 kB received`.
    var items: [String] {
        let failed = requests.count { $0.error != nil }
        let unfinished = requests.count { !$0.isFinished }
        let new = hops.count { $0.connection?.isReused == false }
        let items = [
            "\(Texts.count(requests.count, "request")) in \(Texts.time(Scale(of: requests).duration))",
            failed > 0 ? "\(failed) failed" : nil, unfinished > 0 ? "\(unfinished) unfinished" : nil,
            lostEvents > 0 ? "\(Texts.count(lostEvents, "event")) lost" : nil, Texts.count(hops.count, "hop"),
            Texts.count(new, "new connection"), "\(Texts.size(requests.map(\.receivedBytes).reduce(0, +))) received",
            "\(Texts.size(requests.map(\.sentBytes).reduce(0, +))) sent",
        ]
        return items.compactMap(\.self)
    }

    /// How long the requests were in each phase together.
    var phases: [(phase: Phase, time: Duration)] {
        let segments = requests.flatMap(\.segments)
        return Phase.allCases.compactMap { phase in segments.total(of: phase).map { (phase, $0) } }
    }
}
