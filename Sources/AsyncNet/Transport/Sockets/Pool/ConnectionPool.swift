/// Decides which connection carries a transfer, and when one is opened: a value without I/O.
///
/// A transfer takes the connection to its origin that was used last. Without one it waits, and a connection is opened if
/// the limits allow it; the first connection that is ready, a new or a released one, goes to whoever has waited longest.
/// So a transfer is not bound to the connection that was opened because of it, and its cancel ends no other's.
struct ConnectionPool<Key: Hashable, Connection: Hashable, Transfer: Hashable>: ~Copyable {
    struct Limits: Equatable {
        var connectionsPerOrigin: Int
        var connections: Int
    }

    enum Action: Equatable {
        /// Send the transfer on this kept connection.
        case use(Connection, Transfer)
        /// Open a connection for this origin; `opened` or `failed` tells how that ended.
        case open(Key)
        /// Close a kept connection, whose place is needed.
        case close(Connection)
    }

    /// An object, so that a change of its lists copies none of them.
    private final class Origin {
        /// The kept connections, that of the last use last.
        var idle: [Connection] = []
        var opening = 0
        var busy = 0
        /// The transfers that wait, with those of the highest priority first, otherwise in order.
        var waiting: [(transfer: Transfer, priority: Int)] = []
        var connections: Int { idle.count + opening + busy }
        var isEmpty: Bool { connections == 0 && waiting.isEmpty }
    }

    private let limits: Limits
    private var origins: [Key: Origin] = [:]
    private var connections = 0
    /// The largest number of connections for which the process has file descriptors, since one more could not be opened.
    private var shortage: Int?
    /// Origins whose transfers wait for a place among all connections, in order.
    private var starving: [Key] = []
    /// The origin of each kept connection, that of the longest rest first.
    private var resting: [(connection: Connection, key: Key)] = []

    init(_ limits: Limits) { self.limits = limits }

    var isEmpty: Bool { connections == 0 && origins.values.allSatisfy { $0.waiting.isEmpty } }
    var idleCount: Int { resting.count }

    // MARK: Transfers

    /// - Returns: The kept connection on which a transfer is sent now; `nil` if there is none.
    mutating func takeIdle(for key: Key) -> Connection? {
        guard let origin = origins[key], let connection = origin.idle.popLast() else { return nil }
        origin.busy += 1
        forgetResting(connection)
        return connection
    }

    /// Lets a transfer wait for a connection, a new one if there is none to take or the transfer wants none.
    ///
    /// - Returns: What to do, in order.
    mutating func wait(_ transfer: Transfer, for key: Key, priority: Int = 0) -> [Action] {
        let origin = origins[key] ?? Origin()
        origins[key] = origin
        let place = origin.waiting.firstIndex { $0.priority < priority } ?? origin.waiting.count
        origin.waiting.insert((transfer, priority), at: place)
        return open(for: key)
    }

    /// The transfer that gets the next connection.
    func firstWaiting(for key: Key) -> Transfer? { origins[key]?.waiting.first?.transfer }

    /// Takes back a transfer that waits; does nothing if it does not.
    mutating func withdraw(_ transfer: Transfer, from key: Key) {
        origins[key]?.waiting.removeAll { $0.transfer == transfer }
        removeIfEmpty(key)
    }

    // MARK: Connections

    /// A connection is ready for its first transfer, or for the next one.
    mutating func released(_ connection: Connection, of key: Key) -> [Action] {
        guard let origin = origins[key] else { return [] }
        guard !origin.waiting.isEmpty else {
            origin.busy -= 1
            origin.idle.append(connection)
            resting.append((connection, key))
            return makeRoom()
        }
        let transfer = origin.waiting.removeFirst().transfer
        return [.use(connection, transfer)]
    }

    mutating func opened(_ connection: Connection, for key: Key) -> [Action] {
        shortage = nil
        origins[key]?.opening -= 1
        origins[key]?.busy += 1
        return released(connection, of: key)
    }

    /// A connection could not be opened. - Returns: the transfer that ends with the error, if one waits, and what follows.
    mutating func failed(_ key: Key) -> (Transfer?, [Action]) {
        origins[key]?.opening -= 1
        connections -= 1
        let transfer = origins[key].flatMap { $0.waiting.first?.transfer }
        if transfer != nil { origins[key]?.waiting.removeFirst() }
        return (transfer, afterClosing(key))
    }

    /// A connection could not be opened because the process has no file descriptor left: the transfer waits for one of the
    /// pool's connections to end, and fails if there is none.
    mutating func lackedDescriptor(_ key: Key) -> (Transfer?, [Action]) {
        guard connections > 1 else { return failed(key) }
        origins[key]?.opening -= 1
        connections -= 1
        shortage = connections
        return (nil, open(for: key))
    }

    /// A connection that carried a transfer is closed.
    mutating func closedBusy(_ key: Key) -> [Action] {
        origins[key]?.busy -= 1
        connections -= 1
        return afterClosing(key)
    }

    /// A kept connection is closed: by its server, or since its time is over.
    mutating func closedIdle(_ connection: Connection, of key: Key) -> [Action] {
        guard let index = origins[key]?.idle.firstIndex(of: connection) else { return [] }
        origins[key]?.idle.remove(at: index)
        forgetResting(connection)
        connections -= 1
        return afterClosing(key)
    }

    // MARK: Opening

    /// Opens as many connections as wait for one and the limits allow.
    private mutating func open(for key: Key) -> [Action] {
        guard let origin = origins[key], origin.waiting.count > origin.opening,
            origin.connections < limits.connectionsPerOrigin
        else { return [] }
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
        guard !starving.isEmpty, let (connection, _) = resting.first else { return [] }
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
            guard !next.isEmpty else { break }
            actions += next
        }
        return actions
    }

    private mutating func removeIfEmpty(_ key: Key) {
        if origins[key]?.isEmpty == true { origins[key] = nil }
    }

    private mutating func forgetResting(_ connection: Connection) {
        if let index = resting.lastIndex(where: { $0.connection == connection }) { resting.remove(at: index) }
    }
}
