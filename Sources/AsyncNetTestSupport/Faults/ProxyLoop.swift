import AsyncNet
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The thread of a proxy: waits for all sockets at once, and moves bytes.
struct ProxyLoop {
    private let core: ProxyCore
    private var place: ProxyPlace
    private let start = ContinuousClock.now
    private var faults: FaultTable
    private var connections: [ProxyConnection] = []
    /// When each connection has something to do; `nil` if it only waits for a socket.
    private var dues: [Duration?] = []
    /// The pipe that wakes the thread, the listener, then two sockets of each connection: the client's, the server's.
    private var polled: [pollfd]
    /// Until when no connections are accepted, since `accept` has failed: the process may have no descriptors left.
    private var restsUntil: Duration?
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(_ core: ProxyCore, _ place: ProxyPlace) {
        (self.core, self.place) = (core, place)
        // Faults that were added before this thread began are applied in its first round.
        faults = FaultTable(seed: core.seed)
        polled = [pollfd(fd: core.wakeReader, events: Int16(POLLIN), revents: 0), Self.unused]
    }

    private static let unused = pollfd(fd: -1, events: 0, revents: 0)
    private var now: Duration { start.duration(to: .now) }

    mutating func run() {
        while true {
            wait()
            let orders = core.orders
            if orders.isStopping { break }
            let now = now
            clearWakes()
            applyFaults(orders.faults, now)
            stepAll(now)
            acceptAll(now)
        }
        for connection in connections { end(connection) { $0.close() } }
        place.end()
    }

    private mutating func wait() {
        if let rest = restsUntil, rest <= now { restsUntil = nil }
        polled[1] = Self.unused
        if restsUntil == nil, let listener = place.listener {
            polled[1] = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
        }
        let next = dues.reduce(restsUntil) { least, due in
            guard let due else { return least }
            return min(due, least ?? due)
        }
        let limit = Socket.milliseconds(next.map { max(.zero, $0 - now) })
        let result = poll(&polled, nfds_t(polled.count), limit)
        // After an interrupted `poll`, nothing is known of the sockets.
        if result < 0 { for index in polled.indices { polled[index].revents = 0 } }
    }

    private mutating func clearWakes() {
        guard polled[0].revents != 0 else { return }
        while read(core.wakeReader, &buffer, buffer.count) > 0 {}
    }

    private mutating func applyFaults(_ changed: FaultTable, _ now: Duration) {
        defer { core.acted(on: changed) }
        guard changed != faults else { return }
        faults = changed
        if faults.isDown { place.close() } else { try? place.open() }
        for index in connections.indices.reversed() {
            guard !faults.isDown(for: connections[index].number) else {
                remove(index) { $0.reset() }
                continue
            }
            connections[index].change(faults, now: now)
            dues[index] = now
        }
    }

    // MARK: Connections

    private mutating func stepAll(_ now: Duration) {
        for index in connections.indices.reversed() {
            let isReady = polled[2 + 2 * index].revents != 0 || polled[3 + 2 * index].revents != 0
            guard isReady || dues[index].map({ $0 <= now }) == true else { continue }
            step(index, now)
        }
    }

    private mutating func step(_ index: Int, _ now: Duration) {
        let dropped = connections[index].droppedBytes
        let step = connections[index].step(now: now, &buffer)
        let added = connections[index].droppedBytes - dropped
        if added > 0 { core.dropped.change { $0 += added } }
        switch step {
        case .ended: remove(index) { _ in }
        case .goesOn(let due):
            dues[index] = due
            let connection = connections[index]
            polled[2 + 2 * index] = Self.polled(connection.clientDescriptor, connection.clientInterest)
            polled[3 + 2 * index] = Self.polled(connection.serverDescriptor, connection.serverInterest)
        }
    }

    /// A socket without an interest is left out: `poll` would report its errors again and again.
    private static func polled(_ descriptor: Int32, _ interest: ProxyConnection.Interest) -> pollfd {
        let events = (interest.reading ? Int16(POLLIN) : 0) | (interest.writing ? Int16(POLLOUT) : 0)
        return events == 0 ? unused : pollfd(fd: descriptor, events: events, revents: 0)
    }

    /// The last connection takes the place of the removed one.
    private mutating func remove(_ index: Int, _ close: (ProxyConnection) -> Void) {
        end(connections[index], close)
        let last = connections.count - 1
        connections.swapAt(index, last)
        dues.swapAt(index, last)
        polled.swapAt(2 + 2 * index, 2 + 2 * last)
        polled.swapAt(3 + 2 * index, 3 + 2 * last)
        connections.removeLast()
        dues.removeLast()
        polled.removeLast(2)
    }

    private func end(_ connection: ProxyConnection, _ close: (ProxyConnection) -> Void) {
        close(connection)
        core.countEnd()
    }

    private mutating func acceptAll(_ now: Duration) {
        guard polled[1].revents != 0, let listener = place.listener else { return }
        do {
            while let client = try listener.acceptAtOnce() { begin(client, now) }
        } catch {
            restsUntil = now + .milliseconds(10)
        }
    }

    private mutating func begin(_ client: Socket, _ now: Duration) {
        let number = core.countConnection()
        guard !faults.isDown(for: number),
            let server = try? Socket.connect(to: core.target.address, stop: -1)
        else {
            client.reset()
            return core.countEnd()
        }
        let connection = ProxyConnection(number: number, client: client, server: server, seed: faults.seed)
        connection.change(faults, now: now)
        connections.append(connection)
        dues.append(nil)
        polled += [Self.unused, Self.unused]
        step(connections.count - 1, now)
    }
}
