import AsyncNet

/// The values of a metric, as exact counts in its buckets, their sum, and a histogram for percentiles.
struct Distribution: Sendable {
    /// The buckets' inclusive upper bounds, ascending.
    private let bounds: [UInt64]
    /// The number of values in each bucket; the last bucket has the values above all bounds.
    private(set) var counts: [Int]
    private(set) var sum = 0.0
    private(set) var values = LogLinearHistogram()

    init(bounds: [UInt64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    var count: Int { values.count }

    mutating func add(_ value: UInt64) {
        var bucket = 0
        while bucket < bounds.count, bounds[bucket] < value { bucket += 1 }
        counts[bucket] += 1
        sum += Double(value)
        values.add(value)
    }

    mutating func add(_ duration: Duration) { add(UInt64(max(0, duration.wholeNanoseconds))) }

    /// Adds the size of a body; nothing for `nil` or 0, since a request or response without a body has no size.
    mutating func add(size: Int64?) {
        if let size, size > 0 { add(UInt64(size)) }
    }

    /// Adds the values of another distribution with the same buckets.
    mutating func add(_ other: Distribution) {
        guard other.count > 0 else { return }
        for index in counts.indices { counts[index] += other.counts[index] }
        sum += other.sum
        values.add(other.values)
    }
}

/// The bounds of buckets, in nanoseconds or bytes.
enum MetricBuckets {
    /// The buckets that OpenTelemetry's HTTP conventions advise for durations of requests.
    static let durations: [UInt64] = [5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000].map {
        $0 * 1_000_000
    }
    /// The buckets that the conventions advise for durations of connections.
    static let connectionDurations: [UInt64] = [
        10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000,
    ].map { $0 * 1_000_000 }
    /// From 100 bytes to 1 GB; the conventions advise none for sizes.
    static let sizes: [UInt64] = [
        100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]
}
