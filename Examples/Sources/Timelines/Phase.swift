/// What a part of a request's time is spent on, in the order in which the parts of an attempt follow each other.
package enum Phase: String, CaseIterable, Sendable {
    /// Before a hop begins: adapters, limits of the session, and the transport's own.
    case queue
    /// The lookup of the server's name.
    case dns
    /// The opening of the connection.
    case connect
    /// The TLS handshake.
    case tls
    /// The request's head and body.
    case send
    /// From the end of the request to the first byte of the response.
    case wait
    /// The response's head and body.
    case receive
    /// The delay before a retry.
    case delay
}

/// A part of a request's time, by the session's clock.
package struct Segment: Equatable, Sendable {
    package let phase: Phase
    package let start: Duration
    package let end: Duration

    package init(_ phase: Phase, from start: Duration, to end: Duration) {
        (self.phase, self.start, self.end) = (phase, start, max(start, end))
    }

    package var duration: Duration { end - start }
}

extension Sequence<Segment> {
    /// How long the segments of a phase are together; `nil` without such a segment.
    package func total(of phase: Phase) -> Duration? {
        let durations = filter { $0.phase == phase }.map(\.duration)
        return durations.isEmpty ? nil : durations.reduce(.zero, +)
    }
}
