/// The transfers that are paused until their bodies have more bytes to send.
///
/// libcurl does not watch the connection of a paused transfer, so the connections are checked at intervals: the server
/// may have closed a connection.
struct BodyWaits {
    /// The time between two checks, in milliseconds.
    static let interval: Int32 = 250

    private var handles: [LibcurlHandle] = []
    private var lastCheck = ContinuousClock.now

    var isEmpty: Bool { handles.isEmpty }

    mutating func insert(_ handle: LibcurlHandle) {
        if handles.isEmpty { lastCheck = .now }
        if !handles.contains(where: { $0 === handle }) { handles.append(handle) }
    }

    mutating func remove(_ handle: LibcurlHandle) {
        if !handles.isEmpty { handles.removeAll { $0 === handle } }
    }

    mutating func checkPeers() {
        guard !handles.isEmpty, .now - lastCheck >= .milliseconds(Int(Self.interval)) else { return }
        lastCheck = .now
        handles.removeAll { !$0.checkPeer() }
    }
}
