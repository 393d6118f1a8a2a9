import Foundation

/// What a monitor has counted, in shards. A thread counts in one of them, so that threads that count at the same time
/// wait neither for each other nor for each other's memory.
final class MetricsShards: Sendable {
    private final class Shard: Sendable {
        let state: Locked<MetricsState>
        init(_ state: MetricsState) { self.state = Locked(state) }
    }

    private let shards: [Shard]

    /// - Parameter state: A state that has counted nothing.
    init(_ state: MetricsState) {
        let count = min(32, 2 * ProcessInfo.processInfo.activeProcessorCount)
        shards = (0..<max(1, count)).map { _ in Shard(state) }
    }

    /// Changes the calling thread's shard.
    func withLock<Result: Sendable>(_ change: (inout MetricsState) -> Result) -> Result {
        shards[Platform.threadNumber % shards.count].state.withLock { change(&$0) }
    }

    /// All shards together, at one moment: what one thread begins another ends.
    var sum: MetricsState {
        var copies = copies(of: shards[...])
        var sum = copies.removeFirst()
        for copy in copies { sum.add(copy) }
        return sum
    }

    /// Holds all locks at once, and only while the shards are copied, which takes no longer for large shards.
    private func copies(of parts: ArraySlice<Shard>) -> [MetricsState] {
        guard let first = parts.first else { return [] }
        return first.state.withLock { [$0] + copies(of: parts.dropFirst()) }
    }
}
