/// The faults of a proxy, as a value.
struct FaultTable: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        let id: FaultProxy.FaultID
        var fault: FaultProxy.Fault
        let direction: FaultProxy.Direction
        var share: Double

        /// Whether the connection has the fault. Depends only on the share, the seed and the numbers of fault and
        /// connection, not on the order of events.
        func affects(_ connection: Int, seed: UInt64) -> Bool {
            if share >= 1 { return true }
            var random = SplitMix(
                seed: seed &+ UInt64(truncatingIfNeeded: id.number) << 32,
                stream: UInt64(truncatingIfNeeded: connection))
            return random.share() < share
        }
    }

    let seed: UInt64
    private(set) var entries: [Entry] = []
    private var lastNumber = 0

    init(seed: UInt64) { self.seed = seed }

    mutating func add(_ fault: FaultProxy.Fault, _ direction: FaultProxy.Direction, share: Double)
        -> FaultProxy.FaultID
    {
        lastNumber += 1
        let id = FaultProxy.FaultID(number: lastNumber)
        entries.append(Entry(id: id, fault: fault, direction: direction, share: share))
        return id
    }

    mutating func change(_ id: FaultProxy.FaultID, to fault: FaultProxy.Fault, share: Double?) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].fault = fault
        entries[index].share = share ?? entries[index].share
    }

    mutating func remove(_ id: FaultProxy.FaultID) { entries.removeAll { $0.id == id } }

    mutating func removeAll() { entries = [] }

    /// Whether the proxy refuses all connections.
    var isDown: Bool { entries.contains { $0.fault == .down && $0.share >= 1 } }

    /// Whether the proxy resets this connection.
    func isDown(for connection: Int) -> Bool {
        entries.contains { $0.fault == .down && $0.affects(connection, seed: seed) }
    }

    /// The faults of one direction of a connection, in the order in which they were added.
    func faults(of connection: Int, _ direction: FaultProxy.Direction) -> [Entry] {
        entries.filter { $0.fault != .down && $0.direction == direction && $0.affects(connection, seed: seed) }
    }
}
