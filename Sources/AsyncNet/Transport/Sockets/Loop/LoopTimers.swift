typealias LoopTimers = TimerHeap<ContinuousClock.Instant, () -> Void>

extension LoopTimers {
    /// Whether an action is due before an instant; `nil` stands for any time.
    func isDue(before end: ContinuousClock.Instant?) -> Bool {
        guard let earliest, let end else { return earliest != nil }
        return earliest < end
    }

    /// How long to wait for the next action, at most an hour, rounded up, as rounding down would spin; -1 without one.
    func milliseconds(from now: ContinuousClock.Instant) -> Int32 {
        guard let earliest else { return -1 }
        let wait = min(earliest - now, .seconds(3600))
        return wait <= .zero ? 0 : Int32((wait / .milliseconds(1)).rounded(.up))
    }
}
