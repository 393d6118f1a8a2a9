extension SocketTransport {
    /// How a ``SocketTransport`` connects, and its limits; also how the `LibcurlTransport` of AsyncNetLibcurl does.
    ///
    /// Values that no transport can have end each request with `.invalidConfiguration`.
    public struct Configuration: Sendable {
        /// Trust, pins and client identity. The default trusts what the system trusts.
        public var tls: TLSConfiguration
        /// The settings that replace ``tls`` for some hosts, by host. Empty by default.
        ///
        /// A key is a name such as `api.example.com`, an IP address, or a wildcard for one label: `*.example.com` is
        /// for `a.example.com`, not for `example.com` and `a.b.example.com`. A host's own entry is preferred to a
        /// wildcard. Case, a trailing dot and brackets around an address do not count, and names that are not ASCII
        /// count in their ASCII form (RFC 5890). The entry for an IPv6 address counts in every zone. The host is the
        /// URL's, also in a tunnel through a proxy, with a unix socket and after a redirect; for the proxy itself see
        /// ``ProxyConfiguration/tls``. Another key, one with `%` such as `fe80::1%eth0`, or two keys for one host, end
        /// each request with `.invalidConfiguration`. With any key, an `https` request to a host that no key could name
        /// ends with `.malformedURL`. Raw streams have the settings of their call, see ``tls(forHost:)``. With `tls:`
        /// ``TLSConfiguration/refused`` there must be an entry for every host.
        public var tlsForHosts: [String: TLSConfiguration]
        /// Whether metrics have the certificates that servers show, ``TransportMetrics/serverCertificates``. `false` by
        /// default, because it takes time for each new connection.
        public var reportsCertificates: Bool
        /// The proxy for all requests. `.none` by default.
        public var proxy: ProxyConfiguration
        /// The shortest time between two looks at the files of TLS settings. Only tests change it.
        var tlsFileInterval = Duration.seconds(1)
        /// The path of a unix socket that each request is sent to, whatever host its URL names. `nil` by default.
        ///
        /// At most 107 bytes, over libcurl 103. A path that begins with NUL is a name in the abstract namespace of Linux, which
        /// libcurl does not have.
        public var unixSocket: String?
        /// The HTTP versions to use. `.automatic` by default.
        public var httpVersion: HTTPVersion

        /// The limit for name lookup, connecting, the proxy's part and the TLS handshakes together. 10 s by default.
        ///
        /// A request that exceeds the limit ends with `.timedOut`.
        public var connectTimeout: Duration
        /// How long a request with `Expect: 100-continue` waits for the 100 response before its body is sent (RFC 9110
        /// §10.1.1). 1 s by default.
        public var expectContinueTimeout: Duration
        /// How long a connection without a transfer stays open. 60 s by default; less if the server says so with
        /// `Keep-Alive: timeout`.
        public var idleTimeout: Duration

        /// The largest number of connections to one origin. 256 by default. Further requests wait in order.
        public var maximumConnectionsPerOrigin: Int
        /// The largest number of connections to all origins together. 1024 by default.
        public var maximumConnections: Int
        /// The largest head of a response in bytes, with all 1xx heads before it. 256 KiB by default.
        ///
        /// A larger head ends the request with `.badServerResponse`, as exceeding any of the limits below.
        public var maximumHeaderBytes: Int

        /// How many bytes a second each transfer receives at most, on average. `nil`, the default, means no limit.
        public var maximumReceiveRate: Int64?
        /// How many bytes a second each transfer sends at most, on average. `nil`, the default, means no limit.
        public var maximumSendRate: Int64?

        /// Addresses that replace the name lookup, by `host:port`: `["api.example.com:443": ["127.0.0.1"]]`.
        public var addresses: [String: [String]]
        /// Which addresses sockets may be connected to, whatever the request's policy allows. Behind a proxy it judges
        /// the proxy's address, and the request's policy the server's. Every address by default.
        public var addressPolicy: AddressPolicy
        /// The local interface or address of all connections. `nil`, the default, lets the system choose.
        public var localInterface: String?
        /// The IP versions to use. `.any` by default: both are tried, and the first connection wins (Happy Eyeballs,
        /// RFC 8305).
        public var ipVersion: IPVersion

        /// The largest number of threads that carry transfers. `nil` means half as many as there are processors, at least
        /// 1 and at most 4: the requests' callers need processors too.
        public var eventLoops: Int?

        /// After how much silence, and at which interval from then on, the system asks the peer of a TCP connection
        /// whether it is still there (RFC 9293 §3.8.4). 60 s by default; `nil` never asks.
        ///
        /// After nine probes without an answer the connection ends with `.connectionLost`. In whole seconds, rounded
        /// up; from 1 s to 32,767 s.
        public var tcpKeepAlive: Duration?

        /// How long a connection is used, less a random tenth at most, so that connections opened together do not end together.
        /// `nil`, the default, means no limit.
        ///
        /// A name's new addresses are used once the connections to the old ones have ended. A connection beyond its
        /// lifetime takes no new request; the transfers on it run to their ends. Over libcurl this setting and the next
        /// two end each request with `.unsupportedByTransport`.
        public var maximumConnectionLifetime: Duration?
        /// How many requests are sent on a connection. `nil`, the default, means no limit.
        public var maximumRequestsPerConnection: Int?
        /// How long sent bytes may stay unacknowledged before the system ends the connection (RFC 5482), which then ends its
        /// transfers with `.connectionLost`. `nil`, the default, leaves that to the system. In milliseconds, rounded up; the time
        /// of a peer that receives nothing more counts too.
        public var tcpUserTimeout: Duration?

        /// The largest number of header lines of one head. 1000 by default. This and what follows has no effect over libcurl.
        public var maximumHeaderLines: Int
        /// The largest number of 1xx responses before the final one. 100 by default.
        public var maximumInformationalResponses: Int
        /// The largest size in bytes of all chunk extensions of a body together (RFC 9112 §7.1.1). 64 KiB by default.
        public var maximumChunkExtensionBytes: Int
        /// The largest size in bytes of a response's trailers (RFC 9112 §7.1.2). 64 KiB by default.
        public var maximumTrailerBytes: Int

        /// After how much silence a server is asked by a PING frame whether it is still there, on connections over
        /// HTTP/2 (RFC 9113 §6.7), also on connections without a request. `nil` by default: a server is then asked
        /// after 15 s of silence while a request waits.
        ///
        /// A server that does not answer in time ends the connection with `.connectionLost`.
        public var http2KeepAlive: HTTP2KeepAlive?

        /// Who finds the addresses of names. `.system` by default; another one ends each request over libcurl with
        /// `.unsupportedByTransport`.
        public var resolver: any Resolver

        /// Makes a configuration with the given values, and the defaults that each property documents.
        public init(
            tls: TLSConfiguration = TLSConfiguration(), tlsForHosts: [String: TLSConfiguration] = [:],
            reportsCertificates: Bool = false, proxy: ProxyConfiguration = .none, unixSocket: String? = nil,
            httpVersion: HTTPVersion = .automatic, connectTimeout: Duration = .seconds(10),
            expectContinueTimeout: Duration = .seconds(1), idleTimeout: Duration = .seconds(60),
            maximumConnectionsPerOrigin: Int = 256, maximumConnections: Int = 1024,
            maximumHeaderBytes: Int = 256 * 1024, maximumReceiveRate: Int64? = nil, maximumSendRate: Int64? = nil,
            addresses: [String: [String]] = [:], addressPolicy: AddressPolicy = .any,
            localInterface: String? = nil, ipVersion: IPVersion = .any,
            eventLoops: Int? = nil, tcpKeepAlive: Duration? = .seconds(60),
            maximumConnectionLifetime: Duration? = nil, maximumRequestsPerConnection: Int? = nil,
            tcpUserTimeout: Duration? = nil, maximumHeaderLines: Int = 1000,
            maximumInformationalResponses: Int = 100, maximumChunkExtensionBytes: Int = 64 * 1024,
            maximumTrailerBytes: Int = 64 * 1024, http2KeepAlive: HTTP2KeepAlive? = nil,
            resolver: any Resolver = .system
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
            self.addressPolicy = addressPolicy
            self.localInterface = localInterface
            self.ipVersion = ipVersion
            self.eventLoops = eventLoops
            self.tcpKeepAlive = tcpKeepAlive
            self.maximumConnectionLifetime = maximumConnectionLifetime
            self.maximumRequestsPerConnection = maximumRequestsPerConnection
            self.tcpUserTimeout = tcpUserTimeout
            self.maximumHeaderLines = maximumHeaderLines
            self.maximumInformationalResponses = maximumInformationalResponses
            self.maximumChunkExtensionBytes = maximumChunkExtensionBytes
            self.maximumTrailerBytes = maximumTrailerBytes
            self.http2KeepAlive = http2KeepAlive
            self.resolver = resolver
        }
    }

    /// When PING frames ask whether a server is still there.
    public struct HTTP2KeepAlive: Sendable {
        /// How long the server may be silent before it is asked; 15 s by default, at least 1 s.
        public var interval: Duration
        /// How long the server has to answer; 15 s by default.
        public var timeout: Duration

        /// Creates settings: a PING after `interval` of silence, and `timeout` for its answer.
        public init(interval: Duration = .seconds(15), timeout: Duration = .seconds(15)) {
            (self.interval, self.timeout) = (interval, timeout)
        }
    }

    /// The HTTP versions that a transport uses. HTTP/3 (RFC 9114) is carried by the `LibcurlTransport` of AsyncNetLibcurl.
    public enum HTTPVersion: Sendable {
        /// HTTP/2 where a server offers it over TLS (ALPN, RFC 7301), otherwise HTTP/1.1. Over libcurl also HTTP/3, if
        /// the loaded libcurl has it and a response over TLS has offered it (`Alt-Svc`, RFC 7838).
        case automatic
        /// Only HTTP/1.1.
        case http1
        /// HTTP/2 only, without TLS by prior knowledge (RFC 9113 §3.3). With a server that does not speak HTTP/2, each
        /// request ends with `.badServerResponse` or `.tlsHandshakeFailed`.
        case http2
        /// HTTP/3 only, without an offer by the server and without a fallback.
        ///
        /// Each request ends with `.unsupportedByTransport` over sockets, with a libcurl that has no HTTP/3, as Debian
        /// 12's, with a proxy or a unix socket, and with pins unless libcurl uses OpenSSL. So does a request to an
        /// `http` URL. Early data (0-RTT) is never sent.
        case http3
        /// HTTP/3 without waiting for an offer; if it fails, as ``automatic``. A connection for HTTP/2 is begun 200 ms
        /// later, and the first connection wins (`curl --http3`).
        ///
        /// Each request ends with `.unsupportedByTransport` over sockets, and with a libcurl that has no HTTP/3.
        /// Requests to `http` URLs, over proxies and over unix sockets are sent as with ``automatic``; so are requests
        /// with pins if libcurl does not use OpenSSL.
        case http3Preferred
    }

    /// The IP versions that a transport connects with.
    public enum IPVersion: Sendable {
        /// IPv4 and IPv6.
        case any
        /// Only IPv4.
        case v4
        /// Only IPv6.
        case v6
    }
}
