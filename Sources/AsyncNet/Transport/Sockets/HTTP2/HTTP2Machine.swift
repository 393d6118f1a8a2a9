import Foundation

/// The client's side of a connection over HTTP/2 (RFC 9113), without I/O: it reads frames in a buffer of the caller's and says
/// what they are, and writes frames to `output`, which the caller sends. It holds no bytes of bodies.
///
///     frame's header → (DATA: its bytes, as they arrive) | (HEADERS, CONTINUATION …: a block) | a frame as a whole → …
///
/// What a server sends against RFC 9113 is thrown if it ends the connection, and is a stream's `failed` event otherwise. Every
/// kind of frame without effect is counted: a flood ends the connection.
struct HTTP2Machine: ~Copyable {
    typealias Input = UnsafeRawBufferPointer

    enum Event {
        case informational(HTTP2Stream, HTTPResponseHead)
        case head(HTTP2Stream, HTTPResponseHead)
        /// Bytes of a body, by their place in the input. The caller calls `didRead` once the reader has taken them.
        case body(HTTP2Stream, Range<Int>)
        case trailers(HTTP2Stream, HTTPHeaders)
        case complete(HTTP2Stream)
        case failed(HTTP2Stream, Failure)
        /// The limit of open streams may have changed: by SETTINGS, or since the peer has answered the PING after
        /// cancelled streams.
        case settled
        /// The peer ends the connection. The machine has forgotten these streams, which the peer has not processed (RFC
        /// 9113 §6.8).
        case goAway([HTTP2Stream], code: UInt32)
        case frame
    }

    enum Failure {
        /// The server has reset the stream, with a code of RFC 9113 §7 or another one.
        case reset(UInt32)
        case violation(HTTP2Violation)
    }

    struct DataFrame {
        /// The stream; `nil` if it has ended on this side.
        let stream: HTTP2Stream?
        var left: Int
        var padding: Int
        let endsStream: Bool
    }

    let limits: HTTP2Limits
    private let assumedStreams: Int
    var output: [UInt8]
    var settings = HTTP2Settings()
    var streams: [UInt32: HTTP2Stream] = [:]
    var nextStream: UInt32 = 1
    var sendWindow = 65_535
    var receiveWindow: HTTP2ReceiveWindow
    var streamWindows = 0
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoder()
    private var data: DataFrame?
    var block: HeaderBlock?
    /// The stream whose end `next` returns next.
    var ending: HTTP2Stream?
    var budget = FrameBudget()
    private var emptyFrames = 0
    /// How many bytes may still arrive on streams that this side has ended.
    private var lateBytes = 0
    private(set) var hasSettings = false
    var isGoingAway = false
    /// The error code of the peer's GOAWAY.
    var goAwayCode: UInt32?
    var pings = HTTP2Pings()
    /// The limit of open streams since the peer refused a stream. Each complete response raises the limit by one.
    var refusedAbove: Int?

    /// - Parameter streams: The limit of open streams to assume until the peer's SETTINGS arrive; `nil` for 100.
    init(_ limits: HTTP2Limits, streams: Int? = nil, now: ContinuousClock.Instant) {
        (self.limits, assumedStreams) = (limits, streams ?? 100)
        output = HTTP2Settings.opening(limits)
        receiveWindow = HTTP2ReceiveWindow(limits.advertisedWindow, step: limits.connectionStep)
        pings.sentSettings(now)
    }

    /// What comes next in the input from `position` on, which moves behind it; `nil` if more bytes are needed.
    mutating func next(
        in input: Input, _ position: inout Int, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        if let stream = ending.take() { return end(stream) }
        if data != nil { return receiveData(in: input, &position, now) }
        guard input.count - position >= HTTP2Frame.Header.size else {
            try checkPreface(Input(rebasing: input[position...]))
            return nil
        }
        let header = HTTP2Frame.Header(Input(rebasing: input[position...]))
        try checkPreface(Input(rebasing: input[position...]))
        try check(header)
        guard header.kind != .data else {
            guard header.length == 0 || input.count - position > HTTP2Frame.Header.size else { return nil }
            position += HTTP2Frame.Header.size
            return try beginData(header, in: input, &position, now)
        }
        let end = position + HTTP2Frame.Header.size + header.length
        guard input.count >= end else { return nil }
        let payload = Input(rebasing: input[(position + HTTP2Frame.Header.size)..<end])
        position = end
        return try receive(header, payload, now) ?? .frame
    }

    var streamLimit: Int {
        min(
            settings.concurrentStreams.map(Int.init) ?? (hasSettings ? Self.unlimited : assumedStreams),
            refusedAbove ?? .max)
    }

    private static var unlimited: Int { 1000 }

    /// The server's first frame is SETTINGS (RFC 9113 §3.4). A server that does not speak HTTP/2 answers in HTTP/1.1.
    private func checkPreface(_ input: Input) throws(HTTP2Violation) {
        guard !hasSettings, input.count >= 5, input.prefix(5).elementsEqual("HTTP/".utf8) else { return }
        throw HTTP2Violation(.protocolError, "an answer in HTTP/1 to HTTP/2", "3.4")
    }

    private func check(_ header: HTTP2Frame.Header) throws(HTTP2Violation) {
        if !hasSettings, header.kind != .settings || header.flags.contains(.acknowledges) {
            throw HTTP2Violation(.protocolError, "a first frame that is not the SETTINGS of HTTP/2", "3.4")
        }
        let name = header.kind?.name ?? "unknown"
        if let block, header.kind != .continuation || header.stream != block.stream {
            throw HTTP2Violation(.protocolError, "a frame (\(name)) inside a block of HEADERS", "6.10")
        }
        guard header.length <= HTTP2Frame.payloadSize else {
            throw HTTP2Violation(.frameSizeError, "a frame (\(name)) of \(header.length) bytes", "4.2")
        }
        switch header.kind {
        case .data, .headers, .priority, .reset, .continuation:
            if header.stream != 0 { return }
            throw HTTP2Violation(.protocolError, "a frame (\(name)) on stream 0", "6")
        case .settings, .ping, .goAway:
            if header.stream == 0 { return }
            throw HTTP2Violation(.protocolError, "a frame (\(name)) on a stream other than 0", "6")
        default: break
        }
    }

    /// Whether a stream has not been opened. A client opens all streams, with odd numbers (RFC 9113 §5.1.1).
    func isIdle(_ stream: UInt32) -> Bool { stream >= nextStream || stream % 2 == 0 }

    func checkKnown(_ header: HTTP2Frame.Header) throws(HTTP2Violation) {
        guard isIdle(header.stream) else { return }
        let name = header.kind?.name ?? "unknown"
        throw HTTP2Violation(.protocolError, "a frame (\(name)) on a stream that was not opened", "5.1")
    }

    mutating func spend(_ frame: String, _ now: ContinuousClock.Instant) throws(HTTP2Violation) {
        guard budget.take(now) else {
            throw HTTP2Violation(.enhanceYourCalm, "too many frames (\(frame)) without effect", "10.5")
        }
    }

    private mutating func receive(
        _ header: HTTP2Frame.Header, _ payload: Input, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        switch header.kind {
        case .headers: return try beginBlock(header, payload, now)
        case .continuation: return try continueBlock(header, payload, now)
        case .settings:
            if !header.flags.contains(.acknowledges) { hasSettings = true }
            return try receiveSettings(header, payload, now)
        case .windowUpdate: return try receiveWindowUpdate(header, payload, now)
        case .reset: return try receiveReset(header, payload, now)
        case .ping: return try receivePing(header, payload, now)
        case .goAway: return try receiveGoAway(payload, now)
        case .pushPromise:
            throw HTTP2Violation(.protocolError, "a PUSH_PROMISE frame, though push is off", "6.6")
        case .priority:
            try spend("PRIORITY", now)
            guard payload.count == 5 else {
                throw HTTP2Violation(.frameSizeError, "a PRIORITY frame of \(payload.count) bytes", "6.3")
            }
            return nil
        case .data, nil:
            try spend("of unknown kinds", now)
            return nil
        }
    }

    private mutating func beginData(
        _ header: HTTP2Frame.Header, in input: Input, _ position: inout Int, _ now: ContinuousClock.Instant
    ) throws(HTTP2Violation) -> Event? {
        try checkKnown(header)
        guard receiveWindow.receive(header.length) else {
            throw HTTP2Violation(.flowControlError, "DATA beyond the connection's window", "6.9.1")
        }
        var padding = 0
        if header.flags.contains(.padded) {
            guard header.length > 0, Int(input[position]) < header.length else {
                throw HTTP2Violation(.protocolError, "a DATA frame whose padding is longer than it", "6.1")
            }
            padding = Int(input[position]) + 1
            position += 1
        }
        let endsStream = header.flags.contains(.endStream)
        let stream = streams[header.stream]
        try count(emptyFrame: header.length == padding && !endsStream)
        if stream == nil {
            lateBytes -= header.length
            if lateBytes < 0 || header.length == 0 { try spend("DATA of ended streams", now) }
        }
        data = DataFrame(
            stream: stream, left: header.length - padding, padding: max(0, padding - 1), endsStream: endsStream)
        // Padding counts as read when it arrives.
        credit(padding, of: stream, now)
        if stream == nil { credit(header.length - padding, of: nil, now) }
        guard let stream else { return receiveData(in: input, &position, now) ?? .frame }
        do throws(HTTP2Violation) {
            guard stream.receiveWindow.receive(header.length) else {
                throw HTTP2Violation(.flowControlError, "DATA beyond its stream's window", "6.9.1")
            }
            try stream.receive(header.length - padding)
        } catch {
            data = DataFrame(
                stream: nil, left: header.length - padding, padding: max(0, padding - 1), endsStream: false)
            credit(header.length - padding, of: nil, now)
            return fail(stream, error)
        }
        return receiveData(in: input, &position, now) ?? .frame
    }

    private mutating func count(emptyFrame isEmpty: Bool) throws(HTTP2Violation) {
        emptyFrames = isEmpty ? emptyFrames + 1 : 0
        guard emptyFrames <= limits.emptyDataFrames else {
            throw HTTP2Violation(
                .enhanceYourCalm, "more than \(limits.emptyDataFrames) DATA frames without bytes", "10.5")
        }
    }

    /// - Returns: `nil` if more bytes are needed.
    private mutating func receiveData(
        in input: Input, _ position: inout Int, _ now: ContinuousClock.Instant
    ) -> Event? {
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
        // A stream may have ended here between two parts of the frame.
        let stream = frame.stream.flatMap { streams[$0.id] === $0 ? $0 : nil }
        if isWhole, frame.endsStream, let stream {
            guard count > 0 else { return end(stream) }
            ending = stream
        }
        if count > 0, let stream { return .body(stream, range) }
        if count > 0, frame.stream != nil { credit(count, of: nil, now) }
        return count > 0 || isWhole ? .frame : nil
    }

    private mutating func end(_ stream: HTTP2Stream) -> Event {
        do throws(HTTP2Violation) {
            try stream.receiveEnd()
            // The server may take more again.
            refusedAbove = refusedAbove.map { $0 + 1 }
            if stream.isRequestSent { forget(stream) }
            return .complete(stream)
        } catch {
            return fail(stream, error)
        }
    }

    mutating func fail(_ stream: HTTP2Stream, _ violation: HTTP2Violation) -> Event {
        reset(stream, violation.code)
        return .failed(stream, .violation(violation))
    }

    mutating func forget(_ stream: HTTP2Stream) {
        if ending === stream { ending = nil }
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        streamWindows -= stream.receiveWindow.size
        lateBytes = max(0, lateBytes) + max(0, stream.receiveWindow.available)
    }

    func isOpen(_ stream: HTTP2Stream) -> Bool {
        streams[stream.id] === stream && stream.phase != .ended && ending !== stream
    }
}
