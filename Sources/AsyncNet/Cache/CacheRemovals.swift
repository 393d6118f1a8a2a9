import Foundation

/// When URLs were removed from a cache and its partitions: a response that was on its way then is not stored.
final class CacheRemovals: Sendable {
    private struct State {
        var now: UInt64 = 0
        /// When each URL and each partition was removed; the key of a partition has no URL.
        var times: [CacheKey: UInt64] = [:]
        var timeOfAll: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many removed URLs and partitions are kept. When there are more, all URLs count as removed.
    private static let capacity = 10_000

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

    func hasRemoved(_ key: CacheKey, since time: UInt64) -> Bool {
        state.withLock { state in
            let ofPartition = state.times[CacheKey(partition: key.partition, url: "")] ?? 0
            return max(state.timeOfAll, ofPartition, state.times[key.resource] ?? 0) > time
        }
    }
}

/// Stores a body, unless it is too large or incomplete, or its URL was removed since the request was sent.
final class CheckedWriter: Sendable {
    private struct State {
        /// `nil` once the body cannot be stored.
        var writer: (any CacheWriter)?
        /// How many bytes of a 206 response's range have not arrived; `nil` for a whole body.
        var missing: Int64?
    }

    private let state: Locked<State>
    /// The stored bytes that follow the received bytes of a range, and are written after them.
    private let rest: TransportBody?
    private let isCurrent: @Sendable () -> Bool
    private let remove: @Sendable () async -> Void

    /// - Parameters:
    ///   - isCurrent: Whether the URL was not removed since the request was sent.
    ///   - remove: Removes what is stored for the URL.
    init(
        _ writer: any CacheWriter, length: Int64? = nil, rest: TransportBody? = nil,
        isCurrent: @escaping @Sendable () -> Bool, remove: @escaping @Sendable () async -> Void
    ) {
        state = Locked(State(writer: writer, missing: length))
        self.rest = rest
        (self.isCurrent, self.remove) = (isCurrent, remove)
    }

    func append(_ chunk: Data) async {
        let writer = state.withLock { state in
            if let missing = state.missing { state.missing = missing - Int64(chunk.count) }
            return state.writer
        }
        guard let writer, await !writer.append(chunk) else { return }
        state.withLock { $0.writer = nil }
    }

    func commit() async {
        let (writer, missing) = state.withLock { ($0.writer.take(), $0.missing) }
        guard isCurrent(), missing ?? 0 == 0, let writer else { return }
        if let rest, await !writer.append(all: rest) { return }
        await writer.commit()
        // A removal while the body was being written did not find the new response.
        if !isCurrent() { await remove() }
    }
}

extension CacheWriter {
    /// - Returns: `false` if the body cannot be read or stored.
    func append(all body: TransportBody) async -> Bool {
        do {
            for try await chunk in body { guard await append(chunk) else { return false } }
            return true
        } catch {
            return false
        }
    }
}
