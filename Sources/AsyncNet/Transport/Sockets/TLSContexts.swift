/// The TLS contexts of one loop: one for each setting, so that no session is resumed across settings. Used under the loop's lock.
final class TLSContexts {
    private let hosts: TLSHosts
    private let proxyTLS: TLSConfiguration
    /// By the place of the settings among those of the hosts.
    private var contexts: [Int: TLSContext] = [:]
    /// Those of connections with settings of their own.
    private var ownContexts: [TLSConfiguration: TLSContext] = [:]
    private var proxyContext: TLSContext?
    private static let mostOwnContexts = 16

    init(_ hosts: TLSHosts, proxy: TLSConfiguration) { (self.hosts, proxyTLS) = (hosts, proxy) }

    /// - Returns: `nil` for a connection without TLS.
    func session(for endpoint: ServerEndpoint, offering protocols: [String]) throws(AsyncNetError) -> TLSSession? {
        guard endpoint.isTLS else { return nil }
        return try context(for: endpoint).session(for: endpoint, offering: protocols)
    }

    /// - Returns: `nil` for a connection without TLS.
    func session(for endpoint: ServerEndpoint, _ request: DuplexRequest) throws(AsyncNetError) -> TLSSession? {
        let context: TLSContext
        switch request.security {
        case .none: return nil
        case .transport: context = try self.context(for: endpoint)
        case .tls(let configuration): context = try ownContext(configuration)
        }
        return try context.session(for: endpoint, offering: request.isHTTP ? ["http/1.1"] : [])
    }

    /// The TLS to a proxy itself, whose tickets are no server's.
    func session(to proxy: ProxyServer) throws(AsyncNetError) -> TLSSession {
        let context: TLSContext = if let proxyContext { proxyContext } else { try TLSContext(proxyTLS) }
        proxyContext = context
        return try context.session(for: proxy.endpoint, offering: ["http/1.1"])
    }

    private func context(for endpoint: ServerEndpoint) throws(AsyncNetError) -> TLSContext {
        let (index, configuration) = try hosts.tls(for: endpoint)
        if let context = contexts[index] { return context }
        let context = try TLSContext(configuration)
        contexts[index] = context
        return context
    }

    private func ownContext(_ configuration: TLSConfiguration) throws(AsyncNetError) -> TLSContext {
        if let context = ownContexts[configuration] { return context }
        let context = try TLSContext(configuration)
        // A program that goes on to use new files expects them to be read.
        guard !configuration.namesFiles else { return context }
        if ownContexts.count >= Self.mostOwnContexts { ownContexts = [:] }
        ownContexts[configuration] = context
        return context
    }
}
