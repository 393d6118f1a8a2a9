public import AsyncNet

extension LibcurlTransport {
    /// How a transport connects, and its limits. Some settings have no effect over libcurl, see
    /// `SocketTransport.Configuration`.
    ///
    /// An interface in `localInterface` may also be given by a host name.
    public typealias Configuration = SocketTransport.Configuration

    /// The HTTP versions that a transport uses.
    public typealias HTTPVersion = SocketTransport.HTTPVersion
}

extension LibcurlTransport.Configuration {
    /// - Throws: `AsyncNetError` with code `.invalidConfiguration`, or `.unsupportedByTransport` for a setting that
    ///   this libcurl does not have.
    func validate(_ version: Libcurl.Version) throws(AsyncNetError) {
        try validate()
        try proxy.checkWithoutSockets()
        for tls in try TLSHosts(tls, tlsForHosts).settings {
            try tls.checkWithoutSockets()
            try Self.refuseWhatIsTooNew(in: tls, for: version)
        }
        if let path = unixSocket, path.utf8.count > 103 || path.utf8.contains(0) {
            throw AsyncNetError(
                .invalidConfiguration,
                "Over libcurl a unix socket's path must have at most 103 bytes, none of them NUL; use .sockets()")
        }
        guard addressPolicy == .any else {
            throw AsyncNetError(.unsupportedByTransport, "libcurl cannot apply an AddressPolicy; use .sockets()")
        }
        guard maximumConnectionLifetime == nil, maximumRequestsPerConnection == nil, tcpUserTimeout == nil else {
            throw AsyncNetError(
                .unsupportedByTransport,
                "maximumConnectionLifetime, maximumRequestsPerConnection and tcpUserTimeout need .sockets()")
        }
        guard (resolver as? StandardResolver)?.isSystem == true else {
            throw AsyncNetError(
                .unsupportedByTransport, "libcurl asks the system's resolver only: use .sockets(), or addresses")
        }
        try refuseWhatIsTooNew(for: version)
    }

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
