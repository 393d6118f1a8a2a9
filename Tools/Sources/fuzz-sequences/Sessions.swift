import AsyncNet
import AsyncNetLibcurl
import Foundation

/// The sessions of one sequence, one for each way to a server: what goes the same way shares connections and handles.
actor Sessions {
    private let world: World
    private let seed: UInt64
    private let carrier: Carrier
    private var sessions: [Plan.Route: (session: Session, transport: any Transport)] = [:]

    /// Of every request; silence ends in a timeout before.
    static let deadline: Duration = .milliseconds(1500)

    init(_ world: World, seed: UInt64, carrier: Carrier) {
        (self.world, self.seed, self.carrier) = (world, seed, carrier)
    }

    func session(for route: Plan.Route) -> Session {
        if let known = sessions[route] { return known.session }
        let transport: any Transport =
            carrier.make(configuration(for: route))
        let session = Session(
            transport: transport,
            configuration: .init(
                timeout: .milliseconds(150), deadline: Self.deadline, cookieJar: CookieJar(), maximumBodySize: 4 << 20
            ))
        sessions[route] = (session, transport)
        return session
    }

    func end() async {
        for (session, transport) in sessions.values {
            await session.cancelAll()
            await session.finish()
            await transport.shutdown()
        }
        sessions = [:]
    }

    private func configuration(for route: Plan.Route) -> LibcurlTransport.Configuration {
        var random = Randomness(seed: seed, -2)
        var configuration = LibcurlTransport.Configuration()
        if let authority = world.secure?.authority { configuration.tls.trust = .anchors([authority]) }
        configuration.maximumConnectionsPerOrigin = random.pick([2, 6, 256])
        configuration.httpVersion = random.pick([.automatic, .automatic, .http1])
        configuration.expectContinueTimeout = .milliseconds(20)
        let proxy = ProxyConfiguration.http(
            "127.0.0.1", port: world.proxyPort, username: random.chance(0.5) ? "user" : nil, password: "secret")
        switch route {
        case .direct: break
        case .priorKnowledge: configuration.httpVersion = .http2
        case .proxy: configuration.proxy = proxy
        case .tunnel: configuration.proxy = proxy.tunnelling()
        case .socks:
            let scheme = random.pick(["socks5h", "socks5h", "socks4a"])
            configuration.proxy = .url("\(scheme)://user:secret@127.0.0.1:\(world.socksPort)")
        }
        return configuration
    }
}
