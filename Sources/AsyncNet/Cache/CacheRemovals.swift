import Foundation

/// Which URLs were removed from a cache and its partitions, and when, so that a response which was on its way meanwhile is
/// not stored.
final class CacheRemovals: Sendable {
    private struct State {
        /// Counts the removals.
        var now: UInt64 = 0
        /// Of URLs, and of partitions, by a key without a URL.
        var times: [CacheKey: UInt64] = [:]
        /// When everything was removed.
        var timeOfAll: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many URLs are kept. When there are more, all responses that are on their way are dropped.
    private static let capacity = 10_000

    /// The number of removals so far.
    var now: UInt64 { state.withLock { $0.now } }

    func remove(_ key: CacheKey) {
        let isFull = state.withLock { state in
            guard state.times.count < Self.capacity else { return true }
            state.now += 1
            state.times[key] = state.now
            return false
        }
        if isFull { removeAll() }
    }

    /// - Parameter partition: The partition whose responses are removed; `nil` for everything.
    func removeAll(in partition: String? = nil) {
        if let partition { return remove(CacheKey(partition: partition, url: "")) }
        state.withLock { state in
            state.now += 1
            (state.times, state.timeOfAll) = ([:], state.now)
        }
    }

    /// Whether a URL was removed after this time.
    func hasRemoved(_ key: CacheKey, since time: UInt64) -> Bool {
        state.withLock { state in
            let ofPartition = state.times[CacheKey(partition: key.partition, url: "")] ?? 0
            return max(state.timeOfAll, ofPartition, state.times[key] ?? 0) > time
        }
    }
}

/// Stores a body unless it is too large, or its URL was removed since the request was sent.
final class CheckedWriter: Sendable {
    /// `nil` once the body cannot be stored.
    private let writer: Locked<(any CacheWriter)?>
    private let isCurrent: @Sendable () -> Bool

    init(_ writer: any CacheWriter, isCurrent: @escaping @Sendable () -> Bool) {
        self.writer = Locked(writer)
        self.isCurrent = isCurrent
    }

    func append(_ chunk: Data) async {
        guard let writer = writer.withLock({ $0 }), await !writer.append(chunk) else { return }
        self.writer.withLock { $0 = nil }
    }

    func commit() async { if isCurrent(), let writer = writer.withLock({ $0.take() }) { await writer.commit() } }
}
