extension SocketTransport {
    /// A connection for HTTP of a ``SocketTransport``, as it was at one moment.
    public struct Connection: Sendable {
        /// Scheme, host and port of the server, such as `https://example.com`; the port unless it is the scheme's.
        public let origin: String
        /// The IP address of the server or the proxy; `nil` for a unix socket.
        public let remoteAddress: String?
        /// `HTTP/1.1` or `HTTP/2`.
        public let httpVersion: String
        /// What its TLS agreed on; `nil` without TLS.
        public let tls: ConnectionInfo.TLS?
        /// The time since it was opened.
        public let age: Duration
        /// How many transfers it carries.
        public let runningTransfers: Int
        /// How many requests of its origin wait for a connection.
        public let waitingRequests: Int
        /// Whether it carries no transfer.
        public var isIdle: Bool { runningTransfers == 0 }
    }

    /// The connections that are open, without those of WebSockets and raw streams, and without those that are being opened.
    public var connections: [Connection] {
        get async { loops.flatMap { $0.read { SocketEngine.of($0)?.snapshot ?? [] } ?? [] } }
    }

    /// Opens connections to a server, with their TLS handshakes, until there are so many; one over HTTP/2.
    func warmUp(
        _ request: HTTPRequestHead, _ count: Int, _ addresses: AddressPolicy
    ) async throws(AsyncNetError) {
        let setup = try setup.get()
        let loop = loops[setup.distribution.loop(for: request.url.originKey) { loops[$0].load }]
        let (endpoint, _, _) = try ServerEndpoint.parse(request.urlText)
        if endpoint.isTLS { _ = try setup.hosts.tls(for: endpoint) }
        var route = try setup.proxies.route(to: endpoint, isTunnelled: false)
        route.addresses = addresses
        let ends = (0..<max(1, count)).map { _ in Promise<Void>() }
        try loop.submit { [route] in SocketEngine.on($0, setup).warmUp(route, count, ends[...]) }
        for end in ends { try await end.value() }
    }
}

extension SocketEngine {
    fileprivate var snapshot: [SocketTransport.Connection] {
        connections.values.sorted { $0.number < $1.number }.map { connection in
            let endpoint = connection.route.endpoint
            return SocketTransport.Connection(
                origin: "\(endpoint.isTLS ? "https" : "http")://\(endpoint.authority)",
                remoteAddress: connection.remote?.text,
                httpVersion: connection.room == nil ? "HTTP/1.1" : "HTTP/2",
                tls: endpoint.isTLS ? connection.stream.tls?.agreement : nil, age: .now - connection.opened,
                runningTransfers: connection.running, waitingRequests: pool.waitingCount(for: connection.route))
        }
    }

    /// Opens the first connection, which tells whether it is shared, then the others.
    ///
    /// - Parameter ends: One for each connection; those of connections that are not needed are fulfilled too.
    fileprivate func warmUp(_ route: ConnectionRoute, _ count: Int, _ ends: ArraySlice<Promise<Void>>) {
        guard let first = ends.first else { return }
        let mayShare = versions.mayBeHTTP2(route, configuration.httpVersion)
        guard pool.prepare(route, count: count, mayShare: mayShare) else {
            for end in ends { end.fulfil(.success(())) }
            return
        }
        let others = ends.dropFirst()
        thread.activeCount += 1
        open(route, for: nil) { [weak self] result in
            guard let self else { return }
            thread.activeCount -= 1
            first.fulfil(result)
            if case .failure(let error) = result {
                for end in others { end.fulfil(.failure(error)) }
            } else if mayShare {
                warmUp(route, count, others)
            }
        }
        if !mayShare { warmUp(route, count, others) }
    }
}
