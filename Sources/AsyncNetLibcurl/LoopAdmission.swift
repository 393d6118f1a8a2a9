import AsyncNet

/// A transfer that can wait in a `LoopAdmission`, which alone changes `place`.
protocol QueuedTransfer: AnyObject {
    /// The transfer's number in the order of waiting; `nil` while the transfer does not wait.
    var place: Int? { get set }
}

/// Decides which of a loop's transfers may start, and which wait for a permit.
///
/// A transfer needs a permit of its origin and a connection of the loop. Transfers to one origin start in the order of
/// their requests. The struct performs no I/O: the loop starts what `admit` and `next` return. libcurl has a queue of
/// its own for transfers above its connection limits, but visits each queued transfer in every call, and does not say
/// which of them wait.
struct LoopAdmission<Transfer: QueuedTransfer> {
    enum Decision { case start, wait }

    private struct Origin {
        /// Whether the latest response came over HTTP/2 or HTTP/3, which share connections; `nil` before the first.
        var isHTTP2: Bool?
        var running = 0
        var line = WaitingLine<Transfer>()

        /// How many connections the running transfers count as: over HTTP/2 as one, which they share.
        var connections: Int { isHTTP2 == true ? min(1, running) : running }
        var isUnused: Bool { running == 0 && line.isEmpty }
    }

    /// How many transfers share a connection of HTTP/2 (RFC 9113 §6.5.2 recommends that servers allow at least 100).
    static var streamsPerConnection: Int { 100 }

    /// How many origins may be stored before those without transfers are removed.
    private static var mostOrigins: Int { 256 }

    private let limits: LoopLimits
    private var origins: [OriginKey: Origin] = [:]
    private var running = 0
    private var waiting = 0
    private var lastPlace = 0
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

    private func hasPermit(_ key: OriginKey) -> Bool {
        guard let origin = origins[key] else { return true }
        return origin.running < limits.connectionsPerOrigin * (origin.isHTTP2 == true ? Self.streamsPerConnection : 1)
    }

    private func canStartWaiting(_ key: OriginKey) -> Bool { origins[key]?.line.isEmpty == false && hasPermit(key) }

    mutating func admit(_ transfer: Transfer, to key: OriginKey) -> Decision {
        let isFull = isFull
        guard !isFull, hasPermit(key) else {
            isConnectionAwaited = isConnectionAwaited || isFull
            lastPlace += 1
            transfer.place = lastPlace
            origins[key, default: Origin()].line.append(lastPlace, transfer)
            waiting += 1
            return .wait
        }
        start(key)
        return .start
    }

    private mutating func start(_ key: OriginKey) {
        running += 1
        origins[key, default: Origin()].running += 1
    }

    /// Called when a transfer that `admit` or `next` has started is over. The loop then starts what `next` returns.
    mutating func finish(_ key: OriginKey) {
        running -= 1
        origins[key]?.running -= 1
        removeIfUnused(key)
    }

    /// Removes a waiting transfer, which then does not start.
    mutating func withdraw(_ transfer: Transfer, from key: OriginKey) {
        guard let place = transfer.place.take() else { return }
        _ = origins[key]?.line.remove(place)
        waiting -= 1
        removeIfUnused(key)
    }

    /// The next transfer to start: of this origin, or of another origin whose transfers wait for a connection.
    mutating func next(preferring key: OriginKey) -> Transfer? {
        if let transfer = next(of: key) { return transfer }
        guard isConnectionAwaited, !isFull else { return nil }
        guard let other = origins.keys.first(where: { canStartWaiting($0) }) else {
            isConnectionAwaited = false
            return nil
        }
        return next(of: other)
    }

    private mutating func next(of key: OriginKey) -> Transfer? {
        guard canStartWaiting(key) else { return nil }
        guard !isFull else {
            isConnectionAwaited = true
            return nil
        }
        guard let transfer = origins[key]?.line.popFirst() else { return nil }
        transfer.place = nil
        waiting -= 1
        start(key)
        return transfer
    }

    /// Removes an origin without transfers if there are many origins: what is known of an origin is kept as long as
    /// possible.
    private mutating func removeIfUnused(_ key: OriginKey) {
        guard origins.count > Self.mostOrigins, origins[key]?.isUnused == true else { return }
        origins[key] = nil
    }

    /// Called when a response has arrived: over HTTP/2 the origin's transfers share connections, over HTTP/1 each needs
    /// a connection of its own.
    ///
    /// - Returns: Whether waiting transfers may start now, since the running ones need fewer connections than before.
    mutating func note(_ key: OriginKey, isHTTP2: Bool) -> Bool {
        guard origins[key]?.isHTTP2 != isHTTP2 else { return false }
        origins[key]?.isHTTP2 = isHTTP2
        return isHTTP2 && waiting > 0
    }

    /// Whether a kept connection to the origin may be HTTP/2. Before the first response, only a connection that libcurl
    /// shares with a running transfer of the origin may be HTTP/2.
    func mayBeHTTP2(_ key: OriginKey) -> Bool {
        guard let origin = origins[key] else { return false }
        return origin.isHTTP2 ?? (origin.running > 1)
    }
}
