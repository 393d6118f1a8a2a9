package import AsyncNet
package import Foundation

/// A request: its hops, its waits and its end.
package struct RequestTimeline: Sendable {
    package let id: RequestID
    /// When it started, by the session's clock.
    package private(set) var start: Duration
    /// When its first event was, by the wall clock.
    package let date: Date
    /// When its last event was, or its end.
    package private(set) var end: Duration
    package private(set) var isFinished = false
    package private(set) var hops: [HopTimeline] = []
    /// Why it failed; `nil` after a success, and before the end.
    package private(set) var error: AsyncNetError?
    /// How long serializers took.
    package private(set) var decoding: Duration?
    /// What the session's cache did for the last hop, or in place of any; `nil` without a cache.
    package private(set) var cacheOutcome: CacheOutcome?
    /// The head of the last attempt, and whether a stored response was used for it.
    private var attempt: (head: HTTPRequestHead, isStored: Bool)?
    /// What it has waited for since its last hop.
    private var waits: [Segment] = []
    /// What it waits for now, and since when.
    private var waiting: (phase: Phase, since: Duration)?
    private var hasStarted = false

    init(_ event: SessionEvent) {
        (id, date) = (event.requestID, event.date)
        (start, end) = (event.instant, event.instant)
        begin(at: event.instant)
        hasStarted = false
    }

    /// The requested URL, without secrets; `nil` before the first hop or stored response.
    package var url: String? { hops.first?.url ?? stored?.place }
    package var method: String? { hops.first?.method ?? stored?.method.rawValue }
    /// The head of a request that needed no hop.
    private var stored: HTTPRequestHead? { attempt.flatMap { $0.isStored ? $0.head : nil } }
    /// The status of each hop that had a response.
    package var statuses: [Int] { hops.compactMap(\.status) }
    package var attempts: Int { Set(hops.map(\.attempt)).count }
    package var sentBytes: Int64 { hops.map(\.sentBytes).reduce(0, +) }
    package var receivedBytes: Int64 { hops.map(\.receivedBytes).reduce(0, +) }
    package var duration: Duration { end - start }

    /// All phases of all hops, with the waits between them.
    package var segments: [Segment] {
        let current = waiting.map { Segment($0.phase, from: $0.since, to: end) }
        return hops.flatMap { $0.segments(now: end) } + waits + [current].compactMap(\.self)
    }

    mutating func receive(_ event: SessionEvent) {
        switch event.event {
        case .decoded(_, let time, _):
            // After the end, which stays the end.
            decoding = (decoding ?? .zero) + time
            return
        case .resumed where !hasStarted: begin(at: event.instant)
        case .attempt(_, let head):
            attempt = (head, false)
            wait(.queue, event.instant)
        case .cached(let outcome):
            cacheOutcome = outcome
            attempt?.isStored = outcome == .hit || outcome == .stale
        case .retried:
            wait(.delay, event.instant)
        case .hop(let head): begin(head, event)
        case .finished(let error): finish(error, event.instant)
        default: update(event)
        }
        end = max(end, event.instant)
    }

    private mutating func begin(at instant: Duration) {
        (start, waiting, hasStarted) = (instant, (.queue, instant), true)
    }

    /// A wait of the same phase goes on.
    private mutating func wait(_ phase: Phase, _ instant: Duration) {
        guard waiting?.phase != phase else { return }
        endWait(instant)
        waiting = (phase, instant)
    }

    private mutating func endWait(_ instant: Duration) {
        guard let waiting = waiting.take(), instant > waiting.since else { return }
        waits.append(Segment(waiting.phase, from: waiting.since, to: instant))
    }

    private mutating func begin(_ head: HTTPRequestHead, _ event: SessionEvent) {
        endWait(event.instant)
        hops.append(HopTimeline(head, event, after: waits))
        waits = []
    }

    /// Hops of segments and hedged transfers overlap, so that the event's hop need not be the last.
    private mutating func update(_ event: SessionEvent) {
        let index = hops.lastIndex { $0.attempt == event.attempt && $0.number == event.hop }
        if let index { hops[index].receive(event) }
    }

    private mutating func finish(_ error: AsyncNetError?, _ instant: Duration) {
        endWait(instant)
        (self.error, isFinished) = (error, true)
    }
}
