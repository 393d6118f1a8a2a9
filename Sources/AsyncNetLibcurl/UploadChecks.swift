/// The transfers whose servers may no longer take the request's body, which libcurl does not notice: transfers that are
/// paused until their bodies have more bytes to send, and transfers whose response is complete before the body is sent.
/// These transfers are checked at intervals.
struct UploadChecks {
    /// What a check found.
    enum Finding {
        /// The transfer is checked again.
        case open
        /// The transfer need not be checked again.
        case settled
        /// The response is complete and the server takes no more of the body: the transfer is over.
        case over
    }

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

    /// - Returns: The handles whose transfers are over.
    mutating func check() -> [LibcurlHandle] {
        guard !handles.isEmpty, .now - lastCheck >= .milliseconds(Int(Self.interval)) else { return [] }
        lastCheck = .now
        let findings = handles.map { ($0, $0.checkUpload()) }
        handles = findings.filter { $0.1 == .open }.map(\.0)
        return findings.filter { $0.1 == .over }.map(\.0)
    }
}
