/// Which parts of a file are fetched when, several at a time: in order, so that what is there grows from the front and
/// a download that is cut off can go on from one place.
struct SegmentPlan: Sendable {
    /// Bytes of the whole.
    let total: Int64
    private let length: Int64
    private var next: Int64
    /// Where the parts that are being fetched begin.
    private var running: Set<Int64> = []

    /// How much is asked for before anything is known of the file.
    static let firstLength: Int64 = 1 << 20
    private static let longest: Int64 = 16 << 20

    /// - Parameters:
    ///   - start: How much is there already.
    ///   - segments: How many are fetched at a time.
    init(from start: Int64, total: Int64, segments: Int) {
        self.total = total
        next = min(max(0, start), total)
        // Several for each, or a slow connection would be waited for at the end.
        length = min(Self.longest, max(Self.firstLength, (total - next) / Int64(max(1, segments)) / 4))
    }

    /// The part to fetch now, never empty; `nil` if all are taken.
    mutating func take() -> Range<Int64>? {
        guard next < total else { return nil }
        let part = next..<min(total, next + length)
        next = part.upperBound
        running.insert(part.lowerBound)
        return part
    }

    mutating func finish(_ part: Range<Int64>) { running.remove(part.lowerBound) }

    /// Up to where everything is there.
    var contiguous: Int64 { running.min() ?? next }
}
