extension SocketTransport: DuplexTransport {
    /// Opens a connection of a loop. The connection does not count towards the limits for connections, and no request
    /// waits for it.
    public func open(_ request: DuplexRequest) async throws -> any DuplexConnection {
        let setup = try setup.get()
        try setup.check(request)
        let opening = DuplexOpening(request: request, route: try setup.route(of: request))
        let loop = loops[.random(in: loops.indices)]
        try loop.submit { SocketEngine.on($0, setup).open(opening) }
        do throws(AsyncNetError) {
            return try await opening.opened.value()
        } catch {
            loop.post { _ in opening.stream.object?.cancelOpening() }
            throw error
        }
    }
}

extension SocketSetup {
    fileprivate func check(_ request: DuplexRequest) throws(AsyncNetError) {
        try request.checkHost()
        try configuration.proxy.checkHost(request.host)
        switch request.security {
        case .none: break
        case .transport: _ = try hosts.settings(forHost: request.host)
        case .tls(let tls):
            try tls.validate()
            _ = try tls.unlessRefused(request.host)
        }
    }

    fileprivate func route(of request: DuplexRequest) throws(AsyncNetError) -> ConnectionRoute {
        let endpoint = ServerEndpoint(
            isTLS: request.isTLS, host: request.host.lowercased(), port: UInt16(clamping: request.port))
        var route = try proxies.route(to: endpoint, isTunnelled: true)
        route.addresses = request.addresses
        return route
    }
}
