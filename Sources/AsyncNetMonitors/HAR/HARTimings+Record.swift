import AsyncNet

extension HARTimings {
    /// The phases that the transport has measured; without measurements, the times between the events of the hop.
    init(_ record: HARExchange) {
        self.init()
        let waits = [record.blockedBefore, record.blocked].compactMap(\.self)
        if !waits.isEmpty { blocked = Self.milliseconds(waits.reduce(.zero, +)) }
        if let timings = record.metrics.timings { measured(timings, record) } else { observed(record) }
    }

    private mutating func measured(_ timings: TransferTimings, _ record: HARExchange) {
        var start = Duration.zero
        if record.metrics.isConnectionReused != true {
            start = max(timings.connect, timings.tlsHandshake)
            if timings.nameLookup > .zero { dns = Self.milliseconds(timings.nameLookup) }
            if start > .zero { connect = Self.milliseconds(start - timings.nameLookup) }
            if timings.tlsHandshake > .zero { ssl = Self.milliseconds(timings.tlsHandshake - timings.connect) }
        }
        // Without a first byte, the wait for the response lasts until the transfer's end.
        let end = max(timings.total, start)
        let first = timings.firstByte > .zero ? min(max(timings.firstByte, start), end) : end
        // A transport may report a small body as sent only with the response; `send` is 0 then.
        let sent = bodySent(record).flatMap { $0 > start && $0 < first ? $0 : nil } ?? start
        send = Self.milliseconds(sent - start)
        wait = Self.milliseconds(first - sent)
        receive = Self.milliseconds(end - first)
    }

    /// The time from the transfer's start until the request's body was sent.
    private func bodySent(_ record: HARExchange) -> Duration? {
        record.bodySentAt.map { $0 - record.start - (record.blocked ?? .zero) }
    }

    private mutating func observed(_ record: HARExchange) {
        let begin = record.start + (record.blocked ?? .zero)
        let end = max(record.end ?? begin, begin)
        let responded = min(max(record.respondedAt ?? end, begin), end)
        let sent = min(max(record.bodySentAt ?? begin, begin), responded)
        send = Self.milliseconds(sent - begin)
        wait = Self.milliseconds(responded - sent)
        receive = Self.milliseconds(end - responded)
    }

    /// Rounded to microseconds; not negative.
    private static func milliseconds(_ duration: Duration) -> Double {
        (max(duration, .zero) / .microseconds(1)).rounded() / 1000
    }
}
