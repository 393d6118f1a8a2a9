/// How many bytes a transfer may move now, so that its average rate since the start does not exceed a limit.
struct TransferRate {
    let bytesPerSecond: Int64
    let start: ContinuousClock.Instant

    /// How many bytes may be moved at once, in seconds of the rate; also the longest pause, in seconds.
    private static let portion = 0.1

    enum Decision: Equatable {
        case move(atMost: Int)
        case wait(Duration)
    }

    func decision(after moved: Int64, now: ContinuousClock.Instant) -> Decision {
        let portion = max(1, Double(bytesPerSecond) * Self.portion)
        let allowed = (now - start) / .seconds(1) * Double(bytesPerSecond) + portion - Double(moved)
        if allowed >= 1 { return .move(atMost: Int(min(allowed, portion, 0x1p40))) }
        let due = (Double(moved) + 1 - portion) / Double(bytesPerSecond)
        return .wait(start + .seconds(due) - now)
    }
}
