/// When bytes have passed over one direction of a link, without a clock: all times are counted from one moment.
///
/// Bytes pass in the order in which senders give them to the link.
struct LinkSchedule: Hashable, Sendable {
    /// `nil` means no limit.
    let bytesPerSecond: Int?
    /// When all bytes so far have passed.
    private(set) var end: Duration = .zero

    init(bytesPerSecond: Int?) { self.bytesPerSecond = bytesPerSecond.map { max(1, $0) } }

    /// - Returns: When the last of these bytes has passed, if they are given now.
    mutating func pass(_ count: Int, now: Duration) -> Duration {
        guard bytesPerSecond != nil else { return now }
        end = max(end, now) + Self.duration(of: count, at: bytesPerSecond)
        return end
    }

    /// How many bytes a sender gives at once: those of 50 milliseconds, at most 64 KiB. With fewer, senders would wake
    /// more often; with more, bytes would arrive in bursts, and other senders would wait longer.
    var quantum: Int { bytesPerSecond.map { min(max(1, $0 / 20), 64 * 1024) } ?? .max }

    /// The time of these bytes alone.
    static func duration(of count: Int, at bytesPerSecond: Int?) -> Duration {
        bytesPerSecond.map { .seconds(max(0, count)) / max(1, $0) } ?? .zero
    }
}
