/// Sends a second request when the first takes unusually long, uses the first response, and cancels the others.
///
///     Session(configuration: .init(interceptors: [HedgingPolicy(after: .percentile(0.95))]))
///
/// Shortens the longest waits at the price of some more requests, each of which is charged to the session's
/// ``SessionConfiguration/retryBudget``. Only idempotent requests (RFC 9110 §9.2.2) whose body can be sent again and
/// whose response is kept in memory are hedged. Each of them has the attempt's whole timeout. An attempt that fails
/// before the delay is over is not hedged.
public struct HedgingPolicy: RequestPolicy {
    /// When a further request is sent.
    public struct Delay: Hashable, Sendable {
        enum Choice: Hashable, Sendable {
            case fixed(Duration)
            case percentile(Double, minimum: Duration)
        }

        let choice: Choice

        /// After a fixed time.
        public static func fixed(_ delay: Duration) -> Delay { Delay(choice: .fixed(max(delay, .zero))) }
        /// After the time within which this part, from 0 to 1, of the origin's latest requests ended, but not before
        /// `minimum`. Requests to an origin with fewer than 20 measured requests are not hedged.
        public static func percentile(_ percentile: Double, minimum: Duration = .milliseconds(1)) -> Delay {
            Delay(choice: .percentile(percentile, minimum: max(minimum, .zero)))
        }
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
}

extension HedgingPolicy: DescribedPolicy {
    func describe(_ traits: inout PolicyTraits) { traits.hedging = self }
}
