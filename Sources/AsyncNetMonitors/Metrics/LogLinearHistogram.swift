/// Counts of whole numbers, from which any percentile is known within 0.8 percent.
///
/// Numbers below 128 have buckets of their own. Each power of two above is split into 64 buckets of equal width, so the
/// middle of a bucket differs from its numbers by at most 1/128 of them. Memory is used for the powers of two between
/// the smallest and the largest number: 256 bytes for each, 15 KiB at most.
struct LogLinearHistogram: Sendable {
    private static let bits = 6
    private static let width = 1 << bits

    /// The index of the bucket that `counts` begins with, a multiple of `width`.
    private var start = 0
    private var counts: [UInt32] = []
    private(set) var count = 0
    private(set) var minimum = UInt64.max
    private(set) var maximum: UInt64 = 0

    mutating func add(_ value: UInt64) {
        let index = Self.index(of: value)
        reserve(index & -Self.width, index & -Self.width + Self.width)
        let slot = index - start
        // A full bucket stays full: four thousand million numbers determine its share well enough.
        if counts[slot] < .max { counts[slot] += 1 }
        count += 1
        (minimum, maximum) = (min(minimum, value), max(maximum, value))
    }

    /// Adds the numbers of another histogram.
    mutating func add(_ other: Self) {
        guard other.count > 0 else { return }
        reserve(other.start, other.start + other.counts.count)
        for (slot, more) in other.counts.enumerated() where more > 0 {
            let (sum, isFull) = counts[other.start + slot - start].addingReportingOverflow(more)
            counts[other.start + slot - start] = isFull ? .max : sum
        }
        count += other.count
        (minimum, maximum) = (min(minimum, other.minimum), max(maximum, other.maximum))
    }

    /// The smallest of the numbers for which at least this part of all numbers is not larger (nearest-rank method),
    /// within 0.8 percent; `nil` without numbers.
    ///
    /// - Parameter part: From 0, for the smallest number, to 1, for the largest. NaN counts as 1.
    func percentile(_ part: Double) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = max(1, (min(max(part.isNaN ? 1 : part, 0), 1) * Double(count)).rounded(.up))
        if rank >= Double(count) { return maximum }
        var sum = 0.0
        for (slot, count) in counts.enumerated() where count > 0 {
            sum += Double(count)
            if sum >= rank { return min(max(Self.middle(of: start + slot), minimum), maximum) }
        }
        return maximum
    }

    /// Makes room for the buckets from `first` to before `end`; both are multiples of `width`.
    private mutating func reserve(_ first: Int, _ end: Int) {
        if counts.isEmpty { start = first }
        if first < start {
            counts.insert(contentsOf: repeatElement(0, count: start - first), at: 0)
            start = first
        }
        let missing = end - start - counts.count
        if missing > 0 { counts.append(contentsOf: repeatElement(0, count: missing)) }
    }

    // MARK: Buckets

    /// The index of a number's bucket: up to 127 the number itself, then 64 indexes for each power of two, by the six
    /// bits after the highest.
    static func index(of value: UInt64) -> Int {
        let shift = max(0, UInt64.bitWidth - 1 - value.leadingZeroBitCount - bits)
        return shift << bits + Int(truncatingIfNeeded: value >> UInt64(shift))
    }

    /// The number in the middle of a bucket.
    static func middle(of index: Int) -> UInt64 {
        let shift = max(0, index >> bits - 1)
        let lowest = UInt64(index - shift << bits) << UInt64(shift)
        return lowest + ((1 << UInt64(shift)) - 1) / 2
    }
}
