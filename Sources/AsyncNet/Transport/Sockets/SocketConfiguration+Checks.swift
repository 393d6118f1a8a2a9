import Foundation

extension SocketTransport.Configuration {
    /// The TLS settings for a host: its entry in ``tlsForHosts``, or ``tls``. To be passed to
    /// ``Session/connect(to:port:tls:)``, which uses neither by itself.
    ///
    /// - Throws: ``AsyncNetError`` with code `.malformedURL` for a host that no key could name, if ``tlsForHosts`` has
    ///   keys, `.certificateNotTrusted` for a host that is ``TLSConfiguration/refused``, and `.invalidConfiguration`.
    public func tls(forHost host: String) throws(AsyncNetError) -> TLSConfiguration {
        try TLSHosts(tls, tlsForHosts).settings(forHost: host)
    }

    package func validate() throws(AsyncNetError) {
        for tls in try TLSHosts(tls, tlsForHosts).settings { try tls.validate() }
        try proxy.validate()
        try (resolver as? StandardResolver)?.validate()
        try checkNumbers()
        try addressPolicy.check()
        for (host, texts) in addresses {
            for text in texts {
                // The interface of a zone may come later.
                let address = SocketAddress(numeric: text.withoutBrackets.withoutZone, port: 0)
                try require(address != nil, "addresses has \(text) for \(host), which is no IP address")
            }
        }
        if let path = unixSocket {
            let text = "A unix socket's path must have 1 to 107 bytes, this path has \(path.utf8.count)"
            try require(SocketAddress(unixSocket: path) != nil, text)
        }
    }

    private func checkNumbers() throws(AsyncNetError) {
        let numbers: [(String, Int64?)] = [
            ("maximumConnectionsPerOrigin", Int64(maximumConnectionsPerOrigin)),
            ("maximumConnections", Int64(maximumConnections)), ("maximumHeaderBytes", Int64(maximumHeaderBytes)),
            ("maximumReceiveRate", maximumReceiveRate), ("maximumSendRate", maximumSendRate),
            ("eventLoops", eventLoops.map(Int64.init)), ("maximumHeaderLines", Int64(maximumHeaderLines)),
            ("maximumRequestsPerConnection", maximumRequestsPerConnection.map(Int64.init)),
        ]
        for case (let name, let value?) in numbers { try require(value >= 1, "\(name) must be at least 1") }
        for (name, value) in [
            ("maximumInformationalResponses", maximumInformationalResponses),
            ("maximumChunkExtensionBytes", maximumChunkExtensionBytes), ("maximumTrailerBytes", maximumTrailerBytes),
        ] {
            try require(value >= 0, "\(name) must not be negative")
        }
        for case (let name, let value?) in [
            ("maximumConnectionLifetime", maximumConnectionLifetime), ("tcpUserTimeout", tcpUserTimeout),
        ] {
            let isValid = value > .zero && value <= .seconds(2_000_000)
            try require(isValid, "\(name) must be greater than zero and at most 2,000,000 s")
        }
        try require(connectTimeout > .zero, "connectTimeout must be greater than zero")
        if let ping = http2KeepAlive {
            let isValid = ping.interval >= .seconds(1) && ping.timeout > .zero
            try require(isValid, "http2KeepAlive must have an interval of at least 1 s, and a timeout above zero")
        }
        if let tcpKeepAlive {
            let isValid = tcpKeepAlive > .zero && tcpKeepAlive <= .seconds(32_767)
            try require(isValid, "tcpKeepAlive must be greater than zero and at most 32,767 s")
        }
    }

    private func require(_ isValid: Bool, _ text: @autoclosure () -> String) throws(AsyncNetError) {
        if !isValid { throw AsyncNetError(.invalidConfiguration, text()) }
    }

    var http2Limits: HTTP2Limits {
        var limits = HTTP2Limits()
        limits.head = self.limits
        // The windows are small enough for the rate, since a whole window may arrive at once.
        if let rate = maximumReceiveRate {
            limits.streamWindow = Int(min(max(rate / 10, 1024), Int64(limits.streamWindow)))
            limits.largestStreamWindow = limits.streamWindow
            limits.connectionWindow = max(65_535, limits.streamWindow * 128)
        }
        return limits
    }

    package var route: RequestRoute {
        RequestRoute(unixSocket: unixSocket, proxy: proxy, addresses: addresses, resolver: resolver.route)
    }
    var userTimeoutMilliseconds: UInt32? { tcpUserTimeout.map { UInt32(($0 / .milliseconds(1)).rounded(.up)) } }
    package var keepAliveSeconds: Int32? { tcpKeepAlive.map { Int32(($0 / .seconds(1)).rounded(.up)) } }

    var limits: HTTP1Limits {
        // Bounded so that sums of limits do not overflow.
        func bounded(_ limit: Int) -> Int { min(limit, 1 << 40) }
        return HTTP1Limits(
            headBytes: bounded(maximumHeaderBytes), headerLines: bounded(maximumHeaderLines),
            informationalResponses: bounded(maximumInformationalResponses),
            chunkExtensionBytes: bounded(maximumChunkExtensionBytes), trailerBytes: bounded(maximumTrailerBytes))
    }

    /// Which servers are neither verified by their certificates nor by pins, for descriptions; `nil` if all are.
    package var unverifiedHosts: String? {
        TLSConfiguration.unverifiedHosts(tls, tlsForHosts)
            ?? (proxy.tls.acceptsAnyServer ? "NOT VERIFYING THE PROXY" : nil)
    }
}
