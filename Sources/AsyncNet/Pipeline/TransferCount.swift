import Synchronization

/// Counts the transfers that have not ended, also for cancelled requests.
///
/// `close` sets a flag before its caller reads the count; `end` counts down before it reads the flag. So at least one
/// of them notices that the last transfer has ended.
final class TransferCount: Sendable {
    private let running = Atomic(0)
    private let begun = Atomic(0)
    private let loops = Atomic(0)
    private let closes = Atomic(false)
    private let onDrained = Locked<(@Sendable () -> Void)?>(nil)

    func begin() {
        begun.add(1, ordering: .sequentiallyConsistent)
        running.add(1, ordering: .sequentiallyConsistent)
    }

    func end() {
        let rest = running.subtract(1, ordering: .sequentiallyConsistent).newValue
        guard rest == 0, isClosing else { return }
        onDrained.withLock { $0 }?()
    }

    /// A loop over pages has begun: between its pages no transfer runs, and another will follow.
    func beginLoop() { loops.add(1, ordering: .sequentiallyConsistent) }

    func endLoop() {
        loops.subtract(1, ordering: .sequentiallyConsistent)
        if isClosing { onDrained.withLock { $0 }?() }
    }

    var hasLoops: Bool { loops.load(ordering: .sequentiallyConsistent) > 0 }
    var begunCount: Int { begun.load(ordering: .sequentiallyConsistent) }
    var isClosing: Bool { closes.load(ordering: .sequentiallyConsistent) }

    var isEmpty: Bool { running.load(ordering: .sequentiallyConsistent) == 0 }

    /// From now on calls `onDrained` each time that the count becomes zero, and each time that a loop ends.
    func close(onDrained: @escaping @Sendable () -> Void) {
        self.onDrained.withLock { $0 = onDrained }
        closes.store(true, ordering: .sequentiallyConsistent)
    }

    func forgetClosing() { onDrained.withLock { $0 = nil } }
}
