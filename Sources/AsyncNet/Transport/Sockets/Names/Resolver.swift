/// Finds the addresses of a host's name, for the connections of a ``SocketTransport``.
///
///     struct Registry: Resolver {
///         func addresses(of name: String) async throws -> [ResolvedAddress] {
///             try await registry.instances(of: name).map { ResolvedAddress($0.ip, timeToLive: .seconds(5)) }
///         }
///     }
///     let session = Session(transport: .sockets(.init(resolver: Registry())))
///
/// The transport keeps an answer for the shortest time to live in it, at most an hour, and asks once for all
/// connections that need a name at the same time. The transport does not ask for IP addresses, for the hosts in
/// ``SocketTransport/Configuration/addresses``, nor for `localhost` and the names below it, which are on this machine
/// (RFC 6761 §6.3). A proxy is looked up like a server.
///
/// A lookup is part of the time of ``SocketTransport/Configuration/connectTimeout``. The task of a lookup is cancelled
/// when no connection waits for it any more; a resolver that ignores the cancel delays nobody.
public protocol Resolver: Sendable {
    /// Returns the addresses of a name, the preferred ones first: they are tried one after the other (RFC 8305).
    ///
    /// The function must not block its thread, and sees no task-local values, since many requests share its answer.
    ///
    /// - Parameter name: In lower case, without a dot at its end.
    /// - Throws: Any error ends the requests with `.hostNotFound`, whose underlying error it is. An answer without
    ///   addresses ends them with `.hostNotFound` too.
    func addresses(of name: String) async throws -> [ResolvedAddress]
}

/// An address of a name.
public struct ResolvedAddress: Hashable, Sendable {
    /// An IPv4 or IPv6 address without port and brackets, such as `192.0.2.1` or `2001:db8::1`.
    public var text: String
    /// How long the address may be used without another lookup. 30 s by default.
    public var timeToLive: Duration

    /// Makes an address. Text that is no IP address is left out of an answer.
    public init(_ text: String, timeToLive: Duration = .seconds(30)) {
        self.text = text
        self.timeToLive = timeToLive
    }
}

extension AsyncNetError {
    static func notResolved(_ reason: String, underlyingError: (any Error)? = nil) -> AsyncNetError {
        AsyncNetError(.hostNotFound, "\(Code.hostNotFound.summary) (\(reason))", underlyingError: underlyingError)
    }
}
