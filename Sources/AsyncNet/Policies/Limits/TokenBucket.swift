/// A token bucket by the generic cell rate algorithm: its state is the time at which the bucket would be full.
///
/// Times are scaled: nanoseconds multiplied by the requests per period. So the time between two requests is an integer
/// for any rate, and no rounding accumulates. 128 bits hold any period, rate and burst.
struct TokenBucket {
    private let requests: Int128
    /// The scaled time between two requests.
    private let interval: Int128
    private let capacity: Int128
    private var fullAt = Int128.min / 4

    init(_ limit: RateLimit) {
        requests = Int128(max(limit.requests, 1))
        interval = Int128(min(max(limit.period, .nanoseconds(1)), .longestWait).wholeNanoseconds)
        capacity = Int128(max(limit.burst ?? limit.requests, 1)) * interval
    }

    /// How late a waiting request may be sent without delaying those behind it.
    static let maximumLateness = Duration.milliseconds(20)

    /// Takes a token if there is one.
    ///
    /// - Parameter hasWaited: Whether the request waited for this token, with a timer that may be late: the next
    ///   token's time is then counted from the time of this token, up to ``maximumLateness`` ago, not from now. So in
    ///   any time `t` at most `burst + rate * (t + maximumLateness)` requests are sent.
    mutating func take(at now: Duration, hasWaited: Bool = false) -> Bool {
        guard earliest(behind: 0, at: now) <= now else { return false }
        // `earliest` rounds up to a nanosecond, which must not delay the next token.
        let start = hasWaited ? scaled(now - Self.maximumLateness) : scaled(now) - (requests - 1)
        fullAt = max(fullAt, start) + interval
        return true
    }

    /// When a token is available for a request behind `others` waiting requests; `now` if there is a token already.
    func earliest(behind others: Int, at now: Duration) -> Duration {
        let scaledNow = scaled(now)
        let taken = max(fullAt, scaledNow) + (Int128(others) + 1) * interval
        let wait = taken - capacity - scaledNow
        guard wait > 0 else { return now }
        return now + .nanoseconds(Int64(clamping: (wait + requests - 1) / requests))
    }

    func isFull(at now: Duration) -> Bool { fullAt <= scaled(now) }

    private func scaled(_ time: Duration) -> Int128 { Int128(time.wholeNanoseconds) * requests }
}
