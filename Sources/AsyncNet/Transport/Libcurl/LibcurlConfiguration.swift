extension LibcurlTransport {
    /// How a ``LibcurlTransport`` connects and how much of everything it may use.
    public struct Configuration: Sendable {
        public var tls: TLSConfiguration
        public var proxy: ProxyConfiguration
        /// A socket in the file system that every request goes to, whatever host its URL names.
        public var unixSocket: String?
        public var httpVersion: HTTPVersion

        /// For name lookup, connecting and the TLS handshake together, after which the request ends with `.timedOut`;
        /// 10 s.
        public var connectTimeout: Duration
        /// How long a server that was sent `Expect: 100-continue` may take to ask for the body; then it is sent anyway.
        /// 1 s.
        public var expectContinueTimeout: Duration
        /// How long a connection is kept that nobody uses; 60 s. At most half of the process's descriptors are for such
        /// connections.
        public var idleTimeout: Duration

        /// Connections to one host; 256. More requests wait their turn in order, or share connections over HTTP/2.
        public var maximumConnectionsPerHost: Int
        /// Connections in all; 1024.
        public var maximumConnections: Int
        /// Bytes of a response's status line and headers; 256 KiB. A server that sends more is refused.
        public var maximumHeaderBytes: Int

        /// Addresses to use instead of looking a name up, by `host:port`: `["api.example.com:443": ["127.0.0.1"]]`.
        public var addresses: [String: [String]]
        /// The interface, host name or address that connections come from.
        public var localInterface: String?
        /// Both by default, the first that connects wins (happy eyeballs, RFC 8305).
        public var ipVersion: IPVersion

        /// Threads that move bytes. The number of processors by default, at most 4.
        public var eventLoops: Int?

        public init(
            tls: TLSConfiguration = TLSConfiguration(), proxy: ProxyConfiguration = .none, unixSocket: String? = nil,
            httpVersion: HTTPVersion = .automatic, connectTimeout: Duration = .seconds(10),
            expectContinueTimeout: Duration = .seconds(1), idleTimeout: Duration = .seconds(60),
            maximumConnectionsPerHost: Int = 256, maximumConnections: Int = 1024, maximumHeaderBytes: Int = 256 * 1024,
            addresses: [String: [String]] = [:], localInterface: String? = nil, ipVersion: IPVersion = .any,
            eventLoops: Int? = nil
        ) {
            self.tls = tls
            self.proxy = proxy
            self.unixSocket = unixSocket
            self.httpVersion = httpVersion
            self.connectTimeout = connectTimeout
            self.expectContinueTimeout = expectContinueTimeout
            self.idleTimeout = idleTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.maximumConnections = maximumConnections
            self.maximumHeaderBytes = maximumHeaderBytes
            self.addresses = addresses
            self.localInterface = localInterface
            self.ipVersion = ipVersion
            self.eventLoops = eventLoops
        }
    }

    /// Which HTTP is spoken.
    public enum HTTPVersion: Sendable {
        /// HTTP/2 where a server offers it over TLS (ALPN), otherwise HTTP/1.1.
        case automatic
        case http1
        /// HTTP/2 also where no TLS could agree on it, by prior knowledge (RFC 9113 §3.3).
        case http2
    }

    public enum IPVersion: Sendable {
        case any, v4, v6
    }
}

extension LibcurlTransport.Configuration {
    /// What no transport can be made of is said by its first request.
    func validate(_ version: Libcurl.Version) throws(AsyncNetError) {
        try tls.validate()
        try proxy.validate()
        for (name, value) in [
            ("maximumConnectionsPerHost", maximumConnectionsPerHost), ("maximumConnections", maximumConnections),
            ("maximumHeaderBytes", maximumHeaderBytes), ("eventLoops", eventLoops ?? 1),
        ] where value < 1 {
            throw AsyncNetError(.invalidConfiguration, "\(name) must be at least 1")
        }
        if let path = unixSocket, path.isEmpty || path.utf8.count > 103 {
            throw AsyncNetError(
                .invalidConfiguration, "A unix socket's path has 1 to 103 bytes, this one has \(path.utf8.count)")
        }
        guard connectTimeout > .zero else {
            throw AsyncNetError(.invalidConfiguration, "connectTimeout must be more than nothing")
        }
        try refuseWhatIsTooNew(for: version)
    }

    private func refuseWhatIsTooNew(for version: Libcurl.Version) throws(AsyncNetError) {
        if case .anchors = tls.trust.kind, version.number < 0x074D00 {
            throw AsyncNetError(
                .unsupportedByTransport, "\(version) takes trust anchors from a file only: use .anchors(file:)")
        }
        if case .memory = tls.clientIdentity?.kind, version.number < 0x074700 {
            throw AsyncNetError(.unsupportedByTransport, "\(version) takes a client identity from files only")
        }
        if httpVersion == .http2, !version.hasHTTP2 {
            throw AsyncNetError(.unsupportedByTransport, "\(version) was built without HTTP/2")
        }
    }
}
