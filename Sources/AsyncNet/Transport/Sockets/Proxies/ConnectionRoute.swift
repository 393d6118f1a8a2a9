/// The way that a connection takes: to its server directly, through a proxy's tunnel, or to a proxy that passes each
/// request on. Connections with the same way carry each other's requests.
struct ConnectionRoute: Hashable, Sendable {
    let endpoint: ServerEndpoint
    var proxy: ProxyServer?
    /// Whether the proxy gets requests in absolute form (RFC 9112 §3.2.2) and passes them on, in place of a tunnel.
    var isForwarded = false
    /// The policy that judged the server's address: a kept connection serves no request with another policy.
    var addresses = AddressPolicy.any
}

/// Decides by a transport's settings which way a connection takes.
final class ProxyRoutes: Sendable {
    private let configuration: ProxyConfiguration
    /// The proxy of the settings. The environment's proxy is read anew for each connection.
    private let proxy: ProxyServer?
    private let ignoresProxies: Bool
    private let isHTTP2Only: Bool

    /// - Parameter isHTTP2Only: Whether a proxy must tunnel each request: proxies are spoken to over HTTP/1.1.
    init(
        _ configuration: ProxyConfiguration, unixSocket: String?, isHTTP2Only: Bool = false
    ) throws(AsyncNetError) {
        (self.configuration, self.isHTTP2Only) = (configuration, isHTTP2Only)
        // A unix socket is connected to without a proxy.
        ignoresProxies = unixSocket != nil
        guard case .url(let url) = configuration.kind else {
            proxy = nil
            return
        }
        proxy = try ProxyServer(url, configuration.credentials, configuration.headers)
    }

    /// - Parameter isTunnelled: Whether a proxy must make a tunnel to the server, whatever is sent through it.
    func route(to endpoint: ServerEndpoint, isTunnelled: Bool) throws(AsyncNetError) -> ConnectionRoute {
        guard let proxy = try proxy(for: endpoint) else { return ConnectionRoute(endpoint: endpoint) }
        if !proxy.kind.isHTTP { try configuration.checkHost(endpoint.host) }
        let needsTunnel = isTunnelled || endpoint.isTLS || isHTTP2Only || configuration.alwaysTunnels
        return ConnectionRoute(endpoint: endpoint, proxy: proxy, isForwarded: proxy.kind.isHTTP && !needsTunnel)
    }

    private func proxy(for endpoint: ServerEndpoint) throws(AsyncNetError) -> ProxyServer? {
        if ignoresProxies { return nil }
        switch configuration.kind {
        case .none: return nil
        case .url: return isBypassed(by: endpoint) ? nil : proxy
        case .environment:
            guard let url = ProxyConfiguration.environmentURL(isTLS: endpoint.isTLS), !isBypassed(by: endpoint) else {
                return nil
            }
            return try ProxyServer(url, nil, configuration.headers)
        }
    }

    private func isBypassed(by endpoint: ServerEndpoint) -> Bool {
        configuration.isBypassed(by: endpoint.host, port: Int(endpoint.port))
    }
}

extension ProxyConfiguration {
    fileprivate var credentials: ProxyServer.Credentials? {
        guard username != nil || password != nil else { return nil }
        return ProxyServer.Credentials(user: username ?? "", password: password ?? "")
    }
}
