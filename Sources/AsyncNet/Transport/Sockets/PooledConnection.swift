/// A connection of the pool, which carries transfers: one after the other, or several at once. Used under its loop's lock only.
class PooledConnection: LoopHandler {
    let number: Int
    let route: ConnectionRoute
    let opening: OpeningTimes
    let stream: SocketStream
    let remote: SocketAddress?
    unowned let engine: SocketEngine
    private(set) var socketID: LoopSocketID?
    private var watched: Readiness = []
    /// Until when the connection is kept, unless it is used before.
    var idleEnd = ContinuousClock.now
    var idleTimer: (id: LoopTimers.ID, end: ContinuousClock.Instant)?
    var life: ConnectionLife?
    /// How many transfers were begun here.
    var transfers = 0

    init(
        _ number: Int, _ route: ConnectionRoute, _ stream: SocketStream, _ opening: OpeningTimes,
        engine: SocketEngine
    ) {
        (self.number, self.route, self.stream, self.opening) = (number, route, stream, opening)
        (self.engine, remote) = (engine, stream.peer)
    }

    func watch() throws(AsyncNetError) {
        watched = .readable
        socketID = try engine.thread.watch(stream.socket, self, for: .readable)
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn { .done }

    func updateWatch(isReading: Bool) {
        guard let socketID else { return }
        var wanted: Readiness = isReading ? .readable : []
        if stream.isBlocked { wanted.insert(.writable) }
        guard wanted != watched else { return }
        watched = wanted
        engine.thread.change(socketID, stream.socket, to: wanted)
    }

    func requeue() { if let socketID { engine.thread.requeue(socketID) } }

    // MARK: Transfers

    /// Whether no transfer is carried.
    var isIdle: Bool { true }
    /// How many more transfers a shared connection takes, below zero while its server allows none at all; `nil` for a
    /// connection that carries one transfer at a time.
    var room: Int? { nil }

    /// - Parameters:
    ///   - restarts: How often the transfer was sent before, since it was not processed.
    ///   - answers: How many challenges of the proxy were answered for it.
    func start(_ transfer: SocketTransfer, restarts: Int, answers: Int) {}

    /// The reader has taken bytes, the body has more, or the request is no longer suspended.
    func resume(_ transfer: SocketTransfer) {}

    /// Ends the transfer of a request that nobody waits for any more.
    func cancel(_ transfer: SocketTransfer) {}

    /// The connection leaves the pool without a transfer.
    func willClose() {}

    func isSuspended(_ transfer: SocketTransfer) -> Bool {
        guard let hold = transfer.request.hold, hold.isHeld else { return false }
        return hold.isHeld(transfer) { [loop = engine.thread.loop] in
            loop.post { SocketEngine.of($0)?.resume(transfer) }
        }
    }

    func observe(_ transfer: SocketTransfer) {
        let observers = transfer.request.connectionObservers
        if life == nil, !observers.isEmpty {
            life = ConnectionLife(observers.map { $0.follower(ofConnectionTo: transfer.request.head.url) })
        }
        life?.begin()
    }
}
