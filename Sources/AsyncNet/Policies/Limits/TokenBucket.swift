/// A token bucket as the generic cell rate algorithm keeps it: one number, the time at which the bucket would be full.
///
/// Time is counted in nanoseconds times the requests per period, in which the distance of two requests is a whole
/// number, however uneven the rate: nothing is rounded, so nothing drifts. 128 bits hold any period, rate and burst.
struct TokenBucket {
    private let requests: Int128
    /// From one request to the next, in the scaled time.
    private let interval: Int128
    private let capacity: Int128
    private var fullAt = Int128.min / 4

    init(_ limit: RateLimit) {
        requests = Int128(max(limit.requests, 1))
        interval = Int128(min(max(limit.period, .nanoseconds(1)), .longestWait).wholeNanoseconds)
        capacity = Int128(max(limit.burst ?? limit.requests, 1)) * interval
    }

    /// How late a waiting request may be let go without shifting those behind it.
    static let maximumLateness = Duration.milliseconds(20)

    /// Takes a token if there is one.
    ///
    /// - Parameter hasWaited: Whether the request was to take it as soon as it was there. Timers are late; the next
    ///   token then counts from when this one was there, not from now, up to ``maximumLateness``. So in any time `t` up
    ///   to `burst + rate * (t + maximumLateness)` go.
    mutating func take(at now: Duration, hasWaited: Bool = false) -> Bool {
        guard earliest(behind: 0, at: now) <= now else { return false }
        // A request that waited is up to a nanosecond late by rounding, too.
        let start = hasWaited ? scaled(now - Self.maximumLateness) : scaled(now) - (requests - 1)
        fullAt = max(fullAt, start) + interval
        return true
    }

    /// When there is a token for somebody, behind so many who take one before; `now` if there is one already.
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
