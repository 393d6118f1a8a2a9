public import AsyncNet
import Foundation

/// Carries requests over the libcurl of this process, which FoundationNetworking on Linux uses too: for HTTP/3, and
/// where libcurl is required.
///
/// This transport opens no connections for WebSockets and raw streams: such a call ends with `.unsupportedByTransport`.
/// Use a session over `SocketTransport` for them.
///
/// libcurl is loaded by name when the first transport is made. Without libcurl, or with a version before 7.66, each
/// request ends with `.transportUnavailable`. With settings that cannot work, each request ends with
/// `.invalidConfiguration` or `.unsupportedByTransport`.
///
/// If a kept connection ends before a byte of the response, an idempotent request is sent once more on a new
/// connection; any other request ends with `.connectionLost` (RFC 9110 §9.2.2), also if the server reported over HTTP/2
/// that it did not process the request.
public final class LibcurlTransport: Transport {
    /// The settings that this transport was made with.
    public let configuration: Configuration
    private let engine: Result<Engine, AsyncNetError>

    /// A transport with its own connections. Errors in the configuration end each request.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration, over: Libcurl.version)
    }

    /// - Parameter version: The loaded libcurl; tests pass other versions.
    init(_ configuration: Configuration, over version: Result<Libcurl.Version, AsyncNetError>) {
        self.configuration = configuration
        engine = Result { () throws(AsyncNetError) in
            let version = try version.get()
            try configuration.validate(version)
            return try Engine(configuration, version)
        }
        if configuration.unverifiedHosts != nil { TLSConfiguration.warnOfUnverifiedHosts() }
    }

    deinit {
        if case .success(let engine) = engine { engine.close() }
    }

    /// The versions of libcurl and of its TLS library, and whether certificates are verified.
    public var transportDescription: String {
        switch engine {
        case .failure(let error): "libcurl (unavailable: \(error.message))"
        case .success(let engine):
            [engine.version.description, configuration.unverifiedHosts].compactMap(\.self).joined(separator: ", ")
        }
    }

    /// Sends the request and returns once the response's head has arrived.
    ///
    /// The body keeps its content coding; see `TransportResponse.isContentDecoded`.
    ///
    /// - Throws: `AsyncNetError`, such as `.cannotConnect`, `.connectionLost` or `.certificateNotTrusted`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (head, body) = try await start(request).response()
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }

    private func start(_ request: TransportRequest) throws(AsyncNetError) -> TransferPipe {
        let engine = try engine.get()
        let origin = request.head.url.absoluteString.originKey
        let loop = engine.loop(for: origin)
        let exchange = try LibcurlExchange(request, origin: origin, loop: loop)
        do {
            try loop.submit(exchange)
        } catch {
            exchange.pipe.finish(.failure(error))
            throw error
        }
        return exchange.pipe
    }

    /// For `https`, what the TLS settings for the request's host verify. For `http`, the proxy, Unix socket and
    /// addresses; for `https` without verification, both.
    public func trust(for request: HTTPRequestHead) -> ResponseTrust {
        guard case .success(let engine) = engine else { return .nothing }
        return engine.hosts.trust(for: request) { configuration.route.text(to: request.url) }
    }

    /// The transport's loops; none if the transport cannot be used.
    var loops: [LibcurlLoop] { (try? engine.get())?.loops ?? [] }

    /// Refuses new requests, waits for running transfers to end, then closes all connections.
    public func shutdown() async {
        guard case .success(let engine) = engine else { return }
        engine.close()
        for loop in loops { await loop.waitForEnd() }
    }
}

/// The loops of one transport.
private struct Engine: Sendable {
    let version: Libcurl.Version
    let loops: [LibcurlLoop]
    let hosts: TLSHosts
    private let distribution: LoopDistribution

    init(_ configuration: LibcurlTransport.Configuration, _ version: Libcurl.Version) throws(AsyncNetError) {
        let hosts = try TLSHosts(configuration.tls, configuration.tlsForHosts)
        let distribution = LoopDistribution(
            connections: configuration.maximumConnections,
            connectionsPerOrigin: configuration.maximumConnectionsPerOrigin, loops: configuration.eventLoops,
            processors: ProcessInfo.processInfo.activeProcessorCount, descriptors: DescriptorLimit.current)
        self.version = version
        self.distribution = distribution
        self.hosts = hosts
        let offers = HTTP3Offers(configuration, version)
        loops = (0..<distribution.loops).map { _ in
            LibcurlLoop(configuration, distribution.limits, offers, hosts: hosts)
        }
    }

    func loop(for origin: OriginKey) -> LibcurlLoop {
        loops[distribution.loop(for: origin) { loops[$0].load }]
    }

    func close() {
        for loop in loops { loop.close() }
    }
}

extension Transport where Self == LibcurlTransport {
    /// libcurl, with the settings that are changed most often. Each call makes a transport with its own connections.
    public static func libcurl(
        tls: TLSConfiguration = TLSConfiguration(), proxy: ProxyConfiguration = .none, unixSocket: String? = nil
    ) -> LibcurlTransport {
        LibcurlTransport(configuration: .init(tls: tls, proxy: proxy, unixSocket: unixSocket))
    }

    /// libcurl with all settings. Each call makes a transport with its own connections.
    public static func libcurl(_ configuration: LibcurlTransport.Configuration) -> LibcurlTransport {
        LibcurlTransport(configuration: configuration)
    }
}

extension LibcurlTransport: CustomReflectable {
    /// `dump` shows the configuration, without passwords.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
