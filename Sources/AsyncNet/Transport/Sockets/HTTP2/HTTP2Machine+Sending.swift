extension HTTP2Machine {
    var capacity: Int {
        guard !isGoingAway, nextStream <= HTTP2Stream.lastID else { return 0 }
        let numbers = Int(HTTP2Stream.lastID - nextStream) / 2 + 1
        return max(0, min(peer.streamLimit - streams.count - pings.streamsInDoubt, numbers, flow.roomForStreams))
    }

    /// Opens a stream with the fields of a request, pseudo-header fields first.
    mutating func open(_ stream: HTTP2Stream, _ fields: HTTPHeaders, endsStream: Bool) {
        stream.id = nextStream
        nextStream += 2
        // Later requests need another connection.
        if nextStream > HTTP2Stream.lastID { isGoingAway = true }
        flow.opened(stream, sendWindow: peer.settings.initialWindow)
        streams[stream.id] = stream
        stream.isRequestSent = endsStream
        let start = output.count
        headerWriter.write(fields, to: &output, on: stream.id, endsStream: endsStream, peer.settings)
        stream.sentHeadBytes = output.count - start
    }

    mutating func sendTrailers(_ stream: HTTP2Stream, _ trailers: HTTPHeaders) {
        headerWriter.write(trailers, to: &output, on: stream.id, endsStream: true, peer.settings)
        didSend(stream)
    }

    /// How many bytes of the body the peer takes now, in one frame.
    func room(of stream: HTTP2Stream) -> Int {
        max(0, min(stream.sendWindow, flow.sendWindow, peer.settings.frameSize))
    }

    mutating func sendData(_ stream: HTTP2Stream, _ bytes: Input, isLast: Bool) {
        output.append(frame: .data, isLast ? .endStream : [], on: stream.id, length: bytes.count)
        output.append(contentsOf: bytes)
        flow.didSend(bytes.count, on: stream)
        // The peer may send WINDOW_UPDATE for the stream and for the connection after each frame.
        budget.refund(2)
        if isLast { didSend(stream) }
    }

    private mutating func didSend(_ stream: HTTP2Stream) {
        stream.isRequestSent = true
        if stream.phase == .ended { forget(stream) }
    }

    mutating func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        guard streams[stream.id] === stream else { return }
        forget(stream)
        // The peer may have sent frames before it learns of the reset; after its END_STREAM, no DATA.
        budget.refund(4)
        if stream.phase != .ended { budget.allowLate(stream.receiveWindow.available) }
        output.append(frame: .reset, on: stream.id, numbers: code.rawValue)
    }

    /// Ends a stream that nobody waits for, and sends a PING: until the peer answers it, the peer may count the stream
    /// as open.
    mutating func cancel(_ stream: HTTP2Stream) {
        guard streams[stream.id] === stream else { return }
        reset(stream, .cancel)
        pings.didCancel()
        ping()
    }

    mutating func ping() {
        guard pings.waitsSince == nil else { return }
        output.append(frame: .ping, numbers: 0, nextStream)
        pings.sent(now())
    }

    /// Writes a GOAWAY frame with the reason of the connection's end. The frame names the stream 0, since the peer
    /// opens no streams.
    mutating func goAway(_ code: HTTP2ErrorCode) {
        isGoingAway = true
        output.append(frame: .goAway, numbers: 0, code.rawValue)
    }

    /// - Parameter stream: The stream of the bytes; `nil` if it has ended.
    mutating func didRead(_ count: Int, of stream: HTTP2Stream?) {
        let open = stream.flatMap { streams[$0.id] === $0 && $0.phase != .ended && ending !== $0 ? $0 : nil }
        flow.didRead(count, of: open, now(), roundTrip: pings.roundTrip, &output)
    }
}
