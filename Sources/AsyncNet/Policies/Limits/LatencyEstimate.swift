/// A percentile of the latest requests' durations, which decides when a hedge is sent.
///
/// The samples are kept in a ring. The percentile is computed on demand, once a sixteenth of the ring is new since the
/// last time.
struct LatencyEstimate {
    private let percentile: Double
    private let capacity: Int
    private let minimum: Int
    private var samples: [Int64] = []
    private var oldest = 0
    private var newSamples = 0
    private var estimate: Int64?

    /// - Parameters:
    ///   - percentile: The part of the samples, from 0 to 1, that are not longer than the estimate. NaN counts as 1.
    ///   - capacity: How many of the latest samples count, from 1 to 1024.
    ///   - minimum: The number of samples below which there is no estimate.
    init(percentile: Double = 0.95, capacity: Int = 256, minimum: Int = 20) {
        self.percentile = percentile.isNaN ? 1 : min(max(percentile, 0), 1)
        self.capacity = min(max(capacity, 1), 1024)
        self.minimum = min(max(minimum, 1), self.capacity)
    }

    mutating func add(_ sample: Duration) {
        let sample = max(sample, .zero).wholeNanoseconds
        newSamples += 1
        guard samples.count == capacity else { return samples.append(sample) }
        samples[oldest] = sample
        oldest = (oldest + 1) % capacity
    }

    /// The estimate; `nil` while there are too few samples.
    mutating func value() -> Duration? {
        guard samples.count >= minimum else { return nil }
        if estimate == nil || newSamples >= max(1, capacity / 16) {
            newSamples = 0
            // Nearest-rank method: the smallest sample with at least that part of the samples at or below it.
            let rank = Int((percentile * Double(samples.count)).rounded(.up))
            estimate = samples.sorted()[max(rank, 1) - 1]
        }
        return estimate.map { .nanoseconds($0) }
    }
}

/// The estimates of the origins used most recently.
final class LatencyEstimates: Sendable {
    private let initial: LatencyEstimate
    private let origins: Locked<RecentTable<LatencyEstimate>>

    /// - Parameter capacity: The number of origins that are remembered at least; at most twice as many.
    init(_ initial: LatencyEstimate = LatencyEstimate(), capacity: Int = 256) {
        self.initial = initial
        origins = Locked(RecentTable(capacity: capacity))
    }

    var originCount: Int { origins.withLock { $0.count } }

    func add(_ sample: Duration, origin: String) {
        origins.withLock { $0.withValue(of: origin, default: initial) { $0.add(sample) } }
    }

    /// The estimate; `nil` while there are too few samples.
    func value(origin: String) -> Duration? {
        origins.withLock { $0.withValue(of: origin, default: initial) { $0.value() } }
    }
}
