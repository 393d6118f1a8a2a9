import Foundation

/// The delay before a retry, which grows exponentially up to a maximum. A random part is subtracted, so that clients
/// whose requests failed at the same time do not retry at the same time.
public struct Backoff: Hashable, Sendable {
    /// How much of the computed delay is random.
    public enum Jitter: Hashable, Sendable {
        /// The computed delay itself.
        case none
        /// A random delay from 0 to the computed delay, which spreads clients best.
        case full
        /// A random delay from half the computed delay to all of it.
        case equal
    }

    /// The factor from one delay to the next. A value below 1 or NaN counts as 1.
    public var base: Double

    /// The delay before the first retry, without jitter.
    public var scale: Duration

    /// The longest delay. More than a century counts as a century.
    public var maximum: Duration

    /// How much of the computed delay is random.
    public var jitter: Jitter

    /// Creates a backoff, by default of 0.5, 1, 2, … 30 seconds with full jitter.
    public init(
        base: Double = 2, scale: Duration = .milliseconds(500), maximum: Duration = .seconds(30), jitter: Jitter = .full
    ) {
        self.base = base
        self.scale = scale
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The delay before a retry, of which the first is 0: `scale * base^retry`, at most ``maximum``, less the jitter.
    func delay(retry: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let longest = nanoseconds(retry)
        return switch jitter {
        case .none: .nanoseconds(longest)
        case .full: .nanoseconds(Int64.random(in: 0...longest, using: &random))
        case .equal: .nanoseconds(Int64.random(in: (longest - longest / 2)...longest, using: &random))
        }
    }

    private func nanoseconds(_ retry: Int) -> Int64 {
        let limit = min(max(maximum, .zero), .longestWait).wholeNanoseconds
        let first = min(max(scale, .zero), .longestWait).wholeNanoseconds
        guard first > 0 else { return 0 }
        // `pow` is infinite beyond the range of `Double`; the maximum below replaces that.
        let delay = Double(first) * pow(base >= 1 ? base : 1, Double(max(retry, 0)))
        return delay < Double(limit) ? min(Int64(delay), limit) : limit
    }
}
