extension SocketTransport {
    /// A connection for HTTP of a ``SocketTransport``, as it was at one moment.
    public struct Connection: Sendable {
        /// Scheme, host and port of the server, such as `https://example.com`; the port unless it is the scheme's.
        public let origin: String
        /// The IP address of the server or the proxy; `nil` for a unix socket.
        public let remoteAddress: String?
        /// `HTTP/1.1` or `HTTP/2`.
        public let httpVersion: String
        /// What the connection's TLS agreed on; `nil` without TLS.
        public let tls: ConnectionInfo.TLS?
        /// The time since the connection was opened.
        public let age: Duration
        /// How many transfers the connection carries.
        public let runningTransfers: Int
        /// How many requests wait for a connection like this one.
        public let waitingRequests: Int
        /// Whether the connection carries no transfer.
        public var isIdle: Bool { runningTransfers == 0 }
    }

    /// The open connections for HTTP. WebSockets, raw streams and connections that are being opened are not among them.
    public var connections: [Connection] {
        get async { loops.flatMap { $0.read { SocketEngine.of($0)?.snapshot ?? [] } ?? [] } }
    }

    /// Opens connections to a server, with their TLS handshakes, until there are `count`; over HTTP/2 one.
    func warmUp(
        _ request: HTTPRequestHead, _ count: Int, _ addresses: AddressPolicy
    ) async throws(AsyncNetError) {
        let setup = try setup.get()
        let loop = loops[setup.distribution.loop(for: request.urlText.originKey) { loops[$0].load }]
        let route = try setup.route(to: ServerEndpoint.parse(request.urlText).endpoint, addresses)
        let warmUp = WarmUp(route: route, count: max(1, count))
        try loop.submit { SocketEngine.on($0, setup).start(warmUp) }
        try await warmUp.end.value()
    }
}

extension SocketEngine {
    fileprivate var snapshot: [SocketTransport.Connection] {
        thread.handlers.compactMap { $0 as? PooledConnection }.map { connection in
            let endpoint = connection.route.endpoint
            return SocketTransport.Connection(
                origin: "\(endpoint.isTLS ? "https" : "http")://\(endpoint.authority)",
                remoteAddress: connection.remoteAddress,
                httpVersion: connection.room == nil ? "HTTP/1.1" : "HTTP/2",
                tls: endpoint.isTLS ? connection.stream.tls?.agreement : nil, age: .now - connection.opened,
                runningTransfers: connection.running, waitingRequests: pool.waitingCount(for: connection.route))
        }
    }

    fileprivate func start(_ warmUp: WarmUp) {
        thread.activeCount += 1
        warmUps.append(warmUp)
        goOnWarmingUp(warmUp.route, .success(()))
    }

    /// Called after the end of each dial; a dial may end before the call that began it returns.
    func goOnWarmingUp(_ route: ConnectionRoute, _ result: Result<Void, AsyncNetError>) {
        for warmUp in warmUps where warmUp.route == route {
            if case .success = result, opensMore(for: warmUp) { continue }
            end(warmUp, result)
        }
    }

    private func end(_ warmUp: WarmUp, _ result: Result<Void, AsyncNetError>) {
        guard let index = warmUps.firstIndex(where: { $0.end === warmUp.end }) else { return }
        warmUps.remove(at: index)
        thread.activeCount -= 1
        warmUp.end.fulfil(result)
    }

    /// Opens the missing connections; if they may be shared, only the first. Returns whether the warm-up waits for a
    /// connection.
    private func opensMore(for warmUp: WarmUp) -> Bool {
        let mayShare = versions.mayBeHTTP2(warmUp.route, configuration.httpVersion)
        // A dial that fails at once ends the warm-up, and so this loop.
        while warmUps.contains(where: { $0.end === warmUp.end }) {
            switch pool.prepare(warmUp.route, count: warmUp.count, mayShare: mayShare) {
            case .open: open(warmUp.route, for: nil)
            case .wait: return true
            case .done: return false
            }
        }
        return true
    }
}
