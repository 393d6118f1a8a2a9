import AsyncNet

/// When the steps of a hop happened, by the session's clock, and the phases between them.
struct HopMarks: Sendable {
    let start: Duration
    /// Whether the transport waits for a permit.
    var isQueued = false
    /// When the transport's wait for a permit ended, if there was one.
    var admitted: Duration?
    /// When the head was sent last: a transport may send it again, or one to a proxy before it.
    var sentHead: Duration?
    /// When the head was sent, then when each piece of the body was.
    var sent: Duration?
    /// When the first sign of a response was received.
    var received: Duration?
    /// When the hop ended, with what the transport measured.
    var ended: (instant: Duration, metrics: TransportMetrics)?
    /// Whether a connection of this hop needs a handshake.
    var isSecure = false

    init(start: Duration) { self.start = start }

    var end: Duration? { ended?.instant }

    /// The phases one after the other, without gaps, up to the hop's end or, if that is not known, up to `now`.
    func segments(now: Duration) -> [Segment] {
        let end = max(end ?? now, start)
        guard let timings = ended?.metrics.timings else { return estimated(to: end) }
        return measured(timings, to: end)
    }

    /// With the transport's own times, which count from the begin of the transfer.
    private func measured(_ timings: TransferTimings, to end: Duration) -> [Segment] {
        let begin = begin(timings, end)
        var line = Line(begin: start, end: end)
        line.add(.queue, to: begin)
        line.add(.dns, to: begin + timings.nameLookup)
        guard isConnected(timings) else { return line.finished(.connect) }
        line.add(.connect, to: begin + timings.connect)
        let hasFailed = timings.firstByte == .zero && received == nil
        if isSecure, timings.connect > .zero, timings.tlsHandshake == .zero, hasFailed { return line.finished(.tls) }
        line.add(.tls, to: begin + timings.tlsHandshake)
        if let sent { line.add(.send, to: sent) }
        // libcurl may count the first byte of an upload as the first byte.
        let isFirstByteReceived = timings.firstByte > .zero && begin + timings.firstByte >= sent ?? .zero
        let firstByte = isFirstByteReceived ? begin + timings.firstByte : received ?? end
        line.add(.wait, to: firstByte)
        return line.finished(.receive)
    }

    /// The latest begin that allows for the events: each is sent at, or some time after, the step that it reports.
    private func begin(_ timings: TransferTimings, _ end: Duration) -> Duration {
        let isReady = max(timings.nameLookup, timings.connect, timings.tlsHandshake)
        let latest = [end - timings.total, sentHead.map { $0 - isReady }, received.map { $0 - timings.firstByte }]
        return min(max(admitted ?? start, latest.compactMap(\.self).min() ?? end), end)
    }

    /// On a reused connection all steps before the request take no time.
    private func isConnected(_ timings: TransferTimings) -> Bool {
        timings.connect > .zero || timings.firstByte > .zero || ended?.metrics.isConnectionReused == true
    }

    /// With the times at which events were sent.
    private func estimated(to end: Duration) -> [Segment] {
        var line = Line(begin: start, end: end)
        if isQueued { return line.finished(.queue) }
        if let admitted { line.add(.queue, to: admitted) }
        if let sent { line.add(.send, to: sent) }
        line.add(.wait, to: received ?? end)
        return line.finished(.receive)
    }
}

/// Segments that follow each other.
private struct Line {
    private var segments: [Segment] = []
    private var position: Duration
    private let end: Duration

    init(begin: Duration, end: Duration) { (position, self.end) = (begin, end) }

    /// A phase from the last one's end; of no time if this is earlier.
    mutating func add(_ phase: Phase, to instant: Duration) {
        let next = min(max(instant, position), end)
        if next > position { segments.append(Segment(phase, from: position, to: next)) }
        position = next
    }

    consuming func finished(_ phase: Phase) -> [Segment] {
        add(phase, to: end)
        return segments
    }
}
