import Synchronization

/// Whether a transfer is suspended, seen from the transport that carries it.
///
/// A transport that finds it held pauses, and asks to be told of the release. One action at a time; it is told once.
package final class TransferHold: Sendable {
    private let held = Atomic(false)
    private let action = Locked<(@Sendable () -> Void)?>(nil)

    package init() {}

    package var isHeld: Bool { held.load(ordering: .acquiring) }

    package func hold() { held.store(true, ordering: .releasing) }

    package func release() {
        held.store(false, ordering: .releasing)
        action.withLock { $0.take() }?()
    }

    /// - Returns: Whether it is held, and `action` will run at the release; if not it never will.
    package func isHeld(untilThen action: @escaping @Sendable () -> Void) -> Bool {
        guard isHeld else { return false }
        self.action.withLock { $0 = action }
        guard !isHeld else { return true }
        return self.action.withLock { $0.take() } == nil
    }

    /// Forgets what was to be told.
    package func forget() { self.action.withLock { $0 = nil } }
}
