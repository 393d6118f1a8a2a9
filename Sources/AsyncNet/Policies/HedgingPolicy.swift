/// Sends a second request when the first takes unusually long, and takes the answer that comes first; the others are
/// cancelled.
///
///     Session(configuration: .init(interceptors: [HedgingPolicy(after: .percentile(0.95))]))
///
/// It shortens the longest waits at the price of some more requests, each of which is charged to the session's
/// ``SessionConfiguration/retryBudget``. Only idempotent requests (RFC 9110 §9.2.2) whose body can be sent again and
/// whose answer is kept in memory are hedged, and each has an attempt's time for itself; an attempt that fails before
/// its time has come is not waited for by another.
public struct HedgingPolicy: RequestPolicy {
    /// When another request is sent.
    public struct Delay: Hashable, Sendable {
        package enum Choice: Hashable, Sendable {
            case fixed(Duration)
            case percentile(Double, minimum: Duration)
        }

        package let choice: Choice

        /// After so long.
        public static func fixed(_ delay: Duration) -> Delay { Delay(choice: .fixed(max(delay, .zero))) }
        /// Once the request takes longer than this part of the host's latest ones, from 0 to 1, and not before
        /// `minimum`; as long as fewer than 20 have been seen there is no hedging.
        public static func percentile(_ percentile: Double, minimum: Duration = .milliseconds(1)) -> Delay {
            Delay(choice: .percentile(percentile, minimum: max(minimum, .zero)))
        }
    }

    public var delay: Delay
    /// How many requests are sent beside the first.
    public var limit: Int

    public init(after delay: Delay = .percentile(0.95), limit: Int = 1) {
        self.delay = delay
        self.limit = limit
    }
}

extension HedgingPolicy: DescribedPolicy {
    func describe(_ traits: inout PolicyTraits) { (traits.mayBlock, traits.hedging) = (false, self) }
}
