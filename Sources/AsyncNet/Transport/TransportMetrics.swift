public import Foundation

/// The measurements of one transfer. A value that the transport cannot measure is `nil`.
public struct TransportMetrics: Sendable {
    /// The HTTP version, such as `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String?
    /// Whether the connection had carried an earlier transfer.
    public var isConnectionReused: Bool?
    /// The IP address of the server or the proxy.
    public var remoteAddress: String?
    /// When the steps of the transfer were complete.
    public var timings: TransferTimings?
    /// How many bytes were sent and received.
    public var wireBytes: WireBytes?
    /// The certificates that the server showed in this transfer's handshake, in the form and order of
    /// ``ConnectionInfo/certificates``; empty unless the server was not trusted,
    /// ``SocketTransport/Configuration/reportsCertificates`` is set, or an observer's ``EventInterests`` ask for them.
    public var certificates: [String]
    /// The last second at which the server's own certificate is valid, also on a reused connection; `nil` without TLS,
    /// and over transports that do not report it.
    public var certificateExpiry: Date?

    /// Metrics; a value that is left out is unknown.
    public init(
        httpVersion: String? = nil, isConnectionReused: Bool? = nil, remoteAddress: String? = nil,
        timings: TransferTimings? = nil, wireBytes: WireBytes? = nil, certificates: [String] = [],
        certificateExpiry: Date? = nil
    ) {
        self.httpVersion = httpVersion
        self.isConnectionReused = isConnectionReused
        self.remoteAddress = remoteAddress
        self.timings = timings
        self.wireBytes = wireBytes
        self.certificates = certificates
        self.certificateExpiry = certificateExpiry
    }
}

extension TransportMetrics: CustomStringConvertible {
    public var description: String {
        let parts = [
            isConnectionReused.map { $0 ? "reused" : "new" }, httpVersion, remoteAddress, timings.map { "\($0.total)" },
            wireBytes.map { "\($0.sentHead + $0.sentBody) bytes sent, \($0.receivedHead + $0.receivedBody) received" },
        ]
        let known = parts.compactMap(\.self)
        return known.isEmpty ? "unknown" : known.joined(separator: ", ")
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
    /// The time until the response's first byte had arrived.
    public var firstByte: Duration
    /// The time until the response's last byte had arrived.
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
