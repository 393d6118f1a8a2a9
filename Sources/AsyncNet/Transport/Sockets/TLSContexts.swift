/// The TLS contexts of one loop: one for each setting, so that no session is resumed across settings. Used under the loop's lock.
final class TLSContexts {
    private let hosts: TLSHosts
    private let fileInterval: Duration
    /// The contexts, by the index of their settings in `hosts`.
    private var contexts: [Int: RenewedContext] = [:]
    /// The contexts of raw streams with settings of their own.
    private var ownContexts: [TLSConfiguration: TLSContext] = [:]
    private let proxyContext: RenewedContext
    private static let mostOwnContexts = 16

    init(_ hosts: TLSHosts, proxy: TLSConfiguration, fileInterval: Duration) {
        (self.hosts, self.fileInterval) = (hosts, fileInterval)
        proxyContext = RenewedContext(proxy, lookingEvery: fileInterval)
    }

    func session(for endpoint: ServerEndpoint, offering protocols: [String]) throws(AsyncNetError) -> TLSSession? {
        guard endpoint.isTLS else { return nil }
        return try context(for: endpoint).session(for: endpoint, offering: protocols)
    }

    func session(for endpoint: ServerEndpoint, _ request: DuplexRequest) throws(AsyncNetError) -> TLSSession? {
        let context: TLSContext
        switch request.security {
        case .none: return nil
        case .transport: context = try self.context(for: endpoint)
        case .tls(let configuration): context = try ownContext(configuration)
        }
        return try context.session(for: endpoint, offering: request.isHTTP ? ["http/1.1"] : [])
    }

    /// The TLS session with the proxy itself; tickets of the proxy are used for no server.
    func session(to proxy: ProxyServer) throws(AsyncNetError) -> TLSSession {
        try proxyContext.current().session(for: proxy.endpoint, offering: ["http/1.1"])
    }

    private func context(for endpoint: ServerEndpoint) throws(AsyncNetError) -> TLSContext {
        let (index, configuration) = try hosts.tls(for: endpoint)
        let context = contexts[index] ?? RenewedContext(configuration, lookingEvery: fileInterval)
        contexts[index] = context
        return try context.current()
    }

    private func ownContext(_ configuration: TLSConfiguration) throws(AsyncNetError) -> TLSContext {
        if let context = ownContexts[configuration] { return context }
        let context = try TLSContext(configuration)
        // Settings with files are not kept: a program that replaces the files expects that they are read again.
        guard configuration.files.isEmpty else { return context }
        if ownContexts.count >= Self.mostOwnContexts { ownContexts = [:] }
        ownContexts[configuration] = context
        return context
    }
}
