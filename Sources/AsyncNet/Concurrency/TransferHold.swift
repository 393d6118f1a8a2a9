import Synchronization

/// Whether a transfer is suspended, seen from the transport that carries it.
///
/// A transport that finds it held pauses, and asks to be told of the release. One action at a time; it is told once.
package final class TransferHold: Sendable {
    private let held = Atomic(false)
    private let action = Locked<(owner: ObjectIdentifier, run: @Sendable () -> Void)?>(nil)

    package init() {}

    package var isHeld: Bool { held.load(ordering: .acquiring) }

    package func hold() { held.store(true, ordering: .releasing) }

    package func release() {
        held.store(false, ordering: .releasing)
        action.withLock { $0.take() }?.run()
    }

    /// - Returns: Whether it is held, and `action` will run at the release; if not it never will.
    package func isHeld(_ owner: AnyObject, untilThen action: @escaping @Sendable () -> Void) -> Bool {
        guard isHeld else { return false }
        self.action.withLock { $0 = (ObjectIdentifier(owner), action) }
        guard !isHeld else { return true }
        return self.action.withLock { $0.take() } == nil
    }

    /// Forgets what `owner` wanted to be told; the next hop of a redirect may have asked meanwhile.
    package func forget(_ owner: AnyObject) {
        action.withLock { if $0?.owner == ObjectIdentifier(owner) { $0 = nil } }
    }
}
