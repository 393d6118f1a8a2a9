import Foundation

extension Session {
    /// Opens a connection that carries bytes in both directions and no HTTP.
    ///
    ///     let connection = try await session.connect(to: "localhost", port: 6379, tls: .none)
    ///
    /// The transport's proxy, unix socket, addresses, local interface and time limit for connecting apply; an HTTP proxy is
    /// asked for a tunnel (CONNECT). The session's adapters, retriers and limits do not: nothing of HTTP is sent.
    ///
    /// - Parameters:
    ///   - host: A name or an IP address, an IPv6 address with or without brackets, and with a zone where it needs one:
    ///     `fe80::1%eth0`.
    ///   - port: 1 to 65535.
    ///   - tls: `.none` for a connection without TLS, `.system` for the system's trust, or other settings, such as what
    ///     ``SocketTransport/Configuration/tls(forHost:)`` returns: the transport's `tls` and `tlsForHosts` do not
    ///     apply. No application protocol is offered (ALPN).
    /// - Throws: ``AsyncNetError``, such as `.cannotConnect`, `.certificateNotTrusted`, `.timedOut`, and
    ///   `.unsupportedByTransport` over a transport that opens no such connections, as URLSession's.
    public nonisolated func connect(
        to host: String, port: Int, tls: TLSConfiguration?
    ) async throws(AsyncNetError) -> StreamConnection {
        var request = try DuplexRequest(to: host, port: port, tls)
        request.addresses = configuration.addresses
        let events = ConnectionEvents(.connection, environment.events)
        events.begin()
        do throws(AsyncNetError) {
            let connection = try await opened(request)
            events.send(.opened(connection.info, handshake: nil))
            return StreamConnection(connection, self, events)
        } catch {
            events.end(error)
            throw error
        }
    }

    /// Opens connections to a URL's server before the first request, with their TLS handshakes, and keeps them for
    /// requests with the session's ``SessionConfiguration/addresses``.
    ///
    ///     try await session.warmUp("https://api.example.com", connections: 2)
    ///
    /// - Parameters:
    ///   - url: A URL as for a request; its path does not matter.
    ///   - connections: How many connections to the server are open at least when this function returns, within the
    ///     transport's limits. Over HTTP/2 only one is opened, which carries several requests at the same time.
    /// - Throws: ``AsyncNetError``, such as `.cannotConnect`, and `.unsupportedByTransport` over another transport than
    ///   ``SocketTransport``.
    public nonisolated func warmUp(_ url: some URLConvertible, connections: Int = 1) async throws(AsyncNetError) {
        let request = try await assembly.blueprint(url, .get, [:]).make()
        guard !(await refuses) else { throw AsyncNetError(.sessionFinished) }
        let transport: any Transport = environment.scopedTransport ?? environment.transport
        guard let sockets = transport as? SocketTransport else {
            throw AsyncNetError(
                .unsupportedByTransport, "\(transport.transportDescription) opens no connection before a request")
        }
        try sockets.check(configuration.addresses)
        try await sockets.warmUp(request.head, connections, configuration.addresses)
    }

    /// Opens a connection, passes it to the closure, and closes it when the closure has returned or thrown an error.
    /// What was written is sent before, unless the task is cancelled.
    ///
    ///     let reply = try await session.withConnection(to: "localhost", port: 6379, tls: .none) { redis in
    ///         try await redis.write(Data("PING\r\n".utf8))
    ///         return try await redis.read()
    ///     }
    ///
    /// The closure runs where the caller does, and may use what belongs to the caller's actor. The other parameters are
    /// documented at ``connect(to:port:tls:)``.
    ///
    /// - Returns: The value of the closure, once what was written is sent, see ``StreamConnection/close()``.
    /// - Throws: The errors of ``connect(to:port:tls:)``, after which the closure is not called, and the errors of the
    ///   closure.
    public nonisolated func withConnection<Value>(
        to host: String, port: Int, tls: TLSConfiguration?, _ body: (StreamConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await connect(to: host, port: port, tls: tls)
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Opens a connection over the transport of the running test, or without one over the session's transport.
    nonisolated func opened(_ request: DuplexRequest) async throws(AsyncNetError) -> any DuplexConnection {
        guard !(await refuses) else { throw AsyncNetError(.sessionFinished) }
        do {
            return try await (environment.scopedTransport ?? environment.transport).connection(to: request)
        } catch {
            throw AsyncNetError(wrapping: error, as: .transportFailed)
        }
    }
}

extension DuplexRequest {
    fileprivate init(to host: String, port: Int, _ tls: TLSConfiguration?) throws(AsyncNetError) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        let authority = name.contains(":") ? "[\(name)]" : name
        let url = try Self.url(authority, port)
        let ascii =
            url.host(percentEncoded: false).map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 } ?? name
        self.init(host: ascii, port: port, security: tls.map { .tls($0) } ?? .none)
    }

    /// Checks host and port like a URL's, and so converts the name to its ASCII form.
    private static func url(_ authority: String, _ port: Int) throws(AsyncNetError) -> URL {
        guard 1...65_535 ~= port else { throw AsyncNetError(.malformedURL, "The port is not between 1 and 65535") }
        guard !authority.isEmpty, !authority.contains(where: { "/?#@".contains($0) }),
            let url = try? "https://\(authority):\(port)/".asURL(), url.port == port
        else { throw AsyncNetError(.malformedURL, "The host is not a name or an IP address") }
        return try url.checkedForHTTP()
    }
}
