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

    /// Makes a value; what is left out is unknown.
    public init(
        isReused: Bool? = nil, httpVersion: String? = nil, remoteAddress: String? = nil, remotePort: Int? = nil,
        certificates: [String] = []
    ) {
        self.isReused = isReused
        self.httpVersion = httpVersion
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.certificates = certificates
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
