/// The way that a connection takes: to its server directly, through a proxy's tunnel, or to a proxy that passes each
/// request on. Connections with the same way carry each other's requests.
struct ConnectionRoute: Hashable, Sendable {
    let endpoint: ServerEndpoint
    var proxy: ProxyServer?
    /// Whether the proxy gets requests in absolute form (RFC 9112 §3.2.2) in place of a connection to the server.
    var isForwarded = false
    /// What the server's address was judged by: a kept connection serves no request with another policy.
    var addresses = AddressPolicy.any
}

/// Decides by a transport's settings which way a connection takes.
struct ProxyRoutes: Sendable {
    private let configuration: ProxyConfiguration
    /// The proxy of the settings; that of the environment is looked at for each connection.
    private let proxy: ProxyServer?
    private let ignoresProxies: Bool
    private let isHTTP2Only: Bool

    /// - Parameter isHTTP2Only: Whether a proxy, which is spoken to over HTTP/1.1, must tunnel each request.
    init(
        _ configuration: ProxyConfiguration, unixSocket: String?, isHTTP2Only: Bool = false
    ) throws(AsyncNetError) {
        (self.configuration, self.isHTTP2Only) = (configuration, isHTTP2Only)
        // No proxy leads to a socket of this machine.
        ignoresProxies = unixSocket != nil
        guard case .url(let url) = configuration.kind else {
            proxy = nil
            return
        }
        proxy = try ProxyServer(url, configuration.credentials, configuration.headers)
    }

    /// - Parameter isTunnelled: Whether the connection must be one to the server, whatever is sent on it.
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
