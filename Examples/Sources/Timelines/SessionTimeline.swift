package import AsyncNet

/// Makes timelines of a session's events; without I/O and without a clock of its own.
package struct SessionTimeline: Sendable {
    private var known: [RequestID: RequestTimeline] = [:]
    /// How many events were lost, so that the timelines may have gaps.
    package private(set) var lostEvents = 0

    package init() {}

    /// The requests in the order in which they started.
    package var requests: [RequestTimeline] {
        known.values.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    package subscript(id: RequestID) -> RequestTimeline? { known[id] }

    package mutating func receive(_ event: SessionEvent) {
        lostEvents += event.lostBefore
        known[event.requestID, default: RequestTimeline(event)].receive(event)
    }

    /// Removes and returns a request that needs no more events.
    package mutating func take(_ id: RequestID) -> RequestTimeline? { known.removeValue(forKey: id) }
}
