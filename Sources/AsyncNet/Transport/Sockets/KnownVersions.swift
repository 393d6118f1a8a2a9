/// Which version of HTTP the connections of a loop speak with each server.
struct KnownVersions {
    private enum Version { case chooses1, requires1 }

    private var known: [ServerEndpoint: Version] = [:]
    /// How many streams each server takes: a new connection learns it only once its first streams are open.
    private var streams: [ServerEndpoint: Int] = [:]
    private static let mostServers = 1000

    func streams(to route: ConnectionRoute) -> Int? { streams[route.endpoint] }

    /// The protocols for a handshake (ALPN, RFC 7301).
    func offered(to route: ConnectionRoute, _ setting: SocketTransport.HTTPVersion) -> [String] {
        switch setting {
        case .http2: ["h2"]
        case .automatic where known[route.endpoint] != .requires1: ["h2", "http/1.1"]
        case .automatic, .http1, .http3, .http3Preferred: ["http/1.1"]
        }
    }

    /// Whether a connection that is opened now may turn out to speak HTTP/2.
    func mayBeHTTP2(_ route: ConnectionRoute, _ setting: SocketTransport.HTTPVersion) -> Bool {
        switch setting {
        case .http2: true
        case .automatic: route.endpoint.isTLS && known[route.endpoint] == nil
        case .http1, .http3, .http3Preferred: false
        }
    }

    /// Whether a new connection speaks HTTP/2: as agreed on in its handshake; without TLS, by prior knowledge (RFC 9113 §3.3).
    mutating func isHTTP2(
        _ stream: SocketStream, _ route: ConnectionRoute, _ setting: SocketTransport.HTTPVersion
    ) throws(AsyncNetError) -> Bool {
        if case .http1 = setting { return false }
        let agreed = route.endpoint.isTLS ? stream.tls?.agreement?.applicationProtocol : nil
        if case .http2 = setting {
            guard !route.endpoint.isTLS || agreed == "h2" else {
                throw AsyncNetError(
                    .badServerResponse,
                    "The server did not choose HTTP/2 in the TLS handshake, and nothing else is allowed")
            }
            return true
        }
        if route.endpoint.isTLS, agreed != "h2", known[route.endpoint] == nil { note(route, .chooses1) }
        if agreed == "h2", known[route.endpoint] == .chooses1 { known[route.endpoint] = nil }
        return agreed == "h2"
    }

    mutating func note(_ limit: Int, of route: ConnectionRoute) {
        if streams.count >= Self.mostServers { streams = [:] }
        streams[route.endpoint] = max(1, limit)
    }

    mutating func requireHTTP1(_ route: ConnectionRoute) { note(route, .requires1) }

    private mutating func note(_ route: ConnectionRoute, _ version: Version) {
        if known.count >= Self.mostServers { known = [:] }
        known[route.endpoint] = version
    }
}
