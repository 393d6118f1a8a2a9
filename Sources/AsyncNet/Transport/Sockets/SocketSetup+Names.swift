import Foundation

extension SocketSetup {
    func knownAddresses(of host: ServerEndpoint) throws(AsyncNetError) -> [SocketAddress]? {
        if let path = configuration.unixSocket {
            return SocketAddress(unixSocket: path).map { [$0] }
        }
        if let texts = addresses["\(host.host):\(host.port)"] {
            return texts.compactMap { SocketAddress(numeric: $0.withoutBrackets, port: host.port) }
        }
        if let address = SocketAddress(numeric: host.host, port: host.port) { return [address] }
        guard !host.host.utf8.contains(UInt8(ascii: ":")) else {
            guard host.host.utf8.contains(UInt8(ascii: "%")) else {
                throw AsyncNetError(.malformedURL, "The host in brackets is no IPv6 address")
            }
            throw AsyncNetError(.hostNotFound, "The address has a zone that is no interface of this machine")
        }
        guard host.isLocal else { return nil }
        return ["::1", "127.0.0.1"].compactMap { SocketAddress(numeric: $0, port: host.port) }
    }
}

extension SocketTransport.IPVersion {
    /// The address family that a lookup asks for.
    var family: Int32 {
        switch self {
        case .any: Int32(AF_UNSPEC)
        case .v4: Int32(AF_INET)
        case .v6: Int32(AF_INET6)
        }
    }
}
