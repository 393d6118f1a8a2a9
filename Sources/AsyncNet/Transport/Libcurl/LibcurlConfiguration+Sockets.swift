extension SocketTransport.Configuration {
    /// The settings of a transport over libcurl, for its connections without HTTP.
    init(_ other: LibcurlTransport.Configuration) {
        self.init(
            tls: other.tls, tlsForHosts: other.tlsForHosts, proxy: other.proxy, unixSocket: other.unixSocket,
            connectTimeout: other.connectTimeout, addresses: other.addresses, localInterface: other.localInterface,
            ipVersion: other.ipVersion, eventLoops: other.eventLoops, tcpKeepAlive: other.tcpKeepAlive)
    }
}
