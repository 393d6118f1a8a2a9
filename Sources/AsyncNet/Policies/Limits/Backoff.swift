import Foundation

/// How long to wait before a request is made again: exponentially longer each time, up to a maximum, and at random
/// below that, so that clients which failed together do not come back together.
public struct Backoff: Hashable, Sendable {
    /// How much of the delay is left to chance.
    public enum Jitter: Hashable, Sendable {
        /// Nothing.
        case none
        /// All of it: from 0 to the delay. Spreads best.
        case full
        /// Half of it: from half the delay to the delay.
        case equal
    }

    /// What each delay is multiplied by for the next one. Below 1 or not a number counts as 1.
    public var base: Double

    /// The delay before the first retry.
    public var scale: Duration

    /// No delay is longer. Above a century counts as a century.
    public var maximum: Duration

    public var jitter: Jitter

    public init(
        base: Double = 2, scale: Duration = .milliseconds(500), maximum: Duration = .seconds(30), jitter: Jitter = .full
    ) {
        self.base = base
        self.scale = scale
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The delay before a retry, of which the first is number 0: `scale * base^retry`, at most ``maximum``, less the
    /// jitter.
    package func delay(retry: Int, using random: inout some RandomNumberGenerator) -> Duration {
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
        // Infinite where it is too large for a number, and not more than the limit then.
        let delay = Double(first) * pow(base >= 1 ? base : 1, Double(max(retry, 0)))
        return delay < Double(limit) ? min(Int64(delay), limit) : limit
    }
}
