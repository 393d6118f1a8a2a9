/// A connection of the pool, which carries one transfer after another, or several at once. Used only under its loop's
/// lock.
class PooledConnection: LoopHandler, TransferCarrier, Equatable {
    let route: ConnectionRoute
    let opening: OpeningTimes
    let stream: SocketStream
    /// Of the server or the proxy; `nil` for a unix socket.
    let remoteAddress: String?
    let remotePort: Int?
    let engine: SocketEngine
    /// Until when the connection is kept, unless a transfer uses it before.
    var idleEnd = ContinuousClock.now
    var idleTimer: LoopTimers.ID?
    var idleTimerEnd = ContinuousClock.now
    var life: ConnectionLife?
    var transfers = 0
    let opened: ContinuousClock.Instant
    var lifetimeTimer: LoopTimers.ID?
    /// Received bytes that are not parsed: they are no whole line or frame yet, or the turn had no time for them.
    var rest: [UInt8] = []
    /// Whether `rest` may have whole lines or frames, for which the last turn had no time.
    var hasWaitingParts = false
    private(set) var isRetired = false
    /// The value of `LoopThread.polls` when the last transfer ended.
    var restsSince = 0

    init(
        _ route: ConnectionRoute, _ stream: SocketStream, _ opening: OpeningTimes, engine: SocketEngine
    ) {
        self.route = route
        self.stream = stream
        self.opening = opening
        self.engine = engine
        let remote = stream.peer
        remoteAddress = remote?.text
        remotePort = remote?.port
        opened = engine.thread.now
    }

    func turn(_ readiness: Readiness, _ thread: LoopThread) -> Turn { .done }

    static func == (one: PooledConnection, other: PooledConnection) -> Bool { one === other }

    final var isOpen: Bool { stream.isWatched }
    final var isIdle: Bool { running == 0 }
    /// How many more transfers a shared connection takes, below zero while its server allows none; `nil` for a
    /// connection that carries one at a time.
    var room: Int? { nil }

    var running: Int { 0 }

    /// How many more transfers it may carry by the configuration.
    var transfersLeft: Int { (engine.configuration.maximumRequestsPerConnection ?? .max) - transfers }

    var isDraining: Bool { isRetired }

    /// Whether the next transfer may begin: false once the server has ended an idle connection, or has sent something.
    var isUsable: Bool { true }

    /// Called when the connection's lifetime is over, or it has carried as many transfers as it may.
    func retire() { isRetired = true }

    func start(_ transfer: SocketTransfer) {}

    func resume(_ transfer: SocketTransfer) {}

    func cancel(_ transfer: SocketTransfer) {}

    /// Called before the connection is closed.
    func willClose() {}

    func isSuspended(_ transfer: SocketTransfer) -> Bool {
        guard let hold = transfer.request.hold, hold.isHeld else { return false }
        return hold.isHeld(transfer) { transfer.resume() }
    }

    /// Tells the transfer's observers of the connection; called before `running` counts the transfer.
    func observe(_ transfer: SocketTransfer) {
        let observers = transfer.request.connectionObservers
        if life == nil, !observers.isEmpty {
            life = ConnectionLife(observers.map { $0.follower(ofConnectionTo: transfer.request.head.url) })
            // Counts the transfers that began before the first observed one: each of them will call `end` too.
            for _ in 0..<running { life?.begin() }
        }
        life?.begin()
    }
}

extension PooledConnection {
    /// A parser takes whole lines or frames, as many as a turn may, and returns how many bytes it has taken.
    typealias Parser = (UnsafeRawBufferPointer) throws(AsyncNetError) -> Int

    /// Parses what was received, after what is left from before, and keeps the rest.
    func take(_ received: UnsafeRawBufferPointer, _ parse: Parser) throws(AsyncNetError) {
        guard rest.isEmpty else {
            rest.append(contentsOf: received)
            _ = try takeRest(parse)
            return
        }
        let taken = try parse(received)
        if taken < received.count { rest = Array(received[taken...]) }
    }

    /// Parses what is left from before; returns how many bytes were taken.
    func takeRest(_ parse: Parser) throws(AsyncNetError) -> Int {
        var input = rest
        (rest, hasWaitingParts) = ([], false)
        let taken = try input.withBytes(parse)
        guard taken < input.count else { return taken }
        input.removeFirst(taken)
        rest = input
        return taken
    }
}
