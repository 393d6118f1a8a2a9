/// The durations of the latest 256 successful transfers to an origin that could be hedged, without those from the
/// cache. A percentile of them is the delay before a hedge; with fewer than 20 none is sent.
struct LatestDurations {
    private static let capacity = 256
    private static let minimum = 20

    /// A ring, once it is full.
    private var samples: [Duration] = []
    private var oldest = 0

    mutating func add(_ sample: Duration) {
        guard samples.count == Self.capacity else { return samples.append(sample) }
        samples[oldest] = sample
        oldest = (oldest + 1) % Self.capacity
    }

    /// By the nearest-rank method: the smallest sample with at least that part, from 0 to 1, of the samples at or below
    /// it. NaN counts as 1. `nil` while there are too few samples.
    func percentile(_ part: Double) -> Duration? {
        guard samples.count >= Self.minimum else { return nil }
        let part = part.isNaN ? 1 : min(max(part, 0), 1)
        let rank = Int((part * Double(samples.count)).rounded(.up))
        return samples.sorted()[max(rank, 1) - 1]
    }
}
