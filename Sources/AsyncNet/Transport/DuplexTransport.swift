public import Foundation

/// A transport that also opens connections which carry bytes in both directions and no HTTP: for WebSocket and for
/// ``Session/connect(to:port:tls:)``.
///
/// A session asks its transport for a connection only if the transport conforms to this protocol; with another transport
/// the call ends with `.unsupportedByTransport`. ``Transport/shutdown()`` of the transport must close its connections, so that
/// what waits for them ends with `.sessionFinished`.
public protocol DuplexTransport: Transport {
    /// Opens a connection, with its TLS handshake, and returns it. Nothing of the caller's is sent before the return.
    ///
    /// Cancelling the awaiting task must end the opening at once.
    ///
    /// - Throws: ``AsyncNetError``, such as `.cannotConnect` or `.certificateNotTrusted`.
    func open(_ request: DuplexRequest) async throws -> any DuplexConnection
}

/// A connection of a ``DuplexTransport``: bytes in order, in both directions.
///
/// Any number of tasks may use a connection at the same time. Releasing the connection closes it.
public protocol DuplexConnection: AnyObject, Sendable {
    /// The peer's address and the certificates that it showed.
    var info: ConnectionInfo { get }

    /// The next bytes that arrive; `nil` once the peer has ended its side, after all of its bytes.
    ///
    /// While nobody reads, the transport receives no more than a buffer from the network. Cancelling the task loses no
    /// byte: the next call returns it.
    func receive() async throws -> Data?

    /// Takes bytes, and sends them in the order of the calls; returns without waiting for the network.
    ///
    /// - Throws: ``AsyncNetError``, such as `.connectionLost` for a connection that is closed.
    func send(_ data: Data) throws

    /// Returns when few of the taken bytes are still unsent. Cancelling the task ends the wait, not the sending.
    func sendingRoom() async throws

    /// Tells the peer, after all bytes, that no more bytes follow (TLS 1.3's close_notify, RFC 8446 §6.1); the peer can
    /// still send.
    ///
    /// - Throws: ``AsyncNetError`` with code `.unsupportedByTransport` if one direction cannot end alone, as with TLS
    ///   1.2 or older: the peer must then close at once and drop its unsent bytes (RFC 5246 §7.2.1).
    func finishSending() throws

    /// Sends what `send` has taken, as far as the peer takes it within a limited time, then closes the connection.
    /// If the task is cancelled, the connection is closed at once.
    func close() async

    /// Closes the connection at once. What waits for it ends with the error, or with `.connectionLost`.
    func abort(_ error: AsyncNetError?)
}

/// Where a connection leads, and how it is secured.
public struct DuplexRequest: Sendable {
    /// Whether and how the connection is encrypted.
    public enum Security: Sendable {
        /// No TLS.
        case none
        /// TLS with the transport's own settings for the host.
        case transport
        /// TLS with these settings.
        case tls(TLSConfiguration)
    }

    /// The name or the IP address of the host, an IPv6 address without brackets, which may have a zone: `fe80::1%eth0`.
    public var host: String
    /// The port, 1 to 65535.
    public var port: Int
    /// Whether and how the connection is encrypted.
    public var security: Security
    /// Whether the connection is for HTTP/1.1, which the TLS handshake then offers (ALPN, RFC 7301). `false` by
    /// default: the handshake then offers no protocol.
    public var isHTTP: Bool
    /// Which addresses may be connected to; see ``Transport/judgesAddresses``.
    public var addresses = AddressPolicy.any

    /// Makes a request for a connection.
    public init(host: String, port: Int, security: Security, isHTTP: Bool = false) {
        self.host = host
        self.port = port
        self.security = security
        self.isHTTP = isHTTP
    }

    /// Throws unless the host is only a name or an IP address, and the port is valid.
    func checkHost() throws(AsyncNetError) {
        let isName = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/?#@[]\\%".utf8.contains($0) }
        let isV6 = IPText.v6(host) != nil || ZonedAddress.isValid(host)
        guard isV6 || isName && !host.utf8.contains(UInt8(ascii: ":")), !host.isEmpty, 1...65_535 ~= port else {
            throw AsyncNetError(
                .malformedURL, "A connection needs a host name or an IP address, and a port from 1 to 65535")
        }
    }

    var isTLS: Bool { if case .none = security { false } else { true } }
}

/// A transport that makes or replays recordings, which have requests and responses only.
package protocol TransportOfRecordings: Transport {}

extension Transport {
    /// Refuses a policy that the transport does not apply.
    func check(_ addresses: AddressPolicy) throws(AsyncNetError) {
        guard !addresses.isAny else { return }
        try addresses.check()
        guard judgesAddresses else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "\(transportDescription) does not ask an AddressPolicy before it connects; use .sockets()")
        }
    }

    /// Opens a connection over this transport; throws `.unsupportedByTransport` if the transport cannot open any.
    func connection(to request: DuplexRequest) async throws -> any DuplexConnection {
        guard let transport = self as? any DuplexTransport else {
            let advice =
                self is any TransportOfRecordings
                ? "recordings have neither: use a StubTransport or a MockServer"
                : "use .sockets(), or a transport that conforms to DuplexTransport"
            throw AsyncNetError(
                .unsupportedByTransport,
                "\(transportDescription) opens no connections for WebSocket and raw streams; \(advice)")
        }
        try check(request.addresses)
        return try await transport.open(request)
    }
}
