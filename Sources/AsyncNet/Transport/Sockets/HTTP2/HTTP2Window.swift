/// How many bytes the peer may send (RFC 9113 §5.2): the bytes on the way and the bytes not read yet are at most `size`
/// together.
struct HTTP2ReceiveWindow {
    private(set) var size: Int
    private let largest: Int
    private let step: Int?
    private(set) var available: Int
    /// Bytes that were read, and for which no WINDOW_UPDATE was sent yet.
    private var read = 0
    private var allowed: ContinuousClock.Instant?

    /// - Parameter step: How many bytes are read before the peer is allowed to send them again; by default a quarter of
    ///   the window.
    init(_ size: Int, growsTo largest: Int? = nil, step: Int? = nil) {
        self.size = size
        available = size
        self.step = step
        self.largest = max(size, largest ?? size)
    }

    mutating func receive(_ count: Int) -> Bool {
        available -= count
        return available >= 0
    }

    /// Counts bytes that have been read; returns how many the peer is allowed to send now, `nil` while they are too few
    /// for a frame. The window doubles, by at most `room`, while it limits the peer: if more than half of the window is
    /// read within the time of a round trip.
    mutating func didRead(_ count: Int, _ now: ContinuousClock.Instant, roundTrip: Duration?, room: Int) -> Int? {
        read += count
        let before = allowed ?? now
        allowed = before
        guard read >= step ?? size / 4 else { return nil }
        var credit = read
        if let roundTrip, size * 2 <= largest, size <= room, now > before,
            Double(read) * (roundTrip / (now - before)) > Double(size) / 2
        {
            credit += size
            size *= 2
        }
        (read, allowed) = (0, now)
        available += credit
        return credit
    }
}

/// The flow control of a connection and its streams (RFC 9113 §5.2).
struct HTTP2FlowControl {
    private let limits: HTTP2Limits
    private(set) var sendWindow = 65_535
    private var receiveWindow: HTTP2ReceiveWindow
    /// The sizes of the receive windows of all open streams together.
    private(set) var streamWindows = 0

    init(_ limits: HTTP2Limits) {
        self.limits = limits
        receiveWindow = HTTP2ReceiveWindow(limits.advertisedWindow, step: limits.connectionStep)
    }

    /// How many more streams have room for their windows.
    var roomForStreams: Int { (limits.connectionWindow - streamWindows) / limits.streamWindow }

    mutating func opened(_ stream: HTTP2Stream, sendWindow: Int) {
        stream.sendWindow = sendWindow
        streamWindows += stream.receiveWindow.size
    }

    mutating func closed(_ stream: HTTP2Stream) { streamWindows -= stream.receiveWindow.size }

    mutating func didSend(_ count: Int, on stream: HTTP2Stream) {
        stream.sendWindow -= count
        sendWindow -= count
    }

    /// Takes the increment of a WINDOW_UPDATE frame: the connection's if there is no stream.
    mutating func widenSendWindow(of stream: HTTP2Stream?, by increment: Int) throws(HTTP2Violation) {
        try require(increment > 0, else: .protocolError, "a WINDOW_UPDATE frame of 0", "6.9")
        let size = (stream?.sendWindow ?? sendWindow) + increment
        try require(
            size <= HTTP2Settings.largestWindow, else: .flowControlError, "WINDOW_UPDATE beyond a window of 2^31 - 1",
            "6.9.1")
        if let stream { stream.sendWindow = size } else { sendWindow = size }
    }

    mutating func receive(_ count: Int) throws(HTTP2Violation) {
        try require(
            receiveWindow.receive(count), else: .flowControlError, "DATA beyond the connection's window", "6.9.1")
    }

    /// Counts bytes of bodies that have been read, and writes WINDOW_UPDATE frames once they are enough.
    mutating func didRead(
        _ count: Int, of stream: HTTP2Stream?, _ now: ContinuousClock.Instant, roundTrip: Duration?,
        _ output: inout [UInt8]
    ) {
        guard count > 0 else { return }
        if let credit = receiveWindow.didRead(count, now, roundTrip: nil, room: 0) {
            output.append(frame: .windowUpdate, numbers: UInt32(credit))
        }
        guard let stream else { return }
        let size = stream.receiveWindow.size
        let room = limits.connectionWindow / 2 - streamWindows
        if let credit = stream.receiveWindow.didRead(count, now, roundTrip: roundTrip, room: room) {
            output.append(frame: .windowUpdate, on: stream.id, numbers: UInt32(credit))
        }
        streamWindows += stream.receiveWindow.size - size
    }
}
