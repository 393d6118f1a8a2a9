/// Decides when libcurl is asked to go on with a transfer from which nothing is heard.
///
/// FoundationNetworking watches a socket with Dispatch sources. While requests are cancelled and connections closed,
/// Dispatch on Linux loses a source at times, and the socket has bytes that nobody reads. A transfer may as well be
/// quiet because its server is slow, and each request to go on costs as much as an event: so it comes rarely, until one
/// of them has helped.
struct QuietTransfer {
    /// After how many checks without progress libcurl is asked.
    static let patience = 10

    private var progress: Int64 = 0
    private var quietChecks = 0
    private var wasAsked = false
    /// Whether the transfer has gone on after libcurl was asked: its socket is not watched.
    private var isLost = false

    /// - Parameter progress: A number that grows with each callback of the transfer.
    /// - Returns: Whether libcurl is to be asked.
    mutating func check(_ progress: Int64) -> Bool {
        let hasMoved = progress != self.progress
        if hasMoved, wasAsked { isLost = true }
        self.progress = progress
        quietChecks = hasMoved ? 0 : quietChecks + 1
        wasAsked = isLost || quietChecks >= Self.patience
        if quietChecks >= Self.patience { quietChecks = 0 }
        return wasAsked
    }
}
