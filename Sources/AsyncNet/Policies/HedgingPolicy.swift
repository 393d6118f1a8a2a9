/// Sends a second request when the first takes unusually long, uses the first response, and cancels the others.
///
///     Session(configuration: .init(interceptors: [HedgingPolicy(after: .percentile(0.95))]))
///
/// Shortens the longest waits at the price of some more requests, each charged to the session's
/// ``SessionConfiguration/retryBudget``. Only idempotent requests (RFC 9110 §9.2.2) are hedged, if their body can be
/// sent again and their response is kept in memory. Each transfer has the attempt's whole timeout. An attempt that
/// fails before the delay is over is not hedged.
public struct HedgingPolicy: RequestPolicy {
    /// When a further request is sent.
    public enum Delay: Hashable, Sendable {
        /// After a fixed time.
        case fixed(Duration)
        /// After this percentile, from 0 to 1, of the durations of the origin's latest requests, but not before
        /// `minimum`. Requests to an origin with fewer than 20 measured requests are not hedged.
        case percentile(Double, minimum: Duration = .milliseconds(1))
    }

    /// How long to wait before each further request.
    public var delay: Delay
    /// How many requests are sent in addition to the first.
    public var limit: Int

    /// Creates a policy, by default of one further request after the 95th percentile.
    public init(after delay: Delay = .percentile(0.95), limit: Int = 1) {
        self.delay = delay
        self.limit = limit
    }

    /// Creates a policy that sends a further request after a fixed time: `HedgingPolicy(after: .milliseconds(50))`.
    public init(after delay: Duration, limit: Int = 1) { self.init(after: .fixed(delay), limit: limit) }
}
