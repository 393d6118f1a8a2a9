/// Decides when libcurl is to run a transfer without an event of its socket.
///
/// FoundationNetworking watches a socket with Dispatch sources. While transfers are cancelled and connections closed,
/// events of other sockets are lost at times, and their bytes are not read. But most transfers without progress wait
/// for their server, and each run costs as much as an event. So runs are rare until the transfer makes progress after
/// one.
struct QuietTransfer {
    /// After how many checks without progress libcurl runs the transfer.
    static let patience = 10

    private var progress: Int64 = 0
    private var quietChecks = 0
    private var hasRun = false
    /// Whether the transfer has made progress after a run, so that its socket's events are probably lost.
    private var isLost = false

    /// - Parameter progress: A number that grows with each callback of the transfer.
    /// - Returns: Whether libcurl is to run the transfer now.
    mutating func check(_ progress: Int64) -> Bool {
        let hasMoved = progress != self.progress
        if hasMoved, hasRun { isLost = true }
        self.progress = progress
        quietChecks = hasMoved ? 0 : quietChecks + 1
        hasRun = isLost || quietChecks >= Self.patience
        if quietChecks >= Self.patience { quietChecks = 0 }
        return hasRun
    }
}
