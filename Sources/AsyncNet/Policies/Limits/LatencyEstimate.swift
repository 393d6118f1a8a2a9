/// How long all but the slowest of the latest requests took, for the moment at which a second one is worth its while.
///
/// The latest samples are kept in a ring. Their percentile is looked for when it is asked for and a sixteenth of the
/// ring is new since; in between the last answer counts.
package struct LatencyEstimate {
    private let percentile: Double
    private let capacity: Int
    private let minimum: Int
    private var samples: [Int64] = []
    private var oldest = 0
    private var newSamples = 0
    private var answer: Int64?

    /// - Parameters:
    ///   - percentile: The part of the samples that is not longer, from 0 to 1. Not a number counts as 1.
    ///   - capacity: How many of the latest samples count, from 1 to 1024.
    ///   - minimum: With fewer there is no estimate.
    package init(percentile: Double = 0.95, capacity: Int = 256, minimum: Int = 20) {
        self.percentile = percentile.isNaN ? 1 : min(max(percentile, 0), 1)
        self.capacity = min(max(capacity, 1), 1024)
        self.minimum = min(max(minimum, 1), self.capacity)
    }

    package mutating func add(_ sample: Duration) {
        let sample = max(sample, .zero).wholeNanoseconds
        newSamples += 1
        guard samples.count == capacity else { return samples.append(sample) }
        samples[oldest] = sample
        oldest = (oldest + 1) % capacity
    }

    /// `nil` until there are samples enough.
    package mutating func value() -> Duration? {
        guard samples.count >= minimum else { return nil }
        if answer == nil || newSamples >= max(1, capacity / 16) {
            newSamples = 0
            // The nearest rank: the smallest sample that is not exceeded by more than the rest.
            let rank = Int((percentile * Double(samples.count)).rounded(.up))
            answer = samples.sorted()[max(rank, 1) - 1]
        }
        return answer.map { .nanoseconds($0) }
    }
}

/// The estimate of each host; those of the hosts used last are remembered.
package final class LatencyEstimates: Sendable {
    private let initial: LatencyEstimate
    private let hosts: Locked<RecentTable<LatencyEstimate>>

    /// - Parameter capacity: So many hosts are remembered at least, twice as many at most.
    package init(_ initial: LatencyEstimate = LatencyEstimate(), capacity: Int = 256) {
        self.initial = initial
        hosts = Locked(RecentTable(capacity: capacity))
    }

    package var hostCount: Int { hosts.withLock { $0.count } }

    package func add(_ sample: Duration, host: String) {
        hosts.withLock { $0.withValue(of: host, default: initial) { $0.add(sample) } }
    }

    /// `nil` until there are samples enough.
    package func value(host: String) -> Duration? {
        hosts.withLock { $0.withValue(of: host, default: initial) { $0.value() } }
    }
}
