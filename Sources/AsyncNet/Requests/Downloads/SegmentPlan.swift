/// Which segments of a file are fetched, and when: several at a time and in order, so that the bytes before the first
/// gap grow and a download that breaks off can be continued from there.
struct SegmentPlan: Sendable {
    let total: Int64
    private let length: Int64
    private var next: Int64
    /// Where the segments that are being fetched begin.
    private var running: Set<Int64> = []

    /// The length of the first segment, requested before the length of the file is known.
    static let firstLength: Int64 = 1 << 20
    private static let longest: Int64 = 16 << 20

    /// - Parameter start: How many bytes are there already.
    init(from start: Int64, total: Int64, segments: Int) {
        self.total = total
        next = min(max(0, start), total)
        // Four segments for each connection, so that the others can take over work from a slow connection.
        length = min(Self.longest, max(Self.firstLength, (total - next) / Int64(max(1, segments)) / 4))
    }

    /// The segment to fetch next, never empty; `nil` if all have been taken.
    mutating func take() -> Range<Int64>? {
        guard next < total else { return nil }
        let part = next..<min(total, next + length)
        next = part.upperBound
        running.insert(part.lowerBound)
        return part
    }

    mutating func finish(_ part: Range<Int64>) { running.remove(part.lowerBound) }

    /// The number of bytes before the first gap.
    var contiguous: Int64 { running.min() ?? next }
}
