/// Decides which connection carries a transfer, and when one is opened: a value without I/O.
///
/// A transfer takes the connection to its origin that was used last. Without one it waits, and one is opened if the
/// limits allow it; the first connection that is ready, new or released, goes to the transfer that has waited longest.
/// So a connection that was opened for a cancelled transfer is used too. A transfer that wants a new connection gets no
/// released one: if the limits leave no place for a new one, a released or kept one is closed.
///
/// A shared connection carries several transfers at once, and says how many more it takes. If a new connection may turn
/// out to be shared, all transfers wait for it, and another one is opened when it has no room, or when it is late.
struct ConnectionPool<Key: Hashable, Connection: Equatable, Transfer: Equatable>: ~Copyable {
    enum Action: Equatable {
        case use(Connection, Transfer)
        /// Open a connection for this origin; the caller then calls `opened` or `failed`.
        case open(Key)
        case close(Connection)
    }

    /// An object, so that a change of its lists copies none of them.
    private final class Origin {
        /// The kept connections, in the order of their last use.
        var idle: [Connection] = []
        var opening = 0
        /// Whether one of the connections being opened takes so long that no transfer counts on it.
        var hasLate = false
        var coming: Int { opening - (hasLate ? 1 : 0) }
        var busy = 0
        var shared: [Shared] = []
        /// Whether a new connection may turn out to be shared.
        var mayShare = false
        /// Whether the last connection could not be opened.
        var hasFailed = false
        /// The transfers that wait, by descending priority, and within a priority in their order.
        var waiting: [(transfer: Transfer, priority: Int, wantsNew: Bool)] = []
        var connections: Int { idle.count + opening + busy + shared.count }
        var limitedConnections: Int { idle.count + opening + busy + shared.count { !$0.isDraining } }
        var isEmpty: Bool { connections == 0 && waiting.isEmpty }

        /// Whether the server allows no transfer at all on a shared connection: another connection would not help.
        var isHeldBack: Bool { shared.contains { $0.room < 0 } }

        func index(of connection: Connection) -> Int? { shared.firstIndex { $0.connection == connection } }
    }

    private struct Shared {
        let connection: Connection
        var active = 0
        /// How many more transfers the connection takes; below zero while the server allows none at all.
        var room: Int
        /// Whether the connection closes after its last transfer. That may take long, so the connection does not count
        /// towards its origin's limit.
        var isDraining = false
    }

    private let limits: LoopLimits
    private var origins: [Key: Origin] = [:]
    private var connections = 0
    /// How many connections there were when file descriptors ran out; `nil` once another was opened.
    private var shortage: Int?
    /// Origins whose transfers wait because the limit of all connections is reached, in order.
    private var starving: [Key] = []
    /// The kept connections of all origins; the one that has rested longest is first.
    private var resting: [Connection] = []

    init(_ limits: LoopLimits) { self.limits = limits }

    var isEmpty: Bool { connections == 0 && origins.values.allSatisfy { $0.waiting.isEmpty } }

    /// - Parameter mustBeShared: Whether only a shared connection may be taken: the transfer wants no kept connection
    ///   that carries one transfer at a time.
    mutating func takeIdle(for key: Key, mustBeShared: Bool = false) -> Connection? {
        guard let origin = origins[key] else { return nil }
        if let index = origin.shared.lastIndex(where: { $0.room > 0 }) { return take(index, of: origin) }
        guard !mustBeShared, let connection = origin.idle.popLast() else { return nil }
        origin.busy += 1
        forgetResting(connection)
        return connection
    }

    private mutating func take(_ index: Int, of origin: Origin) -> Connection {
        let connection = origin.shared[index].connection
        if origin.shared[index].active == 0 { forgetResting(connection) }
        origin.shared[index].active += 1
        origin.shared[index].room -= 1
        return connection
    }

    /// Lets a transfer wait for a connection, and opens one if the limits allow it.
    ///
    /// - Parameter wantsNew: Whether the transfer waits for a new connection or a shared one.
    mutating func wait(
        _ transfer: Transfer, for key: Key, priority: Int = 0, mayShare: Bool = false, wantsNew: Bool = false
    ) -> [Action] {
        let origin = origins[key] ?? Origin()
        origins[key] = origin
        origin.mayShare = mayShare
        let place = origin.waiting.firstIndex { $0.priority < priority } ?? origin.waiting.count
        origin.waiting.insert((transfer, priority, wantsNew), at: place)
        return open(for: key)
    }

    enum Preparation {
        case open
        case wait
        /// No connection is opened: there are as many as wanted or allowed, or a shared one takes transfers.
        case done
    }

    mutating func prepare(_ key: Key, count: Int, mayShare: Bool) -> Preparation {
        let origin = origins[key] ?? Origin()
        let wanted = min(count, limits.connectionsPerOrigin)
        if origin.idle.count + origin.busy >= wanted || origin.shared.contains(where: { $0.room > 0 }) { return .done }
        let mayOpen = origin.limitedConnections < wanted && hasPlace && !(mayShare && origin.opening > 0)
        guard mayOpen else { return origin.opening > 0 ? .wait : .done }
        origins[key] = origin
        origin.mayShare = mayShare
        origin.opening += 1
        connections += 1
        return .open
    }

    func waitingCount(for key: Key) -> Int { origins[key]?.waiting.count ?? 0 }

    func firstWaiting(for key: Key) -> Transfer? { origins[key]?.waiting.first?.transfer }

    mutating func withdraw(_ transfer: Transfer, from key: Key) {
        origins[key]?.waiting.removeAll { $0.transfer == transfer }
        removeIfEmpty(key)
    }

    /// Called when a transfer has ended on a connection; `room` as for `opened`.
    mutating func released(_ connection: Connection, of key: Key, room: Int? = nil) -> [Action] {
        guard let room else { return reuse(connection, of: key, isNew: false) }
        guard let origin = origins[key], let index = origin.index(of: connection) else { return [] }
        origin.shared[index].active -= 1
        if origin.shared[index].active == 0 { resting.append(connection) }
        return changedRoom(connection, of: key, to: room)
    }

    /// Gives a connection that carries one transfer at a time to a waiting transfer, or keeps it.
    private mutating func reuse(_ connection: Connection, of key: Key, isNew: Bool) -> [Action] {
        guard let origin = origins[key] else { return [] }
        // The transfers before `index` want new connections. Only if as many are being opened may a later one go first.
        let index = origin.waiting.firstIndex { isNew || !$0.wantsNew }
        if let index, isNew || index <= origin.coming {
            return [.use(connection, origin.waiting.remove(at: index).transfer)]
        }
        origin.busy -= 1
        origin.idle.append(connection)
        resting.append(connection)
        return origin.waiting.count > origin.coming ? [.close(connection)] : makeRoom()
    }

    /// - Parameters:
    ///   - room: How many transfers a shared connection takes; `nil` for a connection that carries one transfer at a
    ///     time.
    ///   - wasLate: Whether `isLate` was called for it.
    mutating func opened(
        _ connection: Connection, for key: Key, room: Int? = nil, wasLate: Bool = false
    ) -> [Action] {
        shortage = nil
        guard let origin = origins[key] else { return [] }
        origin.hasFailed = false
        origin.opening -= 1
        if wasLate { origin.hasLate = false }
        if let room {
            origin.shared.append(Shared(connection: connection, room: room))
            resting.append(connection)
            return changedRoom(connection, of: key, to: room)
        }
        let couldShare = origin.mayShare
        origin.mayShare = false
        origin.busy += 1
        let actions = reuse(connection, of: key, isNew: true)
        return couldShare ? actions + openAll(for: key) : actions
    }

    /// Called when a shared connection has room for more or fewer transfers; for none if it is about to be closed.
    mutating func changedRoom(
        _ connection: Connection, of key: Key, to room: Int, isDraining: Bool = false
    ) -> [Action] {
        guard let origin = origins[key], let index = origin.index(of: connection) else { return [] }
        origin.shared[index].room = room
        if isDraining { origin.shared[index].isDraining = true }
        var actions: [Action] = []
        while origin.shared[index].room > 0, !origin.waiting.isEmpty {
            actions.append(.use(take(index, of: origin), origin.waiting.removeFirst().transfer))
        }
        if !origin.waiting.isEmpty { actions += open(for: key) }
        return origin.shared[index].active == 0 ? actions + makeRoom() : actions
    }

    /// Called when a connection was closed, with or without transfers.
    mutating func closed(_ connection: Connection, of key: Key) -> [Action] {
        guard let origin = origins[key] else { return [] }
        if let index = origin.index(of: connection) {
            if origin.shared.remove(at: index).active == 0 { forgetResting(connection) }
        } else if let index = origin.idle.firstIndex(of: connection) {
            origin.idle.remove(at: index)
            forgetResting(connection)
        } else {
            origin.busy -= 1
        }
        connections -= 1
        return afterClosing(key)
    }

    /// Called when no connection could be opened. Returns the transfers that end with the error, and the next actions.
    ///
    /// All that waited for one shared connection end with a `lasting` error, which the next connection would meet too.
    /// Otherwise, and not twice in a row, the one that has waited longest ends, and another connection is opened.
    /// None ends if the connection was late and there are others, or if a late one can still carry them.
    mutating func failed(
        _ key: Key, lasting isLasting: Bool = true, wasLate: Bool = false
    ) -> ([Transfer], [Action]) {
        guard let origin = origins[key] else { return ([], []) }
        origin.opening -= 1
        connections -= 1
        let hasOther = wasLate ? origin.connections > 0 : origin.hasLate
        origin.hasLate = false
        guard !hasOther else { return ([], afterClosing(key)) }
        // Transfers for which another connection is still being opened wait for that one.
        let count =
            (isLasting || origin.hasFailed) && origin.mayShare && origin.connections == 0
            ? origin.waiting.count : min(1, max(0, origin.waiting.count - origin.coming))
        origin.hasFailed = true
        let transfers = origin.waiting.prefix(count).map(\.transfer)
        origin.waiting.removeFirst(count)
        return (transfers, afterClosing(key))
    }

    /// Called when the process has no file descriptor left. The transfer waits until a connection ends, and fails if
    /// there is no connection.
    mutating func lackedDescriptor(_ key: Key, wasLate: Bool = false) -> ([Transfer], [Action]) {
        guard connections > 1 else { return failed(key, wasLate: wasLate) }
        if wasLate { origins[key]?.hasLate = false }
        origins[key]?.opening -= 1
        connections -= 1
        shortage = connections
        return ([], open(for: key))
    }

    /// Called when the handshake of a connection takes long, and the server may never answer it. While it may turn out
    /// to be shared and several transfers wait, a second connection is opened.
    mutating func isLate(_ key: Key) -> [Action] {
        guard let origin = origins[key], origin.mayShare, origin.opening == 1 else { return [] }
        origin.hasLate = true
        return origin.waiting.count > 1 ? open(for: key) : []
    }

    private mutating func open(for key: Key) -> [Action] {
        guard let origin = origins[key], origin.waiting.count > origin.coming,
            !origin.mayShare || origin.coming == 0, !origin.isHeldBack
        else { return [] }
        guard origin.limitedConnections < limits.connectionsPerOrigin else {
            // Only transfers that want a new connection wait while connections are kept: the oldest makes room.
            return origin.idle.prefix(1).map { .close($0) }
        }
        if hasPlace {
            connections += 1
            origins[key]?.opening += 1
            return [.open(key)]
        }
        if !starving.contains(key) { starving.append(key) }
        return makeRoom()
    }

    private var hasPlace: Bool { connections < min(limits.connections, shortage ?? .max) }

    /// Closes the kept connection of another origin that has rested longest, if an origin waits for its place.
    private mutating func makeRoom() -> [Action] {
        guard !starving.isEmpty, let connection = resting.first else { return [] }
        return [.close(connection)]
    }

    private mutating func afterClosing(_ key: Key) -> [Action] {
        removeIfEmpty(key)
        var actions = openAll(for: key)
        while hasPlace, !starving.isEmpty { actions += openAll(for: starving.removeFirst()) }
        return actions
    }

    private mutating func openAll(for key: Key) -> [Action] {
        var actions: [Action] = []
        while hasPlace {
            let next = open(for: key)
            actions += next
            guard case .open = next.first else { break }
        }
        return actions
    }

    private mutating func removeIfEmpty(_ key: Key) {
        if origins[key]?.isEmpty == true { origins[key] = nil }
    }

    private mutating func forgetResting(_ connection: Connection) {
        if let index = resting.lastIndex(of: connection) { resting.remove(at: index) }
    }
}
