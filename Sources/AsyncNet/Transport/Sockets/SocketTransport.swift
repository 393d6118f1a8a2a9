import Foundation

/// Carries requests over sockets of its own, with HTTP/1.1 (RFC 9112) and HTTP/2 (RFC 9113): the default on Linux.
///
/// This transport pauses a transfer while its body is not read, trusts given certificates, pins keys, sends a client
/// certificate, uses proxies and unix sockets, and measures. For TLS it uses the system's OpenSSL, 3 or 1.1.1, which it
/// looks for when the first `https` request is sent; without OpenSSL, `https` requests end with
/// `.transportUnavailable`. With settings that cannot work, each request ends with `.invalidConfiguration` or
/// `.unsupportedByTransport`.
///
/// If a kept connection ends before a byte of the response, an idempotent request is sent once more on a new
/// connection; any other request ends with `.connectionLost` (RFC 9110 §9.2.2).
///
/// On Apple's systems each request ends with `.transportFailed`: there URLSession is the default, with the system's own TLS.
public final class SocketTransport: Transport {
    /// The settings that this transport was made with.
    public let configuration: Configuration
    let setup: Result<SocketSetup, AsyncNetError>
    let loops: [SocketLoop]

    /// A transport with its own connections. Errors in the configuration end each request.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        setup = Result { () throws(AsyncNetError) in try SocketSetup(configuration) }
        let count = (try? setup.get())?.distribution.loops ?? 0
        loops = (0..<count).map { _ in SocketLoop() }
        if configuration.unverifiedHosts != nil { TLSConfiguration.warnOfUnverifiedHosts() }
    }

    deinit { close() }

    /// The version of OpenSSL, and whether certificates are verified.
    public var transportDescription: String {
        let tls = (try? OpenSSL.version.get()) ?? "without OpenSSL"
        return ["sockets (\(tls))", configuration.unverifiedHosts].compactMap(\.self).joined(separator: ", ")
    }

    /// Sends the request and returns once the response's head has arrived.
    ///
    /// The body keeps its content coding; see ``TransportResponse/isContentDecoded``.
    ///
    /// - Throws: ``AsyncNetError``, such as `.cannotConnect`, `.connectionLost` or `.certificateNotTrusted`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (head, body) = try await start(request).response()
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }

    /// `true`.
    public var judgesAddresses: Bool { true }

    /// Depends on the TLS settings for the request's host. If the server is not verified, as with `http`, it also
    /// depends on the proxy, Unix socket, addresses and resolver.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust {
        guard let setup = try? setup.get() else { return .nothing }
        return setup.hosts.trust(for: request) {
            let route = configuration.route.text(to: request.url)
            // Another resolver of the same type may know other addresses.
            return configuration.resolver is StandardResolver ? route : "\(route) \(setup.identity)"
        }
    }

    /// Refuses new requests, waits for running transfers to end, then closes all connections.
    public func shutdown() async {
        close()
        for loop in loops { await loop.waitForEnd() }
    }
}

extension Transport where Self == SocketTransport {
    /// Sockets, with the settings that are changed most often. Each call makes a transport with its own connections.
    public static func sockets(
        tls: TLSConfiguration = TLSConfiguration(), proxy: ProxyConfiguration = .none, unixSocket: String? = nil
    ) -> SocketTransport {
        SocketTransport(.init(tls: tls, proxy: proxy, unixSocket: unixSocket))
    }

    /// Sockets with all settings. Each call makes a transport with its own connections.
    public static func sockets(_ configuration: SocketTransport.Configuration) -> SocketTransport {
        SocketTransport(configuration)
    }
}

extension SocketTransport: CustomReflectable {
    /// `dump` shows the configuration, without passwords.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}

/// What all loops of a transport have in common.
final class SocketSetup: Sendable {
    let configuration: SocketTransport.Configuration
    let limits: HTTP1Limits
    let hosts: TLSHosts
    let distribution: LoopDistribution
    let names: NameLookup
    let proxies: ProxyRoutes
    let authorizations = ProxyAuthorizations()
    let memory = KeptMemory()
    /// The configuration's `addresses`, by their `addressesKey`.
    let addresses: [String: [String]]
    let identity = UUID()

    init(_ configuration: SocketTransport.Configuration) throws(AsyncNetError) {
        self.configuration = configuration
        try configuration.validate()
        if configuration.httpVersion == .http3 || configuration.httpVersion == .http3Preferred {
            throw AsyncNetError(
                .unsupportedByTransport, "Sockets carry no HTTP/3: use the LibcurlTransport of AsyncNetLibcurl")
        }
        limits = configuration.limits
        names = NameLookup(configuration.resolver, family: configuration.ipVersion.family)
        hosts = try TLSHosts(configuration.tls, configuration.tlsForHosts)
        proxies = try ProxyRoutes(
            configuration.proxy, unixSocket: configuration.unixSocket, isHTTP2Only: configuration.httpVersion == .http2)
        addresses = Dictionary(configuration.addresses.map { ($0.key.addressesKey, $0.value) }) { first, _ in first }
        distribution = LoopDistribution(
            connections: configuration.maximumConnections,
            connectionsPerOrigin: configuration.maximumConnectionsPerOrigin, loops: configuration.eventLoops,
            processors: ProcessInfo.processInfo.activeProcessorCount, descriptors: DescriptorLimit.current)
    }

    /// The way of a request's connection. Throws if no TLS settings are for the host.
    func route(to endpoint: ServerEndpoint, _ addresses: AddressPolicy) throws(AsyncNetError) -> ConnectionRoute {
        if endpoint.isTLS { _ = try hosts.settings(forHost: endpoint.host) }
        var route = try proxies.route(to: endpoint, isTunnelled: false)
        route.addresses = addresses
        return route
    }
}
