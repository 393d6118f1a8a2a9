/// How many requests may be sent in a time; the others wait for their turn, in the order they came.
///
///     RateLimit(requests: 100, per: .seconds(60))            // a request every 0.6 seconds, or a burst of 100 after a minute of silence
///     RateLimit(requests: 10, per: .seconds(1), burst: 1)    // one every tenth of a second, never two at once
///
/// Turns are at fixed times: a request that is let go late, since timers are, does not delay those behind it. So two
/// may be closer by the time that the first was late; beyond 20 milliseconds lateness is not made up for.
public struct RateLimit: Hashable, Sendable {
    /// What is counted together.
    public enum Scope: Hashable, Sendable {
        /// All requests of the session.
        case session
        /// The requests to one host.
        case host
    }

    /// Below 1 counts as 1.
    public var requests: Int

    /// In which that many requests may be sent. Below a nanosecond counts as one, above a century as a century.
    public var period: Duration

    /// How many may be sent at once after a silence; `nil` for as many as ``requests``. Below 1 counts as 1.
    public var burst: Int?

    public var scope: Scope

    public init(requests: Int, per period: Duration, burst: Int? = nil, scope: Scope = .host) {
        self.requests = requests
        self.period = period
        self.burst = burst
        self.scope = scope
    }
}
