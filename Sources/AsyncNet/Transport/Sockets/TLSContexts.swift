/// The TLS contexts of one loop: one for each setting, so that no session is resumed across settings. Used under the loop's lock.
final class TLSContexts {
    private let hosts: TLSHosts
    private let fileInterval: Duration
    private var contexts: [TLSConfiguration: RenewedContext] = [:]
    private let proxyContext: RenewedContext
    /// How many contexts of raw streams with settings of their own are kept.
    private static let mostOwnContexts = 16

    init(_ hosts: TLSHosts, proxy: TLSConfiguration, fileInterval: Duration) {
        (self.hosts, self.fileInterval) = (hosts, fileInterval)
        proxyContext = RenewedContext(proxy, lookingEvery: fileInterval)
    }

    /// - Parameter own: The settings of a raw stream; `nil` for the transport's settings for the host.
    /// - Returns: `nil` for an endpoint without TLS.
    func session(
        for endpoint: ServerEndpoint, _ own: TLSConfiguration?, offering protocols: [String]
    ) throws(AsyncNetError) -> TLSSession? {
        guard endpoint.isTLS else { return nil }
        let configuration = if let own { own } else { try hosts.settings(forHost: endpoint.host) }
        return try context(configuration).current().session(for: endpoint, offering: protocols)
    }

    private func context(_ configuration: TLSConfiguration) -> RenewedContext {
        if let context = contexts[configuration] { return context }
        if contexts.count >= hosts.settings.count + Self.mostOwnContexts { contexts = [:] }
        let context = RenewedContext(configuration, lookingEvery: fileInterval)
        contexts[configuration] = context
        return context
    }

    /// The TLS session with the proxy itself; tickets of the proxy are used for no server.
    func session(to proxy: ProxyServer) throws(AsyncNetError) -> TLSSession {
        try proxyContext.current().session(for: proxy.endpoint, offering: ["http/1.1"])
    }
}
