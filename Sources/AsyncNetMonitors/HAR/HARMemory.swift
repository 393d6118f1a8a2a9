/// Hops that are kept until they are written. Above `limit` bytes the oldest are dropped, and counted.
struct HARMemory {
    let limit: Int
    /// The records; the first ones, which have been taken or dropped, are `nil`.
    private var records: [HARExchange?] = []
    /// How many of the first records are `nil`.
    private var start = 0
    private var size = 0
    private(set) var lost = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ record: HARExchange) {
        records.append(record)
        size += record.cost
        while size > limit, takeFirst() != nil { lost += 1 }
    }

    mutating func takeFirst() -> HARExchange? {
        guard start < records.count, let first = records[start].take() else { return nil }
        size -= first.cost
        start += 1
        // Removing each record from the front would take quadratic time.
        if start > records.count / 2 {
            records.removeFirst(start)
            start = 0
        }
        return first
    }

    mutating func removeAll() { self = HARMemory(limit: limit) }

    /// The records that are kept, in the order in which they were appended.
    var kept: [HARExchange] { records.compactMap(\.self) }
}
