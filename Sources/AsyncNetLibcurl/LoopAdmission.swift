import AsyncNet

/// A transfer that can wait in a `LoopAdmission`, which alone changes `isWaiting`.
protocol QueuedTransfer: AnyObject {
    var isWaiting: Bool { get set }
}

/// Decides which of a loop's transfers may start, and which wait for a permit.
///
/// A transfer needs a permit of its origin and a connection of the loop. Transfers to one origin start in the order of
/// their requests. The struct performs no I/O: the loop starts what `admit` and `next` return.
struct LoopAdmission<Transfer: QueuedTransfer> {
    enum Decision { case start, wait }

    /// How many transfers share a connection of HTTP/2 (RFC 9113 §6.5.2 recommends that servers allow at least 100).
    static var streamsPerConnection: Int { 100 }

    /// How many origins may be stored before those without transfers are removed.
    private static var mostOrigins: Int { 256 }

    private let limits: LoopLimits
    private var origins: [OriginKey: OriginQueue<Transfer>] = [:]
    private var running = 0
    private var waiting = 0
    /// Whether a transfer that has a permit of its origin waits for a connection of the loop.
    private var isConnectionAwaited = false

    init(_ limits: LoopLimits) { self.limits = limits }

    /// Whether no transfer runs or waits.
    var isIdle: Bool { running == 0 && waiting == 0 }

    /// Whether all connections are in use. Connections are counted only when there are enough transfers to use them
    /// all.
    private var isFull: Bool {
        running >= limits.connections && origins.values.reduce(0) { $0 + $1.connections } >= limits.connections
    }

    mutating func admit(_ transfer: Transfer, to origin: OriginKey) -> Decision {
        let (isFull, queue) = (isFull, queue(of: origin))
        guard !isFull, queue.takePermit() else {
            isConnectionAwaited = isConnectionAwaited || isFull
            queue.append(transfer)
            waiting += 1
            return .wait
        }
        running += 1
        return .start
    }

    /// Called when a transfer that `admit` or `next` has started is over. The loop then starts what `next` returns.
    mutating func finish(_ origin: OriginKey) {
        running -= 1
        origins[origin]?.releasePermit()
        removeIfEmpty(origin)
    }

    /// Removes a waiting transfer, which then does not start.
    mutating func withdraw(_ transfer: Transfer, from origin: OriginKey) {
        origins[origin]?.withdraw(transfer)
        waiting -= 1
        removeIfEmpty(origin)
    }

    /// The next transfer to start: of this origin, or of another origin whose transfers wait for a connection.
    mutating func next(preferring origin: OriginKey) -> Transfer? {
        if let transfer = next(of: origin) { return transfer }
        guard isConnectionAwaited, !isFull else { return nil }
        guard let other = origins.first(where: { $0.value.canStartWaiting }) else {
            isConnectionAwaited = false
            return nil
        }
        return next(of: other.key)
    }

    private mutating func next(of origin: OriginKey) -> Transfer? {
        guard origins[origin]?.hasWaiting == true else { return nil }
        guard !isFull else {
            isConnectionAwaited = true
            return nil
        }
        guard let transfer = origins[origin]?.next() else { return nil }
        (running, waiting) = (running + 1, waiting - 1)
        return transfer
    }

    private mutating func queue(of origin: OriginKey) -> OriginQueue<Transfer> {
        if let queue = origins[origin] { return queue }
        let queue = OriginQueue<Transfer>(limit: limits.connectionsPerOrigin)
        origins[origin] = queue
        return queue
    }

    /// An origin without transfers is kept, with what is known of it, unless there are many.
    private mutating func removeIfEmpty(_ origin: OriginKey) {
        guard let queue = origins[origin], queue.isEmpty, origins.count > Self.mostOrigins else { return }
        origins[origin] = nil
    }
}

// MARK: What responses show of an origin

extension LoopAdmission {
    /// Called when a response has arrived over HTTP/2: the origin's transfers share connections.
    func noteHTTP2(_ origin: OriginKey) { origins[origin]?.shareConnections(Self.streamsPerConnection) }

    /// Whether the last response that has arrived from the origin, as far as it is known, shared its connection.
    func isHTTP2(_ origin: OriginKey) -> Bool { origins[origin]?.isHTTP2 == true }

    /// Called when a response has arrived over HTTP/1: each of the origin's transfers needs a connection.
    func noteHTTP1(_ origin: OriginKey) { origins[origin]?.noteHTTP1() }
}
