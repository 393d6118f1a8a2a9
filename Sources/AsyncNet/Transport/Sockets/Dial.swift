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

    let route: ConnectionRoute
    unowned let engine: SocketEngine
    private let judge: AddressJudge
    /// The settings of a raw stream; `nil` for the transport's settings for the host.
    let tls: TLSConfiguration?
    /// The protocols that the TLS handshake offers (ALPN, RFC 7301).
    let protocols: [String]
    let onTunnelHead: (([UInt8]) -> Void)?
    private var end: ((Dial, Outcome) -> Void)?
    var times = OpeningTimes()
    private var lookup: NameLookup.Ticket?
    private(set) var race: ConnectRace?
    /// Whether the server's addresses are being looked up: a SOCKS4 or SOCKS5 proxy is sent an address, not a name.
    private var isServerAwaited = false
    private(set) var serverAddresses: [SocketAddress]?
    /// The negotiation that continues on a new connection, once the proxy has closed the first; `nil` before.
    var negotiation: (any ProxyNegotiation)?
    /// The stream on which a `ProxyDialogue` or a `Handshake` runs, which the loop's thread retains.
    var step: SocketStream?
    private var deadline: LoopTimers.ID?
    private var lateness: LoopTimers.ID?
    /// Called once if the server takes long to answer the TLS handshake.
    var onLate: (() -> Void)?
    private(set) var isLate = false

    /// - Parameters:
    ///   - isHTTP: Whether the connection is for HTTP; the address policy is told.
    ///   - end: Called once, not from within `init`.
    init(
        _ route: ConnectionRoute, isHTTP: Bool,
        tls: TLSConfiguration? = nil, offering protocols: [String], _ engine: SocketEngine,
        onTunnelHead: (([UInt8]) -> Void)? = nil, end: @escaping (Dial, Outcome) -> Void
    ) {
        self.route = route
        judge = AddressJudge(endpoint: route.endpoint, policy: route.addresses, isHTTP: isHTTP)
        (self.tls, self.protocols) = (tls, protocols)
        self.engine = engine
        self.end = end
        self.onTunnelHead = onTunnelHead
    }

    var endpoint: ServerEndpoint { route.endpoint }

    func start() {
        let limit = engine.configuration.connectTimeout
        deadline = engine.thread.schedule(after: limit) { [weak self] in
            guard let self else { return }
            // The ticket that the handshake offered may be why the server does not answer.
            _ = step?.tls?.forgetTickets()
            finish(.failure(AsyncNetError(.timedOut, "\(unfinishedStep) within \(limit)")))
        }
        isServerAwaited = route.proxy?.kind.takesAddress == true
        attemptToFind { () throws(AsyncNetError) in
            let isUnresolved = route.proxy != nil || engine.configuration.unixSocket != nil
            if isUnresolved, !isServerAwaited { try judge.checkUnresolved() }
            try find(isServerAwaited ? endpoint : peer)
        }
    }

    /// The beginning of the error's text: the step that the connect timeout has ended.
    private var unfinishedStep: String {
        if lookup != nil { return "The name \(isServerAwaited ? endpoint.host : peer.host) was not looked up" }
        if times.connect == nil { return "The connection was not made" }
        return route.proxy == nil
            ? "The TLS handshake did not end" : "The proxy did not answer, or the TLS handshake did not end,"
    }

    func attempt(_ step: () throws(AsyncNetError) -> Void) {
        do throws(AsyncNetError) { try step() } catch { finish(.failure(error)) }
    }

    /// Runs a step whose errors name the proxy, if there is one, except while the server's own name is looked up.
    private func attemptToFind(_ step: () throws(AsyncNetError) -> Void) {
        attempt { () throws(AsyncNetError) in
            do throws(AsyncNetError) { try step() } catch { throw isServerAwaited ? error : aboutPeer(error) }
        }
    }

    private var peer: ServerEndpoint { route.proxy?.endpoint ?? endpoint }

    private func find(_ host: ServerEndpoint) throws(AsyncNetError) {
        if let known = try engine.setup.knownAddresses(of: host) { return try receive(known, of: host) }
        let (loop, dial) = (engine.thread.loop, LoopReference(self))
        lookup = engine.setup.names.addresses(of: host.host) { answer in
            loop.post { _ in dial.object?.receive(answer, of: host) }
        }
    }

    /// Whether this dial has this route and still looks names up: there is no connection yet that another transfer
    /// could use.
    func isLookingUp(for route: ConnectionRoute) -> Bool { lookup != nil && self.route == route }

    private func receive(_ answer: NameLookup.Answer, of host: ServerEndpoint) {
        lookup = nil
        attemptToFind { () throws(AsyncNetError) in
            try receive(try answer.get().map { SocketAddress($0.raw, port: host.port) }, of: host)
        }
    }

    private func receive(_ all: [SocketAddress], of host: ServerEndpoint) throws(AsyncNetError) {
        guard end != nil else { return }
        let family = engine.configuration.ipVersion.family
        let usable = all.filter { family == AF_UNSPEC || $0.family == family || $0.family == AF_UNIX }
        guard isServerAwaited else { return connect(to: try allowed(usable)) }
        isServerAwaited = false
        serverAddresses = try judge.allowed(usable)
        try find(peer)
    }

    /// The transport's policy judges the address that the socket connects to, the request's policy the server's
    /// address.
    private func allowed(_ addresses: [SocketAddress]) throws(AsyncNetError) -> [SocketAddress] {
        let own = AddressJudge(endpoint: peer, policy: engine.configuration.addressPolicy, isHTTP: judge.isHTTP)
        let addresses = try own.allowed(addresses)
        return route.proxy == nil ? try judge.allowed(addresses) : addresses
    }

    func aboutPeer(_ error: AsyncNetError) -> AsyncNetError {
        guard route.proxy != nil else { return error }
        let (code, text): (AsyncNetError.Code, String)
        switch error.code {
        case .hostNotFound: (code, text) = (.proxyNotFound, AsyncNetError.Code.proxyNotFound.summary)
        case .cannotConnect: (code, text) = (.cannotConnect, "The proxy could not be connected to")
        default: return error
        }
        return AsyncNetError(
            code, error.message.replacing(error.code.summary, with: text), underlyingError: error.underlyingError)
    }

    func connect(to addresses: [SocketAddress]) {
        times = OpeningTimes(lookup: times.lookup ?? engine.thread.now)
        let race = ConnectRace(addresses, engine.configuration, engine.thread) { [unowned self] result in
            didConnect(result)
        }
        self.race = race
        race.start()
    }

    /// How long a handshake with a server that answers takes at most, over nearly all paths.
    private static let usualHandshake = Duration.milliseconds(500)

    func watchLateness() {
        guard let onLate, !isLate else { return }
        engine.thread.cancel(&lateness)
        lateness = engine.thread.schedule(after: Self.usualHandshake) { [weak self] in
            guard let self else { return }
            isLate = true
            onLate()
        }
    }

    func stopStep() { step.take()?.unwatch() }

    func cancel() { finish(.failure(AsyncNetError(.cancelled))) }

    func finish(_ outcome: Outcome) {
        guard let end = end.take() else { return }
        race?.stop()
        stopStep()
        engine.thread.cancel(&deadline)
        engine.thread.cancel(&lateness)
        if let lookup = lookup.take() {
            engine.setup.names.withdraw(lookup)
        } else if case .failure = outcome {
            // Behind SOCKS4 and SOCKS5 the server's name was looked up too.
            for name in [peer.host, endpoint.host] { engine.setup.names.forget(name) }
        }
        end(self, outcome)
    }
}
