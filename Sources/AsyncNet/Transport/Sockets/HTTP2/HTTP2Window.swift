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
        if allowed == nil { allowed = now }
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
