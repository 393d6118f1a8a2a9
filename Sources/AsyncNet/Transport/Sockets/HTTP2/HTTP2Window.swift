/// How many bytes the peer may send on a stream, or on all of them (RFC 9113 §5.2): the bytes on the way and those that are not
/// read yet are at most `size` together.
struct HTTP2ReceiveWindow {
    private(set) var size: Int
    private let largest: Int
    private let step: Int?
    /// What the peer may still send.
    private(set) var available: Int
    /// What has been read, and not been allowed again.
    private var read = 0
    private var allowed: ContinuousClock.Instant?

    /// - Parameter step: How much is read before it is allowed again; by default a quarter of the window.
    init(_ size: Int, growsTo largest: Int? = nil, step: Int? = nil) {
        self.size = size
        available = size
        self.step = step
        self.largest = max(size, largest ?? size)
    }

    /// The peer has sent bytes. - Returns: whether it was allowed to.
    mutating func receive(_ count: Int) -> Bool {
        available -= count
        return available >= 0
    }

    /// The bytes have been read. The window doubles while it is what limits the peer: if within the time of a round trip
    /// more than half of it is read.
    ///
    /// - Parameters:
    ///   - roundTrip: `nil` if it is not known yet.
    ///   - room: How much larger the window may become.
    /// - Returns: How many bytes the peer is allowed to send now; `nil` while it is not worth a frame.
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
