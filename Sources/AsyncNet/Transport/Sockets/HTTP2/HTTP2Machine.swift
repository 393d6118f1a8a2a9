import Foundation

/// The client's side of a connection over HTTP/2 (RFC 9113), without I/O: it reads frames in a buffer of the caller's
/// and says what they are, and writes frames to `output`, which the caller sends. It holds no bytes of bodies.
///
///     frame's header → (DATA: its bytes, as they arrive) | (HEADERS, CONTINUATION …: a block) | a frame as a whole → …
///
/// What a server sends against RFC 9113 is thrown if it ends the connection, and is a stream's `failed` event
/// otherwise. Every kind of frame without effect is counted: a flood ends the connection.
struct HTTP2Machine: ~Copyable {
    typealias Input = UnsafeRawBufferPointer

    enum Event {
        case informational(HTTP2Stream, HTTPResponseHead)
        case head(HTTP2Stream, HTTPResponseHead)
        /// Bytes of a body, by their place in the input. The caller calls `didRead` once the reader has taken them.
        case body(HTTP2Stream, Range<Int>)
        case trailers(HTTP2Stream, HTTPHeaders)
        case complete(HTTP2Stream)
        /// The server has reset the stream, with a code of RFC 9113 §7 or another one.
        case reset(HTTP2Stream, code: UInt32)
        /// This side has reset the stream.
        case failed(HTTP2Stream, HTTP2Violation)
        /// The limit of open streams may have changed: by SETTINGS, or since the peer has answered the PING after
        /// cancelled streams.
        case settled
        /// The peer ends the connection. The machine has forgotten these streams, which the peer has not processed (RFC
        /// 9113 §6.8).
        case goAway([HTTP2Stream], code: UInt32)
        case frame
    }

    private struct DataFrame {
        /// The stream; `nil` if it was reset or is complete, or if this frame made it fail.
        var stream: HTTP2Stream?
        var left: Int
        var padding: Int
        let endsStream: Bool
    }

    let limits: HTTP2Limits
    let now: () -> ContinuousClock.Instant
    var output: [UInt8]
    var peer: HTTP2Peer
    var streams: [UInt32: HTTP2Stream] = [:]
    var nextStream: UInt32 = 1
    var flow: HTTP2FlowControl
    var headerReader: HTTP2HeaderReader
    var headerWriter = HTTP2HeaderWriter()
    private var data: DataFrame?
    /// The stream whose `complete` event the next call of `next` returns.
    var ending: HTTP2Stream?
    var budget = FrameBudget()
    var isGoingAway = false
    var pings = HTTP2Pings()

    /// - Parameter streams: The limit of open streams to assume until the peer's SETTINGS arrive; `nil` for 100.
    init(_ limits: HTTP2Limits, streams: Int? = nil, now: @escaping () -> ContinuousClock.Instant) {
        self.limits = limits
        self.now = now
        output = HTTP2Settings.opening(limits)
        peer = HTTP2Peer(assumedStreams: streams ?? 100)
        flow = HTTP2FlowControl(limits)
        headerReader = HTTP2HeaderReader(listBytes: limits.head.headBytes, fields: limits.head.headerLines)
        pings.settingsSent = now()
    }

    /// What comes next in the input from `position` on, which moves behind it; `nil` if more bytes are needed.
    mutating func next(in input: Input, _ position: inout Int) throws(HTTP2Violation) -> Event? {
        if let stream = ending.take() { return end(stream) }
        if data != nil { return receiveData(in: input, &position) }
        let rest = Input(rebasing: input[position...])
        guard rest.count >= HTTP2Frame.Header.size else { return nil }
        let header = HTTP2Frame.Header(rest)
        try header.check(hasSettings: peer.hasSettings, openBlock: headerReader.openStream)
        guard header.kind != .data else {
            guard header.length == 0 || rest.count > HTTP2Frame.Header.size else { return nil }
            position += HTTP2Frame.Header.size
            return try beginData(header, in: input, &position)
        }
        let end = HTTP2Frame.Header.size + header.length
        guard rest.count >= end else { return nil }
        let payload = Input(rebasing: rest[HTTP2Frame.Header.size..<end])
        position += end
        return try receive(header, payload) ?? .frame
    }

    private mutating func receive(_ header: HTTP2Frame.Header, _ payload: Input) throws(HTTP2Violation) -> Event? {
        switch header.kind {
        case .headers:
            try header.checkOpened(below: nextStream)
            return try receive(headerReader.begin(header, payload))
        case .continuation: return try receive(headerReader.goOn(header, payload))
        case .settings: return try receiveSettings(header, payload)
        case .windowUpdate: return try receiveWindowUpdate(header, payload)
        case .reset: return try receiveReset(header, payload)
        case .ping: return try receivePing(header, payload)
        case .goAway: return try receiveGoAway(payload)
        case .pushPromise:
            throw HTTP2Violation(.protocolError, "a PUSH_PROMISE frame, though push is off", "6.6")
        case .priority, .data, nil:
            try budget.spend(header.name, now())
            return nil
        }
    }

    private mutating func beginData(
        _ header: HTTP2Frame.Header, in input: Input, _ position: inout Int
    ) throws(HTTP2Violation) -> Event? {
        try header.checkOpened(below: nextStream)
        try flow.receive(header.length)
        let padding = try header.padding(first: position < input.count ? input[position] : nil)
        if padding > 0 { position += 1 }
        let endsStream = header.flags.contains(.endStream)
        let stream = streams[header.stream]
        try budget.count(emptyFrame: header.length == padding && !endsStream)
        if stream == nil { try budget.spend(late: header.length, now()) }
        data = DataFrame(
            stream: stream, left: header.length - padding, padding: max(0, padding - 1), endsStream: endsStream)
        // Padding counts as read when it arrives.
        didRead(padding, of: stream)
        do throws(HTTP2Violation) { try stream?.receive(header.length, padding: padding) } catch {
            data?.stream = nil
            didRead(header.length - padding, of: nil)
            return stream.map { fail($0, error) }
        }
        if stream == nil { didRead(header.length - padding, of: nil) }
        return receiveData(in: input, &position) ?? .frame
    }

    /// - Returns: `nil` if more bytes are needed.
    private mutating func receiveData(in input: Input, _ position: inout Int) -> Event? {
        guard var frame = data else { return nil }
        let count = min(frame.left, input.count - position)
        let range = position..<(position + count)
        frame.left -= count
        position += count
        if frame.left == 0 {
            let padding = min(frame.padding, input.count - position)
            frame.padding -= padding
            position += padding
        }
        let isWhole = frame.left == 0 && frame.padding == 0
        data = isWhole ? nil : frame
        // This side may have reset the stream since an earlier part: the bytes then belong to no stream.
        let stream = frame.stream.flatMap { streams[$0.id] === $0 ? $0 : nil }
        if isWhole, frame.endsStream, let stream {
            guard count > 0 else { return end(stream) }
            ending = stream
        }
        if count > 0, let stream { return .body(stream, range) }
        if count > 0, frame.stream != nil { didRead(count, of: nil) }
        return count > 0 || isWhole ? .frame : nil
    }

    private mutating func end(_ stream: HTTP2Stream) -> Event {
        do throws(HTTP2Violation) {
            try stream.receiveEnd()
            // A complete response raises the limit that a refused stream has set.
            peer.refusedAbove = peer.refusedAbove.map { $0 + 1 }
            if stream.isRequestSent { forget(stream) }
            return .complete(stream)
        } catch {
            return fail(stream, error)
        }
    }

    mutating func fail(_ stream: HTTP2Stream, _ violation: HTTP2Violation) -> Event {
        reset(stream, violation.code)
        return .failed(stream, violation)
    }

    mutating func forget(_ stream: HTTP2Stream) {
        if ending === stream { ending = nil }
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        flow.closed(stream)
    }
}
