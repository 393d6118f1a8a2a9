import Synchronization

/// Whether a transfer is suspended. The transport that carries a suspended transfer pauses it, and registers one
/// action, which runs once when the request is resumed.
package final class TransferHold: Sendable {
    private let held = Atomic(false)
    private let action = Locked<(owner: ObjectIdentifier, run: @Sendable () -> Void)?>(nil)

    package var isHeld: Bool { held.load(ordering: .acquiring) }

    func hold() { held.store(true, ordering: .releasing) }

    func release() {
        held.store(false, ordering: .releasing)
        action.withLock { $0.take() }?.run()
    }

    /// - Returns: Whether the transfer is suspended; if so, `action` runs when the request is resumed.
    package func isHeld(_ owner: AnyObject, untilThen action: @escaping @Sendable () -> Void) -> Bool {
        guard isHeld else { return false }
        self.action.withLock { $0 = (ObjectIdentifier(owner), action) }
        guard !isHeld else { return true }
        return self.action.withLock { $0.take() } == nil
    }

    /// Removes the action of `owner`, but not an action that the next hop of a redirect has registered since.
    package func forget(_ owner: AnyObject) {
        action.withLock { if $0?.owner == ObjectIdentifier(owner) { $0 = nil } }
    }
}
