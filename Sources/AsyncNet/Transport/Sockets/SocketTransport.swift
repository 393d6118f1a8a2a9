import Foundation

/// Carries requests over sockets of its own, with HTTP/1.1; TLS is OpenSSL's, found when the program runs.
///
/// Not public yet: it has no proxies, WebSockets and raw streams, and checks no stapled status.
package final class SocketTransport: Transport {
    package struct Configuration: Sendable {
        package var tls = TLSConfiguration()
        package var tlsForHosts: [String: TLSConfiguration] = [:]
        package var reportsCertificates = false
        package var unixSocket: String?
        package var connectTimeout = Duration.seconds(10)
        package var expectContinueTimeout = Duration.seconds(1)
        package var idleTimeout = Duration.seconds(60)
        package var maximumConnectionsPerOrigin = 256
        package var maximumConnections = 1024
        package var maximumHeaderBytes = 256 * 1024
        package var addresses: [String: [String]] = [:]
        package var ipVersion = IPVersion.any
        package var eventLoops: Int?

        package init() {}
    }

    package enum IPVersion: Sendable { case any, v4, v6 }

    package let configuration: Configuration
    private let setup: Result<SocketSetup, AsyncNetError>
    private let loops: [SocketLoop]

    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        setup = Result { () throws(AsyncNetError) in try SocketSetup(configuration) }
        let count = (try? setup.get())?.distribution.loops ?? 0
        loops = (0..<count).map { _ in SocketLoop() }
    }

    deinit { for loop in loops { loop.close() } }

    package var transportDescription: String {
        let tls = (try? OpenSSL.version.get()) ?? "without OpenSSL"
        return "sockets (\(tls))"
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (head, body) = try await start(request).response()
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }

    private func start(_ request: TransportRequest) throws(AsyncNetError) -> TransferPipe {
        let setup = try setup.get()
        let transfer = try SocketTransfer(request)
        try setup.hosts.check(request.head.urlText)
        let loop = loops[setup.distribution.loop(for: request.head.url.originKey) { _ in .init() }]
        transfer.pipe.connect(
            onAbort: { [weak transfer] in
                if let transfer { loop.post { SocketEngine.of($0)?.cancel(transfer) } }
            },
            onDemand: { [weak transfer] in
                if let transfer { loop.post { SocketEngine.of($0)?.resume(transfer) } }
            })
        try loop.submit { thread in
            if thread.engine == nil { thread.engine = SocketEngine(thread, setup) }
            SocketEngine.of(thread)?.start(transfer)
        }
        return transfer.pipe
    }

    package func shutdown() async {
        for loop in loops { loop.close() }
        for loop in loops { await loop.waitForEnd() }
    }
}

/// What all loops of a transport have in common.
final class SocketSetup: Sendable {
    let configuration: SocketTransport.Configuration
    let hosts: TLSHosts
    let distribution: LoopDistribution
    let names = NameLookup()

    init(_ configuration: SocketTransport.Configuration) throws(AsyncNetError) {
        self.configuration = configuration
        hosts = try TLSHosts(configuration.tls, configuration.tlsForHosts)
        for tls in hosts.settings { try tls.validate() }
        distribution = LoopDistribution(
            connections: configuration.maximumConnections,
            connectionsPerOrigin: configuration.maximumConnectionsPerOrigin, loops: configuration.eventLoops,
            processors: ProcessInfo.processInfo.activeProcessorCount, descriptors: DescriptorLimit.current)
    }
}
