import CAsyncNetPlatform

/// A transfer of FoundationNetworking, whose libcurl handle is not freed while this value exists.
///
/// Unchecked: the owner is only retained. Of the handle only the connection's addresses are read, which libcurl writes
/// when it connects; addresses that are half written match no connection, and none is reset.
struct FoundationTransfer: @unchecked Sendable {
    private let owner: AnyObject
    private let handle: UnsafeMutableRawPointer
    private let foundation: UnsafeRawPointer

    /// - Parameters:
    ///   - owner: The object that frees the handle in its `deinit`.
    ///   - foundation: An address inside FoundationNetworking.
    init(owner: AnyObject, handle: UnsafeMutableRawPointer, foundation: UnsafeRawPointer) {
        (self.owner, self.handle, self.foundation) = (owner, handle, foundation)
    }

    /// Resets the connection, from any thread, also while FoundationNetworking reads from it: the read fails and ends
    /// the task.
    func resetConnection() {
        withExtendedLifetime(owner) { _ = cp_reset_transfer(foundation, handle) }
    }

    /// Has libcurl read and write soon. Must be called on FoundationNetworking's thread.
    func run() {
        withExtendedLifetime(owner) { cp_run_transfer(foundation, handle) }
    }

    /// Has libcurl deliver the body with its content codings, which the session decodes. Must be called on
    /// FoundationNetworking's thread before the head of the response has arrived. `false` if libcurl decodes.
    func keepContentCodings() -> Bool {
        withExtendedLifetime(owner) { cp_keep_content_codings(foundation, handle) != 0 }
    }

    /// What libcurl has received of the response, also after an error. Must be called on FoundationNetworking's thread.
    var reply: FoundationReply? {
        withExtendedLifetime(owner) { FoundationReply(handle, foundation) }
    }
}
