public import AsyncNet

extension LibcurlTransport {
    /// How a ``LibcurlTransport`` connects, and its limits.
    ///
    /// Values that no transport can have end each request with `.invalidConfiguration`.
    public struct Configuration: Sendable {
        /// Trust, pins and client identity. The default trusts what the system trusts.
        public var tls: TLSConfiguration
        /// The settings that replace ``tls`` for some hosts, by host. Empty by default.
        ///
        /// The keys are those of `SocketTransport.Configuration.tlsForHosts`.
        public var tlsForHosts: [String: TLSConfiguration]
        /// Whether metrics have the certificates that servers show, `TransportMetrics.serverCertificates`. `false` by
        /// default, because reading them takes about 0.1 ms for each new connection.
        public var reportsCertificates: Bool
        /// The proxy for all requests. `.none` by default.
        public var proxy: ProxyConfiguration
        /// The path of a unix socket that each request is sent to, whatever host its URL names. `nil` by default.
        public var unixSocket: String?
        /// The HTTP versions to use. `.automatic` by default.
        public var httpVersion: HTTPVersion

        /// The limit for name lookup, connecting and the TLS handshake together. 10 s by default.
        ///
        /// A request that exceeds the limit ends with `.timedOut`.
        public var connectTimeout: Duration
        /// How long a request with `Expect: 100-continue` waits for the 100 response before its body is sent (RFC 9110
        /// §10.1.1). 1 s by default.
        public var expectContinueTimeout: Duration
        /// How long a connection without a transfer stays open. 60 s by default.
        ///
        /// At most half of the process's file descriptors are used for such connections.
        public var idleTimeout: Duration

        /// The largest number of connections to one origin. 256 by default.
        ///
        /// Further requests wait in order, or share connections over HTTP/2.
        public var maximumConnectionsPerOrigin: Int
        /// The largest number of connections to all origins together. 1024 by default.
        public var maximumConnections: Int
        /// The largest status line and headers of a response together, in bytes. 256 KiB by default.
        ///
        /// A larger head ends the request with `.badServerResponse`.
        public var maximumHeaderBytes: Int

        /// How many bytes a second each transfer receives at most, on average. `nil` for no limit by default.
        public var maximumReceiveRate: Int64?
        /// How many bytes a second each transfer sends at most, on average. `nil` for no limit by default.
        public var maximumSendRate: Int64?

        /// Addresses that replace the name lookup, by `host:port`: `["api.example.com:443": ["127.0.0.1"]]`.
        public var addresses: [String: [String]]
        /// The local interface, host name or address of all connections. `nil` lets the system choose.
        public var localInterface: String?
        /// The IP versions to use. `.any` by default: both are tried, and the first connection wins (Happy Eyeballs,
        /// RFC 8305).
        public var ipVersion: IPVersion

        /// The largest number of threads that carry transfers. `nil` means half as many as there are processors, at least
        /// 1 and at most 4: the requests' callers need processors too.
        public var eventLoops: Int?

        /// After how much silence the system asks the peer of a TCP connection whether it is still there, and how often
        /// from then on (RFC 9293 §3.8.4). 60 s by default; `nil` never asks.
        ///
        /// A load balancer or a router would otherwise forget a connection that is silent for some minutes, and nobody would
        /// learn of it. A peer that
        /// does not answer as often as the system asks, nine times on Linux, ends the connection with `.connectionLost`. In
        /// whole seconds, rounded up; from 1 s to 32,767 s.
        public var tcpKeepAlive: Duration?

        /// How long the second connection to a server that is not trusted may take at least, see
        /// `LibcurlHandle.TrustFailure`. Tests set another time.
        var leastTimeToInspect = Duration.seconds(1)

        /// Makes a configuration with the given values, and the defaults that each property documents.
        public init(
            tls: TLSConfiguration = TLSConfiguration(), tlsForHosts: [String: TLSConfiguration] = [:],
            reportsCertificates: Bool = false, proxy: ProxyConfiguration = .none, unixSocket: String? = nil,
            httpVersion: HTTPVersion = .automatic, connectTimeout: Duration = .seconds(10),
            expectContinueTimeout: Duration = .seconds(1), idleTimeout: Duration = .seconds(60),
            maximumConnectionsPerOrigin: Int = 256, maximumConnections: Int = 1024,
            maximumHeaderBytes: Int = 256 * 1024,
            maximumReceiveRate: Int64? = nil, maximumSendRate: Int64? = nil,
            addresses: [String: [String]] = [:], localInterface: String? = nil, ipVersion: IPVersion = .any,
            eventLoops: Int? = nil, tcpKeepAlive: Duration? = .seconds(60)
        ) {
            self.tls = tls
            self.tlsForHosts = tlsForHosts
            self.reportsCertificates = reportsCertificates
            self.proxy = proxy
            self.unixSocket = unixSocket
            self.httpVersion = httpVersion
            self.connectTimeout = connectTimeout
            self.expectContinueTimeout = expectContinueTimeout
            self.idleTimeout = idleTimeout
            self.maximumConnectionsPerOrigin = maximumConnectionsPerOrigin
            self.maximumConnections = maximumConnections
            self.maximumHeaderBytes = maximumHeaderBytes
            self.maximumReceiveRate = maximumReceiveRate
            self.maximumSendRate = maximumSendRate
            self.addresses = addresses
            self.localInterface = localInterface
            self.ipVersion = ipVersion
            self.eventLoops = eventLoops
            self.tcpKeepAlive = tcpKeepAlive
        }
    }

    /// The HTTP versions that a transport uses.
    public enum HTTPVersion: Sendable {
        /// HTTP/2 where a server offers it over TLS (ALPN), otherwise HTTP/1.1; HTTP/3 where this libcurl has it and a
        /// response over TLS has offered it (`Alt-Svc`, RFC 7838), which the transport remembers.
        ///
        /// One request tries an offer, the others use HTTP/2 until a response has arrived over HTTP/3. If HTTP/3 cannot be
        /// connected to within 2 s, the request is sent over HTTP/2, and the offer is put aside for five minutes, longer
        /// after each further failure; so it is if a request ends after more than a second of silence. Offers for
        /// other hosts, and offers to transports with a proxy or a unix socket, are ignored.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2, without TLS by prior knowledge (RFC 9113 §3.3).
        case http2
        /// HTTP/3 only (RFC 9114), without an offer by the server and without a fallback.
        ///
        /// Each request ends with `.unsupportedByTransport` if this libcurl has no HTTP/3, as Debian 12's, or if a proxy or
        /// a unix socket is configured; so does a request to an `http` URL. Early data (0-RTT) is never sent.
        case http3
        /// HTTP/3 without waiting for an offer, and as ``automatic`` where it fails: HTTP/2 is connected to 200 ms later,
        /// and the first connection wins (`curl --http3`).
        ///
        /// Each request ends with `.unsupportedByTransport` if this libcurl has no HTTP/3. `http` URLs, proxies and unix
        /// sockets are used as with ``automatic``.
        case http3Preferred
    }

    /// The IP versions that a transport connects with.
    public typealias IPVersion = SocketTransport.IPVersion
}

extension LibcurlTransport.Configuration {
    /// - Throws: `AsyncNetError` with code `.invalidConfiguration`, or `.unsupportedByTransport` for a setting that
    ///   this libcurl does not have.
    func validate(_ version: Libcurl.Version) throws(AsyncNetError) {
        for tls in try TLSHosts(tls, tlsForHosts).settings {
            try tls.validate()
            try tls.checkWithoutSockets()
            try Self.refuseWhatIsTooNew(in: tls, for: version)
        }
        try proxy.validate()
        for (name, value) in [
            ("maximumConnectionsPerOrigin", maximumConnectionsPerOrigin), ("maximumConnections", maximumConnections),
            ("maximumHeaderBytes", maximumHeaderBytes), ("eventLoops", eventLoops ?? 1),
        ] where value < 1 {
            throw AsyncNetError(.invalidConfiguration, "\(name) must be at least 1")
        }
        for (name, rate) in [("maximumReceiveRate", maximumReceiveRate), ("maximumSendRate", maximumSendRate)] {
            guard let rate, rate < 1 else { continue }
            throw AsyncNetError(.invalidConfiguration, "\(name) must be at least 1")
        }
        if let path = unixSocket, path.isEmpty || path.utf8.count > 103 {
            throw AsyncNetError(
                .invalidConfiguration, "A unix socket's path must have 1 to 103 bytes, this path has \(path.utf8.count)"
            )
        }
        guard connectTimeout > .zero else {
            throw AsyncNetError(.invalidConfiguration, "connectTimeout must be greater than zero")
        }
        if let tcpKeepAlive, tcpKeepAlive <= .zero || tcpKeepAlive > .seconds(32_767) {
            throw AsyncNetError(.invalidConfiguration, "tcpKeepAlive must be greater than zero and at most 32,767 s")
        }
        try refuseWhatIsTooNew(for: version)
    }

    var route: RequestRoute { RequestRoute(unixSocket: unixSocket, proxy: proxy, addresses: addresses) }
    var keepAliveSeconds: Int? { tcpKeepAlive.map { Int(($0 / .seconds(1)).rounded(.up)) } }

    private static func refuseWhatIsTooNew(
        in tls: TLSConfiguration, for version: Libcurl.Version
    ) throws(AsyncNetError) {
        if case .anchors = tls.trust.kind, version.number < 0x074D00 {
            throw AsyncNetError(
                .unsupportedByTransport, "\(version) reads trust anchors from a file only: use .anchors(file:)")
        }
        if case .memory = tls.clientIdentity?.kind, version.number < 0x074700 {
            throw AsyncNetError(.unsupportedByTransport, "\(version) reads a client identity from files only")
        }
    }

    /// Which servers' certificates are not verified, for descriptions; `nil` if all are.
    var unverifiedHosts: String? { TLSConfiguration.unverifiedHosts(tls, tlsForHosts) }

    private func refuseWhatIsTooNew(for version: Libcurl.Version) throws(AsyncNetError) {
        if httpVersion == .http2, !version.hasHTTP2 {
            throw AsyncNetError(.unsupportedByTransport, "\(version) was built without HTTP/2")
        }
        guard httpVersion == .http3 || httpVersion == .http3Preferred else { return }
        guard version.hasHTTP3 else {
            throw AsyncNetError(
                .unsupportedByTransport, "\(version) was built without HTTP/3; ASYNCNET_LIBCURL can name another one")
        }
        if httpVersion == .http3, unixSocket != nil || proxy.isConfigured {
            throw AsyncNetError(
                .unsupportedByTransport, "HTTP/3 cannot be sent through a proxy or a unix socket; use .http3Preferred")
        }
    }
}
