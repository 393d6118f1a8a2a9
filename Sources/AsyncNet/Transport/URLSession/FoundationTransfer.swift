import CPlatform

/// One transfer of FoundationNetworking's, which this keeps: its handle of libcurl's is not freed meanwhile.
///
/// `@unchecked`: nothing is done with the owner, and of the handle only addresses are read that libcurl writes when it
/// connects. Addresses that are half written are nobody's, and then there is no connection to reset.
struct FoundationTransfer: @unchecked Sendable {
    private let owner: AnyObject
    private let handle: UnsafeMutableRawPointer
    private let foundation: UnsafeRawPointer

    /// - Parameters:
    ///   - owner: Frees the handle.
    ///   - foundation: An address inside FoundationNetworking.
    init(owner: AnyObject, handle: UnsafeMutableRawPointer, foundation: UnsafeRawPointer) {
        (self.owner, self.handle, self.foundation) = (owner, handle, foundation)
    }

    /// Ends the connection, from any thread, also while FoundationNetworking reads from it: the read fails, and with it
    /// the task.
    func resetConnection() {
        withExtendedLifetime(owner) { _ = cp_reset_transfer(foundation, handle) }
    }

    /// What libcurl knows of the response, also after an error. To be called on FoundationNetworking's thread.
    var reply: FoundationReply? {
        withExtendedLifetime(owner) { FoundationReply(handle, foundation) }
    }
}
