package import AsyncNet

/// A hop of a request: when its phases were, and what its transfer carried.
package struct HopTimeline: Sendable {
    package let attempt: Int
    package let number: Int
    package let method: String
    /// Without userinfo, query and fragment, which may be secret.
    package let url: String
    /// What the request waited for before this hop, such as permits, and the delay of a retry.
    package let waits: [Segment]
    /// Of the response's head; `nil` without a response.
    package private(set) var status: Int?
    package private(set) var connection: ConnectionInfo?
    package private(set) var wireBytes: WireBytes?
    /// Bytes of the request's body.
    package private(set) var sentBytes: Int64 = 0
    /// Decoded bytes of the response's body.
    package private(set) var receivedBytes: Int64 = 0
    /// How often the transport sent the request again, since a reused connection had ended.
    package private(set) var repetitions = 0
    private var marks: HopMarks

    init(_ head: HTTPRequestHead, _ event: SessionEvent, after waits: [Segment]) {
        (attempt, number) = (event.attempt, event.hop)
        method = head.method.rawValue
        url = head.place
        self.waits = waits
        marks = HopMarks(start: event.instant)
        marks.isSecure = head.url.scheme?.lowercased() == "https"
    }

    /// What is known of the connection and the transfer, as texts; foreign.
    var details: [String] {
        let wire = wireBytes.map {
            "on the wire \($0.sentHead) + \($0.sentBody) bytes sent, \($0.receivedHead) + \($0.receivedBody) received"
        }
        let again = repetitions > 0 ? "sent again \(Texts.count(repetitions, "time")) on another connection" : nil
        return [connection.map { "connection \($0)" }, wire, again].compactMap(\.self)
    }

    package var start: Duration { waits.first?.start ?? marks.start }

    package var end: Duration? { marks.end }

    /// The waits and phases, up to the hop's end or, while it lasts, up to `now`.
    package func segments(now: Duration = .zero) -> [Segment] { waits + marks.segments(now: now) }

    mutating func receive(_ event: SessionEvent) {
        switch event.event {
        case .queued: marks.isQueued = true
        case .admitted: (marks.isQueued, marks.admitted) = (false, event.instant)
        case .connected(let connection): self.connection = connection
        case .sent: (marks.sentHead, marks.sent) = (event.instant, event.instant)
        case .sentBody(let bytes, _): (sentBytes, marks.sent) = (bytes, event.instant)
        case .receivedBody(let bytes): received(bytes, at: event.instant)
        case .repeated: repetitions += 1
        case .response(let head): answered(head, event.instant)
        case .hopEnded(let summary): ended(summary, event.instant)
        default: break
        }
    }

    private mutating func received(_ bytes: Int64, at instant: Duration) {
        receivedBytes = bytes
        marks.received = marks.received ?? instant
    }

    private mutating func answered(_ head: HTTPResponseHead, _ instant: Duration) {
        status = head.statusCode
        marks.received = marks.received ?? instant
    }

    private mutating func ended(_ summary: HopSummary, _ instant: Duration) {
        if let head = summary.response { answered(head, instant) }
        marks.ended = (instant, summary.metrics.transport)
        wireBytes = summary.metrics.transport.wireBytes
    }
}

extension HTTPRequestHead {
    /// The URL without userinfo, query and fragment, which may be secret: the description has none of them.
    var place: String { String("\(self)".dropFirst(method.rawValue.count + 1)) }
}
