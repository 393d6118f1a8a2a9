public import Foundation

/// The measurements of one transfer. A value that the transport cannot measure is `nil`.
public struct TransportMetrics: Sendable {
    private struct Values: Sendable {
        var httpVersion: String?
        var isConnectionReused: Bool?
        var remoteAddress: String?
        var timings: TransferTimings?
        var wireBytes: WireBytes?
        var certificates: [String] = []
        var certificateExpiry: Date?
    }

    /// Shared, since the outcome of a request and its events have the same measurements; `nil` if nothing is known.
    private var values: SharedValue<Values>?

    /// The HTTP version, such as `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String? {
        get { values?.value.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }

    /// Whether the connection had carried an earlier transfer.
    public var isConnectionReused: Bool? {
        get { values?.value.isConnectionReused }
        set { change { $0.isConnectionReused = newValue } }
    }

    /// The IP address of the server or the proxy.
    public var remoteAddress: String? {
        get { values?.value.remoteAddress }
        set { change { $0.remoteAddress = newValue } }
    }

    /// When the steps of the transfer were complete.
    public var timings: TransferTimings? {
        get { values?.value.timings }
        set { change { $0.timings = newValue } }
    }

    /// How many bytes were sent and received.
    public var wireBytes: WireBytes? {
        get { values?.value.wireBytes }
        set { change { $0.wireBytes = newValue } }
    }

    /// The certificates that the server showed in this transfer's handshake, in the form and order of
    /// ``ConnectionInfo/certificates``; empty unless the server was not trusted,
    /// ``SocketTransport/Configuration/reportsCertificates`` is set, or an observer has such ``EventInterests``.
    public var certificates: [String] {
        get { values?.value.certificates ?? [] }
        set { change { $0.certificates = newValue } }
    }

    /// The last second at which the server's own certificate is valid, also on a reused connection; `nil` without TLS,
    /// and over transports that do not report it.
    public var certificateExpiry: Date? {
        get { values?.value.certificateExpiry }
        set { change { $0.certificateExpiry = newValue } }
    }

    private mutating func change(_ change: (inout Values) -> Void) {
        if values == nil { values = SharedValue(Values()) }
        values?.change(change)
    }

    /// Metrics of which nothing is known.
    public init() {}

    /// Metrics; a value that is left out is unknown.
    public init(
        httpVersion: String? = nil, isConnectionReused: Bool? = nil, remoteAddress: String? = nil,
        timings: TransferTimings? = nil, wireBytes: WireBytes? = nil, certificates: [String] = [],
        certificateExpiry: Date? = nil
    ) {
        values = SharedValue(
            Values(
                httpVersion: httpVersion, isConnectionReused: isConnectionReused, remoteAddress: remoteAddress,
                timings: timings, wireBytes: wireBytes, certificates: certificates,
                certificateExpiry: certificateExpiry))
    }
}

extension TransportMetrics: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let parts = [
            isConnectionReused.map { $0 ? "reused" : "new" }, httpVersion, remoteAddress, timings.map { "\($0.total)" },
            wireBytes.map { "\($0.sentHead + $0.sentBody) bytes sent, \($0.receivedHead + $0.receivedBody) received" },
        ]
        let known = parts.compactMap(\.self)
        return known.isEmpty ? "unknown" : known.joined(separator: ", ")
    }

    /// What `dump` shows.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "httpVersion": httpVersion as Any, "isConnectionReused": isConnectionReused as Any,
            "remoteAddress": remoteAddress as Any, "timings": timings as Any, "wireBytes": wireBytes as Any,
            "certificates": certificates, "certificateExpiry": certificateExpiry as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// When the steps of one transfer were complete, each as the time since the transfer began.
///
/// On a reused connection ``nameLookup``, ``connect`` and ``tlsHandshake`` are zero.
public struct TransferTimings: Sendable, Hashable {
    /// The name lookup was complete.
    public var nameLookup: Duration
    /// The connection to the server, or to the proxy, was open.
    public var connect: Duration
    /// The TLS handshake was complete; zero without a handshake. A handshake that resumes a former session is one too,
    /// and takes less time.
    public var tlsHandshake: Duration
    /// The response's first byte had arrived.
    public var firstByte: Duration
    /// The response's last byte had arrived.
    public var total: Duration

    /// Timings; each is the time since the transfer began.
    public init(nameLookup: Duration, connect: Duration, tlsHandshake: Duration, firstByte: Duration, total: Duration) {
        self.nameLookup = nameLookup
        self.connect = connect
        self.tlsHandshake = tlsHandshake
        self.firstByte = firstByte
        self.total = total
    }
}

/// How many bytes one transfer sent and received. Received bodies are counted before decoding of their content codings.
public struct WireBytes: Sendable, Hashable {
    /// Bytes of the request's line and headers.
    public var sentHead: Int64
    /// Bytes of the request's body.
    public var sentBody: Int64
    /// Bytes of the response's status line and headers.
    public var receivedHead: Int64
    /// Bytes of the response's body.
    public var receivedBody: Int64

    /// Counts in bytes.
    public init(sentHead: Int64, sentBody: Int64, receivedHead: Int64, receivedBody: Int64) {
        self.sentHead = sentHead
        self.sentBody = sentBody
        self.receivedHead = receivedHead
        self.receivedBody = receivedBody
    }
}
