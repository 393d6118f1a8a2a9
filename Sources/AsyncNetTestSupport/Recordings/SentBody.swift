import AsyncNet
import Foundation

/// The body of a request as a transport reads it. If it reads the body several times, the last reading counts.
struct SentBody: Sendable {
    private let limit: Int
    /// `nil` if it is unknown before the end, or the body is in memory.
    private let length: Int64?
    private var data = Data()
    private var sent: Int64 = 0
    private var isWhole: Bool
    private var reading = 0

    init(_ body: RequestBody, limit: Int) {
        (self.limit, length) = (limit, body.data == nil ? body.length : nil)
        isWhole = body.isNone || body.data != nil
        guard let whole = body.data else { return }
        sent = Int64(whole.count)
        data = whole.count <= limit ? whole : Data(Array(whole.prefix(limit)))
    }

    /// - Returns: The number of this reading.
    mutating func begin() -> Int {
        (data, sent, isWhole) = (Data(), 0, false)
        reading += 1
        return reading
    }

    /// Counts bytes of a reading.
    ///
    /// - Returns: How many of them are to be kept.
    mutating func count(_ count: Int, _ reading: Int) -> Int {
        guard reading == self.reading else { return 0 }
        sent += Int64(count)
        return max(0, min(count, limit - data.count))
    }

    mutating func append(_ bytes: Data, _ reading: Int) {
        if reading == self.reading { data += bytes }
    }

    mutating func end(_ reading: Int) {
        if reading == self.reading { isWhole = true }
    }

    /// The bytes, and whether they are only a part of the body. Nothing is recorded of a body that was not read to its
    /// end, since it depends on chance how much of it was read.
    var recorded: (Data, isTruncated: Bool) {
        guard isWhole || sent == length else { return (Data(), true) }
        return (data, sent > Int64(data.count))
    }
}
