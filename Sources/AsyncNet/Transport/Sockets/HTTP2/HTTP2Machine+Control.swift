extension HTTP2Machine {
    mutating func receiveSettings(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        guard !header.flags.contains(.acknowledges) else {
            try require(payload.isEmpty, else: .frameSizeError, "an acknowledgement of SETTINGS with a payload", "6.5")
            if !pings.receivedSettingsAcknowledgement(now()) { try budget.spend("SETTINGS", now()) }
            return nil
        }
        try budget.spend("SETTINGS", now())
        let before = peer.settings.initialWindow
        try peer.apply(payload)
        headerWriter.setTableLimit(peer.settings.tableSize)
        output.append(frame: .settings, .acknowledges, length: 0)
        // A smaller window may make the windows of streams negative (RFC 9113 §6.9.2).
        for stream in streams.values {
            stream.sendWindow += peer.settings.initialWindow - before
            try require(
                stream.sendWindow <= HTTP2Settings.largestWindow, else: .flowControlError,
                "SETTINGS that make a window larger than 2^31 - 1", "6.9.2")
        }
        return .settled
    }

    mutating func receiveWindowUpdate(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        let increment = Int(payload.number(at: 0) & 0x7FFF_FFFF)
        // Large increments for uploads are no flood: the largest window bounds their sum (RFC 9113 §6.9.1).
        let isSending = header.stream == 0 || streams[header.stream]?.isRequestSent == false
        if increment < HTTP2Settings.usefulIncrement || !isSending { try budget.spend("WINDOW_UPDATE", now()) }
        guard header.stream != 0 else {
            try flow.widenSendWindow(of: nil, by: increment)
            return nil
        }
        try header.checkOpened(below: nextStream)
        guard let stream = streams[header.stream] else { return nil }
        do throws(HTTP2Violation) { try flow.widenSendWindow(of: stream, by: increment) } catch {
            return fail(stream, error)
        }
        return nil
    }

    mutating func receiveReset(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        try header.checkOpened(below: nextStream)
        guard let stream = streams[header.stream] else {
            try budget.spend("RST_STREAM", now())
            return nil
        }
        let code = payload.number(at: 0)
        forget(stream)
        if code == HTTP2ErrorCode.refusedStream.rawValue { peer.refusedAbove = max(1, streams.count) }
        // After a complete response the rest of the request is not wanted (RFC 9113 §8.1).
        return stream.phase == .ended ? nil : .reset(stream, code: code)
    }

    mutating func receivePing(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        guard !header.flags.contains(.acknowledges) else {
            if pings.waitsSince == nil { try budget.spend("PING", now()) }
            let isSettled = pings.receivedAnswer(now())
            // Sends another PING for the streams that were cancelled after this one was sent.
            if pings.hasCancelled { ping() }
            return isSettled ? .settled : nil
        }
        try budget.spend("PING", now())
        output.append(frame: .ping, .acknowledges, length: 8)
        output.append(contentsOf: payload)
        return nil
    }

    mutating func receiveGoAway(_ payload: Input) throws(HTTP2Violation) -> Event? {
        try budget.spend("GOAWAY", now())
        try require(payload.count >= 8, else: .frameSizeError, "a GOAWAY frame of \(payload.count) bytes", "6.8")
        let (last, code) = (payload.number(at: 0) & 0x7FFF_FFFF, payload.number(at: 4))
        isGoingAway = true
        peer.goAwayCode = code
        let unprocessed = streams.values.filter { $0.id > last }
        for stream in unprocessed { forget(stream) }
        return .goAway(unprocessed.sorted { $0.id < $1.id }, code: code)
    }
}

/// Takes two facts from answers to PING frames and from the acknowledgement of SETTINGS: the time of a round trip, and
/// that the peer has received all earlier frames.
struct HTTP2Pings {
    private(set) var roundTrip: Duration?
    var settingsSent: ContinuousClock.Instant?
    private(set) var waitsSince: ContinuousClock.Instant?
    /// How many cancelled streams the peer may still count as open: cancelled since the last PING, and before it.
    private var cancelled = 0
    private var cancelledBefore = 0

    /// - Returns: Whether this side had waited for the acknowledgement.
    mutating func receivedSettingsAcknowledgement(_ now: ContinuousClock.Instant) -> Bool {
        guard let sent = settingsSent.take() else { return false }
        measured(now - sent)
        return true
    }

    mutating func sent(_ now: ContinuousClock.Instant) {
        waitsSince = now
        (cancelledBefore, cancelled) = (cancelled, 0)
    }

    mutating func didCancel() { cancelled += 1 }

    var hasCancelled: Bool { cancelled > 0 }
    var streamsInDoubt: Int { cancelled + cancelledBefore }

    /// - Returns: Whether the peer has now ended streams that it may have counted as open.
    mutating func receivedAnswer(_ now: ContinuousClock.Instant) -> Bool {
        guard let sent = waitsSince.take() else { return false }
        measured(now - sent)
        defer { cancelledBefore = 0 }
        return cancelledBefore > 0
    }

    private mutating func measured(_ time: Duration) { roundTrip = min(roundTrip ?? time, time) }
}
