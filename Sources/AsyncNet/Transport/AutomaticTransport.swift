/// The best transport on this machine: sockets on Linux, URLSession on Apple's systems.
public struct AutomaticTransport: Transport {
    let chosen: any Transport

    /// Chooses the transport, which has its own connections.
    public init() { chosen = Platform.prefersSockets ? SocketTransport() : URLSessionTransport() }

    /// The description of the chosen transport.
    public var transportDescription: String { chosen.transportDescription }
    /// Whether the chosen transport judges addresses.
    public var judgesAddresses: Bool { (ScopedTransport.current ?? chosen).judgesAddresses }

    /// Sends the request over the chosen transport.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        // Reached only by a transport of the user's that wraps this one: a session calls the chosen transport itself.
        if let scoped = ScopedTransport.current { return try await scoped.send(request) }
        return try await chosen.send(request)
    }
    /// The trust of the chosen transport.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust {
        (ScopedTransport.current ?? chosen).trust(for: request)
    }

    /// Shuts the chosen transport down.
    public func shutdown() async { await chosen.shutdown() }
}

extension AutomaticTransport: DuplexTransport {
    /// Opens a connection over the chosen transport, if that transport can.
    public func open(_ request: DuplexRequest) async throws -> any DuplexConnection {
        if let scoped = ScopedTransport.current { return try await scoped.open(request) }
        return try await chosen.connection(to: request)
    }
}

extension Transport where Self == AutomaticTransport {
    /// Sockets on Linux, URLSession on Apple's systems. Each use makes a transport with its own connections.
    public static var automatic: AutomaticTransport { AutomaticTransport() }
}
