import Foundation

/// Carries requests over the libcurl of this process, the one that FoundationNetworking itself loads on Linux.
///
/// No server can crash it, and it does what URLSession on Linux cannot: pause a transfer while nobody reads, trust
/// given certificates, pin keys, show a client certificate, go through proxies and unix sockets, and measure.
///
/// libcurl is loaded by name when the first such transport is made; on a machine without it, or with one older than
/// 7.66, requests end with `.transportUnavailable`. Settings that cannot work end it with `.invalidConfiguration` or
/// `.unsupportedByTransport`. An idempotent request whose kept connection ends before a byte of the response is sent
/// once more, on a connection of its own; any other request ends with `.connectionLost` then (RFC 9110 §9.2.2).
public final class LibcurlTransport: Transport {
    public let configuration: Configuration
    private let engine: Result<Engine, AsyncNetError>

    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration, over: Libcurl.version)
    }

    /// With a libcurl that a test makes up.
    package init(_ configuration: Configuration, over version: Result<Libcurl.Version, AsyncNetError>) {
        self.configuration = configuration
        engine = Result { () throws(AsyncNetError) in
            let version = try version.get()
            try configuration.validate(version)
            return Engine(configuration, version)
        }
        if configuration.tls.isDisabled { Self.warn() }
    }

    deinit {
        if case .success(let engine) = engine { engine.close() }
    }

    /// Which libcurl it is, with what TLS library, and whether it checks certificates.
    public var transportDescription: String {
        switch engine {
        case .failure(let error): "libcurl, which does not work: \(error.message)"
        case .success(let engine):
            configuration.tls.isDisabled ? "\(engine.version), NOT VERIFYING CERTIFICATES" : engine.version.description
        }
    }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let pipe = try start(request)
        let body = TransportBody(pipe)
        return TransportResponse(head: try await pipe.head(), body: body, isContentDecoded: false)
    }

    @inline(never)
    private func start(_ request: TransportRequest) throws(AsyncNetError) -> TransferPipe {
        let engine = try engine.get()
        let origin = request.head.url.originKey
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

    public func shutdown() async {
        guard case .success(let engine) = engine else { return }
        engine.close()
        for loop in engine.loops { await loop.waitForEnd() }
    }

    private static func warn() {
        let text =
            "AsyncNet: a libcurl transport does not verify certificates; anyone on the way can read and change what it carries.\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// The loops of one transport.
private struct Engine: Sendable {
    let version: Libcurl.Version
    let loops: [LibcurlLoop]
    private let distribution: LoopDistribution

    init(_ configuration: LibcurlTransport.Configuration, _ version: Libcurl.Version) {
        let distribution = LoopDistribution(
            connections: configuration.maximumConnections,
            connectionsPerOrigin: configuration.maximumConnectionsPerHost, loops: configuration.eventLoops,
            processors: ProcessInfo.processInfo.activeProcessorCount, descriptors: DescriptorLimit.current)
        self.version = version
        self.distribution = distribution
        loops = (0..<distribution.loops).map { _ in LibcurlLoop(configuration, distribution.limits) }
    }

    func loop(for origin: OriginKey) -> LibcurlLoop {
        loops[distribution.loop(for: origin) { loops[$0].transferCount }]
    }

    func close() {
        for loop in loops { loop.close() }
    }
}

extension Transport where Self == LibcurlTransport {
    /// libcurl, with the settings that are changed most often. Each use makes a transport, and connections, of its own.
    public static func libcurl(
        tls: TLSConfiguration = TLSConfiguration(), proxy: ProxyConfiguration = .none, unixSocket: String? = nil
    ) -> LibcurlTransport {
        LibcurlTransport(configuration: .init(tls: tls, proxy: proxy, unixSocket: unixSocket))
    }

    /// libcurl with settings of one's own.
    public static func libcurl(_ configuration: LibcurlTransport.Configuration) -> LibcurlTransport {
        LibcurlTransport(configuration: configuration)
    }
}

extension LibcurlTransport: CustomReflectable {
    /// What `dump` shows: the configuration, without passwords.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
