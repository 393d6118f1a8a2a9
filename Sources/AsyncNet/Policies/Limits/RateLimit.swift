/// How many requests may be sent in a period; further requests wait in the order of their arrival.
///
///     RateLimit(requests: 100, per: .seconds(60))            // one every 0.6 s, or 100 at once after a minute's pause
///     RateLimit(requests: 10, per: .seconds(1), burst: 1)    // one every 0.1 s, never two at once
///
/// Waiting requests are sent at fixed times: a timer that fires late does not delay later requests. So the time
/// between two requests may be up to 20 milliseconds shorter than the rate requires.
public struct RateLimit: Hashable, Sendable {
    /// The requests that are counted together.
    public enum Scope: Hashable, Sendable {
        /// All requests of the session.
        case session
        /// The requests to one origin (scheme, host, port).
        case origin
    }

    /// The number of requests per period. Below 1 counts as 1.
    public var requests: Int

    /// The time in which ``requests`` requests are admitted, from a nanosecond to a century.
    public var period: Duration

    /// How many requests may be sent at once after a pause; `nil` for as many as ``requests``. Below 1 counts as 1.
    public var burst: Int?

    /// The requests that are counted together.
    public var scope: Scope

    /// Creates a limit, by default for each origin, with a burst of `requests`.
    public init(requests: Int, per period: Duration, burst: Int? = nil, scope: Scope = .origin) {
        self.requests = requests
        self.period = period
        self.burst = burst
        self.scope = scope
    }
}
