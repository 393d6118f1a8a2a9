public import Foundation

/// The connection of a hop. A value that the transport does not know is `nil`.
public struct ConnectionInfo: Sendable, Hashable {
    /// Whether an earlier transfer had used the connection.
    public var isReused: Bool?
    /// The HTTP version, such as `HTTP/1.1` or `HTTP/2`.
    public var httpVersion: String?
    /// The IP address of the server or the proxy.
    public var remoteAddress: String?
    /// The port of the server or the proxy.
    public var remotePort: Int?
    /// The certificates that the server showed when the connection was opened, the server's own first, each in PEM
    /// (RFC 7468); empty on a reused connection, without TLS, and over transports that do not report them.
    public var certificates: [String]
    /// What the TLS handshake agreed on; `nil` without TLS, and over transports that do not report it.
    public var tls: TLS?
    /// The shortest round trip to the server that was measured on an HTTP/2 connection; `nil` if none was measured.
    public var roundTrip: Duration?

    /// Makes a value; a property that is left out is unknown.
    public init(
        isReused: Bool? = nil, httpVersion: String? = nil, remoteAddress: String? = nil, remotePort: Int? = nil,
        certificates: [String] = [], tls: TLS? = nil, roundTrip: Duration? = nil
    ) {
        self.isReused = isReused
        self.httpVersion = httpVersion
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.certificates = certificates
        self.tls = tls
        self.roundTrip = roundTrip
    }

    /// What a TLS handshake agreed on.
    public struct TLS: Sendable, Hashable {
        /// The version, such as `TLSv1.3`.
        public var version: String
        /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
        public var cipherSuite: String
        /// The group of the key exchange, such as `x25519`; `nil` if the TLS library does not report it.
        public var group: String?
        /// The protocol that the server chose (ALPN, RFC 7301), such as `http/1.1`.
        public var applicationProtocol: String?
        /// Whether an earlier session was resumed, so that the server's certificate was not shown again.
        public var isResumed: Bool
        /// The last second at which the server's own certificate is valid; `nil` if the transport does not report it.
        public var certificateExpiry: Date?

        /// Makes a value.
        public init(
            version: String, cipherSuite: String, group: String? = nil, applicationProtocol: String? = nil,
            isResumed: Bool = false, certificateExpiry: Date? = nil
        ) {
            self.version = version
            self.cipherSuite = cipherSuite
            self.group = group
            self.applicationProtocol = applicationProtocol
            self.isResumed = isResumed
            self.certificateExpiry = certificateExpiry
        }
    }
}

extension ConnectionInfo: CustomStringConvertible {
    public var description: String {
        let use = isReused.map { $0 ? "reused" : "new" }
        let address = remoteAddress.map { address in remotePort.map { "\(address) port \($0)" } ?? address }
        let parts = [use, httpVersion, address].compactMap(\.self)
        return parts.isEmpty ? "unknown" : parts.joined(separator: ", ")
    }
}
