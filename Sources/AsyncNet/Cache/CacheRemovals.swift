import Foundation

/// Which URLs were removed from a cache, and when, so that a response which was on its way meanwhile is not stored.
struct CacheRemovals {
    /// Counts the removals.
    private(set) var now: UInt64 = 0
    private var times: [String: UInt64] = [:]
    /// When everything was removed.
    private var timeOfAll: UInt64 = 0

    /// How many URLs are kept. When there are more, all responses that are on their way are dropped.
    private static let capacity = 10_000

    mutating func remove(_ key: String) {
        guard times.count < Self.capacity else { return removeAll() }
        now += 1
        times[key] = now
    }

    mutating func removeAll() {
        now += 1
        (times, timeOfAll) = ([:], now)
    }

    /// Whether a URL was removed after this time.
    func hasRemoved(_ key: String, since time: UInt64) -> Bool { max(timeOfAll, times[key] ?? 0) > time }
}

/// Stores a body unless its URL was removed since the request was sent.
final class CheckedWriter: CacheWriter {
    private let writer: any CacheWriter
    private let isCurrent: @Sendable () -> Bool

    init(_ writer: any CacheWriter, isCurrent: @escaping @Sendable () -> Bool) {
        (self.writer, self.isCurrent) = (writer, isCurrent)
    }

    func append(_ chunk: Data) async -> Bool { await writer.append(chunk) }

    func commit() async { if isCurrent() { await writer.commit() } }
}
