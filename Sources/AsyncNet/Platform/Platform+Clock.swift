import CAsyncNetPlatform

extension Platform {
    /// The time of `ContinuousClock` in nanoseconds, from a start that is not known; `nil` where only that clock itself
    /// can be read.
    static var continuousNanoseconds: Int64? {
        let nanoseconds = cp_continuous_nanoseconds()
        return nanoseconds < 0 ? nil : nanoseconds
    }
}

/// Measures the time since it was made, by `ContinuousClock`, which takes ten times as long to read as the system's clock.
struct Stopwatch: Sendable {
    private let start = Platform.continuousNanoseconds
    private let slowStart: ContinuousClock.Instant?

    init() { slowStart = start == nil ? ContinuousClock.now : nil }

    var elapsed: Duration {
        if let start, let now = Platform.continuousNanoseconds { return .nanoseconds(now &- start) }
        return slowStart?.duration(to: .now) ?? .zero
    }
}
