import Foundation

struct OpeningTimes {
    var lookup: ContinuousClock.Instant?
    var connect: ContinuousClock.Instant?
    var handshake: ContinuousClock.Instant?
}

/// Opens one connection: looks the name up, connects to its addresses (RFC 8305), and makes the TLS handshake; all
/// within the connect timeout. Used only under its loop's lock.
///
/// Behind a proxy the name is the proxy's: names → connect → (TLS to the proxy) → (negotiation) → (TLS to the server).
final class Dial {
    typealias Outcome = Result<(SocketStream, OpeningTimes), AsyncNetError>

    let endpoint: ServerEndpoint
    unowned let engine: SocketEngine
    private let wantedRoute: ConnectionRoute?
    private let judge: AddressJudge
    /// The settings of a raw stream; `nil` for the transport's settings for the host.
    let tls: TLSConfiguration?
    /// The protocols that the TLS handshake offers (ALPN, RFC 7301).
    let protocols: [String]
    let onTunnelHead: (([UInt8]) -> Void)?
    private var end: ((Outcome) -> Void)?
    var times = OpeningTimes()
    private var lookup: NameLookup.Ticket?
    private(set) var race: ConnectRace?
    private(set) var proxy: ProxyServer?
    private(set) var isForwarded = false
    /// Whether the server's addresses are being looked up: a SOCKS4 or SOCKS5 proxy is sent an address, not a name.
    private var isServerAwaited = false
    private(set) var serverAddresses: [SocketAddress]?
    /// A negotiation with the proxy that goes on over another connection to the proxy; `nil` for a new one.
    var negotiation: (any ProxyNegotiation)?
    var dialogue: ProxyDialogue?
    var handshake: Handshake?
    private var deadline: LoopTimers.ID?

    /// - Parameters:
    ///   - route: The way to the endpoint; by default the way of a connection for any bytes, which a proxy must tunnel.
    ///   - end: Called once, not from within `init`.
    init(
        _ endpoint: ServerEndpoint, by route: ConnectionRoute? = nil, judge: AddressJudge,
        tls: TLSConfiguration? = nil, offering protocols: [String], _ engine: SocketEngine,
        onTunnelHead: (([UInt8]) -> Void)? = nil, end: @escaping (Outcome) -> Void
    ) {
        self.endpoint = endpoint
        (self.tls, self.protocols) = (tls, protocols)
        self.engine = engine
        self.end = end
        (wantedRoute, self.judge, self.onTunnelHead) = (route, judge, onTunnelHead)
    }

    func start() {
        let limit = engine.configuration.connectTimeout
        deadline = engine.thread.schedule(after: limit) { [weak self] in
            self?.finish(.failure(AsyncNetError(.timedOut, "The connection was not made within \(limit)")))
        }
        attempt { () throws(AsyncNetError) in
            let route =
                if let wantedRoute { wantedRoute } else {
                    try engine.setup.proxies.route(to: endpoint, isTunnelled: true)
                }
            (proxy, isForwarded) = (route.proxy, route.isForwarded)
            isServerAwaited = proxy?.kind.takesAddress == true
            if !isServerAwaited, proxy != nil || engine.configuration.unixSocket != nil { try judge.checkUnresolved() }
            try find(isServerAwaited ? endpoint : peer)
        }
    }

    func attempt(_ step: () throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) { try step() } catch { finish(.failure(error)) }
    }

    private var peer: ServerEndpoint { proxy?.endpoint ?? endpoint }

    private func find(_ host: ServerEndpoint) throws(AsyncNetError) {
        try naming { () throws(AsyncNetError) in
            if let known = try engine.setup.knownAddresses(of: host) {
                try receive(known, of: host)
            } else {
                lookUp(host)
            }
        }
    }

    /// Runs a step. Its errors name the proxy if the socket connects to one, unless the step is the lookup of the
    /// server.
    private func naming(_ step: () throws(AsyncNetError) -> Void) throws(AsyncNetError) {
        do throws(AsyncNetError) { try step() } catch { throw isServerAwaited ? error : aboutPeer(error) }
    }

    private func lookUp(_ host: ServerEndpoint) {
        let (loop, id) = (engine.thread.loop, DialID(self))
        lookup = engine.setup.names.addresses(of: engine.setup.lookupKey(of: host)) { answer in
            loop.post { _ in id.dial?.receive(answer, of: host) }
        }
    }

    /// Whether this dial has this route and still looks names up: there is no connection yet that another transfer
    /// could use.
    func isLookingUp(for route: ConnectionRoute) -> Bool { lookup != nil && wantedRoute == route }

    private func receive(_ answer: NameLookup.Answer, of host: ServerEndpoint) {
        lookup = nil
        attempt { () throws(AsyncNetError) in
            try naming { () throws(AsyncNetError) in
                try receive(try answer.get().map { SocketAddress($0.raw, port: host.port) }, of: host)
            }
        }
    }

    private func receive(_ all: [SocketAddress], of host: ServerEndpoint) throws(AsyncNetError) {
        guard end != nil else { return }
        let usable = all.filter { address in
            switch engine.configuration.ipVersion {
            case .any: true
            case .v4: !address.isIPv6
            case .v6: address.isIPv6 || address.family == AF_UNIX
            }
        }
        guard isServerAwaited else { return connect(to: try allowed(usable)) }
        isServerAwaited = false
        serverAddresses = try judge.allowed(usable)
        try find(peer)
    }

    /// The transport's policy judges the address that the socket connects to, the request's policy the server's
    /// address.
    private func allowed(_ addresses: [SocketAddress]) throws(AsyncNetError) -> [SocketAddress] {
        let own = AddressJudge(peer, engine.configuration.addressPolicy, isHTTP: judge.isHTTP)
        let addresses = try own.allowed(addresses)
        return proxy == nil ? try judge.allowed(addresses) : addresses
    }

    func aboutPeer(_ error: AsyncNetError) -> AsyncNetError {
        guard proxy != nil else { return error }
        let (code, text): (AsyncNetError.Code, String) =
            switch error.code {
            case .hostNotFound: (.proxyNotFound, AsyncNetError.Code.proxyNotFound.summary)
            case .cannotConnect: (.cannotConnect, "The proxy could not be connected to")
            default: (error.code, error.code.summary)
            }
        return AsyncNetError(
            code, error.message.replacing(error.code.summary, with: text), underlyingError: error.underlyingError)
    }

    func connect(to addresses: [SocketAddress]) {
        times.lookup = engine.thread.now
        let race = ConnectRace(addresses, engine.configuration, engine.thread) { [unowned self] result in
            didConnect(result)
        }
        self.race = race
        race.start()
    }

    func stopStep() {
        handshake?.stop()
        dialogue?.stop()
        handshake = nil
        dialogue = nil
    }

    func cancel() { finish(.failure(AsyncNetError(.cancelled))) }

    func finish(_ outcome: Outcome) {
        guard let end = end.take() else { return }
        race?.stop()
        stopStep()
        if let deadline { engine.thread.cancel(deadline) }
        if let lookup = lookup.take() {
            engine.setup.names.withdraw(lookup)
        } else if case .failure = outcome {
            // Behind SOCKS4 and SOCKS5 the server's name was looked up too.
            for host in [peer, endpoint] { engine.setup.names.forget(engine.setup.lookupKey(of: host)) }
        }
        end(outcome)
    }
}

/// A name by which other threads refer to a dial. Unchecked: the reference is read only under the loop's lock.
private final class DialID: @unchecked Sendable {
    weak var dial: Dial?
    init(_ dial: Dial) { self.dial = dial }
}
