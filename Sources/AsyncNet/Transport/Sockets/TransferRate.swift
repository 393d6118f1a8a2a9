/// How many bytes a transfer may move now, so that its average rate since the start does not exceed a limit.
struct TransferRate {
    let bytesPerSecond: Int64
    let start: ContinuousClock.Instant

    /// How many bytes may be moved at once: those of a tenth of a second.
    var portion: Int { Int(max(1, min(bytesPerSecond / 10, 1 << 40))) }

    enum Decision: Equatable {
        case move(atMost: Int)
        case wait(Duration)
    }

    /// Waits for a whole portion once less than half of one is allowed: the loop would otherwise wake up for each byte,
    /// and send it in a frame of its own.
    func decision(after moved: Int64, now: ContinuousClock.Instant) -> Decision {
        let portion = Double(portion)
        let allowed = (now - start) / .seconds(1) * Double(bytesPerSecond) + portion - Double(moved)
        if allowed >= max(1, portion / 2) { return .move(atMost: Int(min(allowed, portion))) }
        return .wait(start + .seconds(Double(moved) / Double(bytesPerSecond)) - now)
    }
}
