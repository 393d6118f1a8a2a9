extension HTTP2Machine {
    var capacity: Int {
        guard !isGoingAway, nextStream <= Self.lastStream else { return 0 }
        let numbers = Int(Self.lastStream - nextStream) / 2 + 1
        let windows = (limits.connectionWindow - streamWindows) / limits.streamWindow
        return max(0, min(streamLimit - streams.count - pings.streamsInDoubt, numbers, windows))
    }

    private static var lastStream: UInt32 { 0x7FFF_FFFD }

    /// Opens a stream with a request's head: `write` calls its parameter with each field, pseudo-header fields first.
    mutating func open(
        _ stream: HTTP2Stream, endsStream: Bool, _ write: (_ add: (String, String) -> Void) -> Void
    ) {
        stream.id = nextStream
        nextStream += 2
        // Later requests need another connection.
        if nextStream > Self.lastStream { isGoingAway = true }
        stream.sendWindow = settings.initialWindow
        streams[stream.id] = stream
        streamWindows += stream.receiveWindow.size
        stream.isRequestSent = endsStream
        let start = output.count
        writeFields(stream, endsStream: endsStream, write)
        stream.sentHeadBytes = output.count - start
    }

    mutating func sendTrailers(_ stream: HTTP2Stream, _ write: (_ add: (String, String) -> Void) -> Void) {
        writeFields(stream, endsStream: true, write)
        didSend(stream)
    }

    /// Writes a HEADERS frame, and CONTINUATION frames for what the peer does not take in one frame.
    private mutating func writeFields(
        _ stream: HTTP2Stream, endsStream: Bool, _ write: (_ add: (String, String) -> Void) -> Void
    ) {
        let start = output.count
        let size = HTTP2Frame.Header.size
        output.append(frame: .headers, on: stream.id, length: 0)
        encoder.begin(into: &output)
        write { name, value in encoder.encode(name, value, HPACKEncoder.indexing(of: name), into: &output) }
        let length = output.count - start - size
        var flags: HTTP2Frame.Flags = endsStream ? .endStream : []
        if length <= settings.frameSize {
            flags.insert(.endHeaders)
            setFrame(at: start, length, flags)
        } else {
            split(from: start, stream.id, flags)
        }
    }

    private mutating func setFrame(at start: Int, _ length: Int, _ flags: HTTP2Frame.Flags) {
        output[start] = UInt8(length >> 16)
        output[start + 1] = UInt8(length >> 8 & 0xFF)
        output[start + 2] = UInt8(length & 0xFF)
        output[start + 4] = flags.rawValue
    }

    private mutating func split(from start: Int, _ stream: UInt32, _ flags: HTTP2Frame.Flags) {
        var rest = Array(output[(start + HTTP2Frame.Header.size)...])[...]
        output.removeSubrange(start...)
        var kind = HTTP2Frame.Kind.headers
        while !rest.isEmpty {
            let part = rest.prefix(settings.frameSize)
            rest = rest.dropFirst(part.count)
            var all: HTTP2Frame.Flags = kind == .headers ? flags : []
            if rest.isEmpty { all.insert(.endHeaders) }
            output.append(frame: kind, all, on: stream, length: part.count)
            output.append(contentsOf: part)
            kind = .continuation
        }
    }

    /// How many bytes of the body the peer takes now, in one frame.
    func room(of stream: HTTP2Stream) -> Int { max(0, min(stream.sendWindow, sendWindow, settings.frameSize)) }

    mutating func sendData(_ stream: HTTP2Stream, _ bytes: Input, isLast: Bool) {
        output.append(frame: .data, isLast ? .endStream : [], on: stream.id, length: bytes.count)
        output.append(contentsOf: bytes)
        stream.sendWindow -= bytes.count
        sendWindow -= bytes.count
        // The peer may send WINDOW_UPDATE for the stream and for the connection after each frame.
        budget.refund(20)
        if isLast { didSend(stream) }
    }

    private mutating func didSend(_ stream: HTTP2Stream) {
        stream.isRequestSent = true
        if stream.phase == .ended { forget(stream) }
    }

    mutating func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        guard streams[stream.id] === stream else { return }
        forget(stream)
        // The peer may have sent frames before it learns of the reset.
        budget.refund(4)
        output.append(frame: .reset, on: stream.id, numbers: code.rawValue)
    }

    /// Ends a stream that nobody waits for, and sends a PING: until the peer answers it, the peer may count the stream
    /// as open.
    mutating func cancel(_ stream: HTTP2Stream, _ now: ContinuousClock.Instant) {
        guard streams[stream.id] === stream else { return }
        reset(stream, .cancel)
        pings.didCancel()
        pingIfNeeded(now)
    }

    mutating func pingIfNeeded(_ now: ContinuousClock.Instant) {
        if pings.hasCancelled, pings.waitsSince == nil { ping(now) }
    }

    mutating func ping(_ now: ContinuousClock.Instant) {
        guard pings.waitsSince == nil else { return }
        output.append(frame: .ping, numbers: 0, nextStream)
        pings.sent(now)
    }

    /// Writes a GOAWAY frame with the reason of the connection's end. The frame names the stream 0, since the peer
    /// opens no streams.
    mutating func goAway(_ code: HTTP2ErrorCode) {
        isGoingAway = true
        output.append(frame: .goAway, numbers: 0, code.rawValue)
    }

    mutating func didRead(_ count: Int, of stream: HTTP2Stream, _ now: ContinuousClock.Instant) {
        credit(count, of: isOpen(stream) ? stream : nil, now)
    }

    /// - Parameter stream: The stream of the bytes; `nil` if it has ended.
    mutating func credit(_ count: Int, of stream: HTTP2Stream?, _ now: ContinuousClock.Instant) {
        guard count > 0 else { return }
        if let credit = receiveWindow.didRead(count, now, roundTrip: nil, room: 0) {
            output.append(frame: .windowUpdate, numbers: UInt32(credit))
        }
        guard let stream else { return }
        let before = stream.receiveWindow.size
        let room = limits.connectionWindow / 2 - streamWindows
        guard let credit = stream.receiveWindow.didRead(count, now, roundTrip: pings.roundTrip, room: room) else {
            return
        }
        streamWindows += stream.receiveWindow.size - before
        output.append(frame: .windowUpdate, on: stream.id, numbers: UInt32(credit))
    }
}
