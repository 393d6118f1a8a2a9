import CAsyncNetSockets
import Foundation

/// The transfers and connections of one loop. Used only under its loop's lock.
///
/// What runs under that lock refers to it without `weak`: the loop's thread holds it until nothing runs there any more,
/// and to retain an object that was referred to weakly takes twice as long.
final class SocketEngine {
    typealias Pool = ConnectionPool<ConnectionRoute, PooledConnection, SocketTransfer>

    let setup: SocketSetup
    let configuration: SocketTransport.Configuration
    let thread: LoopThread
    let tls: TLSContexts
    var pool: Pool
    var versions = KnownVersions()
    private var dials: [ObjectIdentifier: Dial] = [:]
    /// The connections without HTTP.
    private var streams: [ObjectIdentifier: DuplexStream] = [:]
    private var memoryTimer: LoopTimers.ID?
    var warmUps: [WarmUp] = []

    init(_ thread: LoopThread, _ setup: SocketSetup) {
        self.thread = thread
        (self.setup, configuration) = (setup, setup.configuration)
        tls = TLSContexts(
            setup.hosts, proxy: setup.configuration.proxy.tls, fileInterval: setup.configuration.tlsFileInterval)
        pool = Pool(setup.distribution.limits)
    }

    deinit { setup.memory.rest() }

    static func of(_ thread: LoopThread) -> SocketEngine? { thread.engine as? SocketEngine }

    static func on(_ thread: LoopThread, _ setup: SocketSetup) -> SocketEngine {
        if let engine = of(thread) { return engine }
        let engine = SocketEngine(thread, setup)
        thread.engine = engine
        // The pool holds connections, and they hold the engine.
        thread.onEnd = { [unowned engine] in engine.pool = Pool(setup.distribution.limits) }
        return engine
    }

    func start(_ transfer: SocketTransfer) {
        guard !transfer.pipe.isEnded else { return }
        transfer.isRunning = true
        thread.activeCount += 1
        request(transfer, onNewConnection: transfer.wantsNewConnection)
    }

    /// Sends a request again, on another connection or stream, since the server has not processed it.
    ///
    /// - Parameter isAnswer: Whether the reason is a proxy's challenge, which does not count as a restart.
    func restart(_ transfer: SocketTransfer, isAnswer: Bool = false) {
        guard !transfer.pipe.isEnded else { return ended(transfer) }
        if !isAnswer {
            transfer.request.onEvent?(.repeated)
            transfer.restarts += 1
        }
        transfer.carrier = nil
        transfer.isQueued = false
        request(transfer, onNewConnection: true)
    }

    private func request(_ transfer: SocketTransfer, onNewConnection: Bool) {
        if let connection = pool.takeIdle(for: transfer.route, mustBeShared: onNewConnection) {
            return use(connection, transfer)
        }
        let actions = pool.wait(
            transfer, for: transfer.route, priority: transfer.request.priority.rawValue,
            mayShare: versions.mayBeHTTP2(transfer.route, configuration.httpVersion), wantsNew: onNewConnection)
        if actions.isEmpty, !transfer.isQueued {
            transfer.isQueued = true
            transfer.request.onEvent?(.queued)
        }
        perform(actions, for: transfer)
    }

    func cancel(_ transfer: SocketTransfer) {
        guard transfer.isRunning else { return }
        if let carrier = transfer.carrier {
            carrier.cancel(transfer)
        } else {
            pool.withdraw(transfer, from: transfer.route)
            if pool.firstWaiting(for: transfer.route) == nil, !warmUps.contains(where: { $0.route == transfer.route }) {
                // Only dials that still look names up are cancelled; the next transfer uses the connections of the
                // others.
                for dial in dials.values where dial.isLookingUp(for: transfer.route) { dial.cancel() }
            }
        }
        ended(transfer)
    }

    func ended(_ transfer: SocketTransfer) {
        guard transfer.isRunning else { return }
        transfer.isRunning = false
        transfer.carrier = nil
        thread.activeCount -= 1
        guard !hasTransfers, memoryTimer == nil, !setup.memory.isResting else { return }
        memoryTimer = thread.schedule(after: .seconds(1)) { [unowned self] in
            memoryTimer = nil
            if !hasTransfers { setup.memory.rest() }
        }
    }

    private var hasTransfers: Bool { thread.activeCount > streams.count + warmUps.count }

    func perform(_ actions: [Pool.Action], for transfer: SocketTransfer? = nil) {
        var actions = actions[...]
        // Connections for cancelled transfers are given to others last: such a connection knows how many more it takes
        // only once the other transfers have begun on it.
        var declined: [(PooledConnection, SocketTransfer)] = []
        while true {
            while let action = actions.popFirst() {
                switch action {
                case .use(let connection, let transfer) where transfer.pipe.isEnded:
                    declined.append((connection, transfer))
                case .use(let connection, let transfer): use(connection, transfer)
                case .open(let route): open(route, for: transfer)
                case .close(let connection): closeIdle(connection)
                }
            }
            guard let (connection, transfer) = declined.popLast() else { return }
            actions += decline(connection, transfer)
        }
    }

    /// Gives the connection of a transfer that was cancelled while it waited to the next transfer.
    private func decline(_ connection: PooledConnection, _ transfer: SocketTransfer) -> [Pool.Action] {
        ended(transfer)
        return connection.isOpen ? pool.released(connection, of: transfer.route, room: connection.room) : []
    }

    private func use(_ connection: PooledConnection, _ transfer: SocketTransfer) {
        guard connection.isOpen, connection.isUsable else {
            close(connection)
            return request(transfer, onNewConnection: transfer.wantsNewConnection || transfer.restarts > 0)
        }
        transfer.carrier = connection
        if transfer.isQueued { transfer.request.onEvent?(.started) }
        connection.start(transfer)
    }

    func open(_ route: ConnectionRoute, for transfer: SocketTransfer?) {
        let dial = Dial(
            route, isHTTP: true, offering: versions.offered(to: route, configuration.httpVersion), self,
            onTunnelHead: { [unowned self] head in report(head, to: transfer, route) },
            end: { [unowned self] dial, result in dialed(dial, result) })
        dial.onLate = { [unowned self] in perform(pool.isLate(route)) }
        dials[ObjectIdentifier(dial)] = dial
        dial.start()
    }

    /// Reports the head of a CONNECT to the transfer that will use the connection, as far as that is known.
    private func report(_ head: [UInt8], to transfer: SocketTransfer?, _ route: ConnectionRoute) {
        let isWaiting = transfer?.isRunning == true && transfer?.carrier == nil
        guard let transfer = isWaiting ? transfer : pool.firstWaiting(for: route), transfer.request.isHeadObserved
        else { return }
        head.withUnsafeBytes { transfer.request.onEvent?(.sentHead(SentHead($0))) }
    }

    private func dialed(_ dial: Dial, _ result: Dial.Outcome) {
        let (route, wasLate) = (dial.route, dial.isLate)
        dials[ObjectIdentifier(dial)] = nil
        do throws(AsyncNetError) {
            let (stream, times) = try result.get()
            let isHTTP2 = try versions.isHTTP2(stream, route, configuration.httpVersion)
            let connection =
                isHTTP2
                ? HTTP2Connection(route, stream, times, engine: self)
                : HTTPConnection(route, stream, times, engine: self)
            try stream.watch(connection)
            rest(connection, for: configuration.idleTimeout)
            retireLater(connection)
            perform(pool.opened(connection, for: route, room: connection.room, wasLate: wasLate))
            goOnWarmingUp(route, .success(()))
        } catch {
            let isShort = (error.underlyingError as? POSIXError)?.code == .EMFILE
            // A connection that was lost says nothing about the next one: only other errors are `lasting`.
            let (transfers, actions) =
                isShort
                ? pool.lackedDescriptor(route, wasLate: wasLate)
                : pool.failed(route, lasting: error.code != .connectionLost, wasLate: wasLate)
            for transfer in transfers {
                transfer.report(error)
                transfer.pipe.finish(.failure(error))
                ended(transfer)
            }
            perform(actions)
            goOnWarmingUp(route, .failure(error))
        }
    }

    func open(_ opening: DuplexOpening) {
        let stream = DuplexStream(opening, self)
        streams[ObjectIdentifier(stream)] = stream
        thread.activeCount += 1
        stream.start()
    }

    func closed(_ stream: DuplexStream) {
        if streams.removeValue(forKey: ObjectIdentifier(stream)) != nil { thread.activeCount -= 1 }
    }

    /// Closes all connections without HTTP at once: unlike transfers, whose ends the transport awaits, they might stay
    /// open for ever.
    func closeStreams() { for stream in streams.values { stream.shutDown() } }

    /// Called when a transfer has left the connection. A connection without a transfer is kept for some time.
    func released(_ connection: PooledConnection, keptFor time: Duration? = nil) {
        guard connection.isOpen else { return }
        if connection.isIdle { rest(connection, for: time ?? configuration.idleTimeout) }
        perform(pool.released(connection, of: connection.route, room: connection.room))
    }

    func changedRoom(of connection: PooledConnection) {
        perform(
            pool.changedRoom(
                connection, of: connection.route, to: connection.room ?? 0, isDraining: connection.isDraining))
    }

    private func rest(_ connection: PooledConnection, for time: Duration) {
        connection.idleEnd = thread.now + time
        watchIdle(connection)
    }

    /// Closes the connection when its time is over. If a transfer uses it meanwhile, the timer stays, and then waits
    /// for the rest of the new time: most connections are used again, and each timer costs memory.
    private func watchIdle(_ connection: PooledConnection) {
        if connection.idleTimer != nil {
            guard connection.idleEnd < connection.idleTimerEnd else { return }
            thread.cancel(&connection.idleTimer)
        }
        connection.idleTimerEnd = connection.idleEnd
        let delay = connection.idleEnd - thread.now
        connection.idleTimer = thread.schedule(after: delay) { [unowned self, unowned connection] in
            connection.idleTimer = nil
            if connection.idleEnd <= thread.now { closeIdle(connection) } else { watchIdle(connection) }
        }
    }

    private func retireLater(_ connection: PooledConnection) {
        guard let lifetime = configuration.maximumConnectionLifetime else { return }
        connection.lifetimeTimer = thread.schedule(after: lifetime * .random(in: 0.9...1)) { [unowned connection] in
            connection.lifetimeTimer = nil
            connection.retire()
        }
    }

    func closeIdle(_ connection: PooledConnection) { if connection.isIdle { close(connection) } }

    func close(_ connection: PooledConnection) {
        guard connection.isOpen else { return }
        connection.willClose()
        thread.cancel(&connection.idleTimer)
        thread.cancel(&connection.lifetimeTimer)
        connection.stream.unwatch()
        connection.life?.close()
        perform(pool.closed(connection, of: connection.route))
    }
}

/// A call of `warmUp` that waits for its connections.
struct WarmUp: Sendable {
    let route: ConnectionRoute
    let count: Int
    let end = Promise<Void>()
}

extension SocketTransfer {
    /// Reports the measurements of a transfer that had no connection: its time, and the certificates of a refused
    /// server.
    fileprivate func report(_ error: AsyncNetError) {
        guard !pipe.isEnded, let onEvent = request.onEvent else { return }
        let certificates = error.serverTrust?.certificates.map(\.pem) ?? []
        onEvent(
            .metrics(
                TransportMetrics(
                    timings: TransferTimings(
                        nameLookup: .zero, connect: .zero, tlsHandshake: .zero, firstByte: .zero,
                        total: .now - start), certificates: certificates)))
    }
}
