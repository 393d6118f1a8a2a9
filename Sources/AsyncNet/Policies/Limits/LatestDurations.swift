/// The durations of an origin's latest 256 successful transfers that could be hedged; responses of the cache do not
/// count. A percentile of the durations is the delay before a hedge; with fewer than 20 no hedge is sent.
struct LatestDurations {
    private static let capacity = 256
    private static let minimum = 20

    /// A ring buffer once it is full.
    private var samples: [Duration] = []
    private var oldest = 0

    mutating func add(_ sample: Duration) {
        guard samples.count == Self.capacity else { return samples.append(sample) }
        samples[oldest] = sample
        oldest = (oldest + 1) % Self.capacity
    }

    /// The percentile by the nearest-rank method: the smallest sample such that at least this part of the samples, from
    /// 0 to 1, is no greater. NaN counts as 1. `nil` while there are too few samples.
    func percentile(_ part: Double) -> Duration? {
        guard samples.count >= Self.minimum else { return nil }
        let part = part.isNaN ? 1 : min(max(part, 0), 1)
        let rank = Int((part * Double(samples.count)).rounded(.up))
        return samples.sorted()[max(rank, 1) - 1]
    }
}
