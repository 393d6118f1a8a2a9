package struct LoopLimits: Equatable {
    package var connectionsPerOrigin: Int
    package var connections: Int
    package var keptConnections = Int.max
}

package struct LoopDistribution: Equatable {
    package let loops: Int
    package let limits: LoopLimits
    /// How many loops the transfers to one origin may use. Each loop has its share of the connections to the origin.
    private let loopsPerOrigin: Int

    /// How many connections make another loop worthwhile: fewer of them are reused better within a single loop.
    private static let connectionsPerLoop = 64
    /// A loop leaves new transfers to other loops while its thread works for more than this percentage of the time.
    private static let busy = 70
    /// A transfer goes to another loop, where it may need a new connection, only if that loop's thread works less by at
    /// least this many percentage points.
    private static let advantage = 20
    private static let mostConnections = 1_000_000
    private static let mostLoops = 64

    /// - Parameters:
    ///   - loops: How many loops are wanted; `nil` means half as many as there are processors, from 1 to 4. Fewer are
    ///     made if a loop would have less than 64 connections.
    ///   - descriptors: The process's limit of open files. libcurl keeps at most half as many connections for reuse,
    ///     over all loops; the number of open connections is not limited by it, and sockets do not use it.
    package init(connections: Int, connectionsPerOrigin: Int, loops: Int?, processors: Int, descriptors: Int) {
        // A small number of connections cannot be divided among several loops.
        let worthwhile = max(1, min(Self.mostLoops, connections / Self.connectionsPerLoop))
        self.loops = min(worthwhile, loops ?? min(4, max(1, processors / 2)))
        loopsPerOrigin = min(self.loops, max(1, connectionsPerOrigin / Self.connectionsPerLoop))
        let share = min(Self.mostConnections, connections / self.loops)
        limits = LoopLimits(
            connectionsPerOrigin: min(Self.mostConnections, connectionsPerOrigin / loopsPerOrigin),
            connections: share, keptConnections: max(1, min(share, descriptors / 2 / self.loops)))
    }

    package struct Load: Equatable {
        package var transfers = 0
        /// The part of the time that the loop's thread works, in percent.
        package var work = 0

        package init(transfers: Int = 0, work: Int = 0) {
            self.transfers = transfers
            self.work = work
        }
    }

    /// The loop for a transfer: its origin's first loop, which has the origin's connections; another loop if the first
    /// loop has no connection left for the transfer, or if its thread is busy and another loop's is not.
    package func loop(for origin: OriginKey, load: (Int) -> Load) -> Int {
        let home = home(of: origin)
        guard loopsPerOrigin > 1 else { return home }
        let own = load(home)
        if own.transfers >= limits.connectionsPerOrigin {
            return loops(for: origin).min { load($0).transfers < load($1).transfers } ?? home
        }
        guard own.work > Self.busy else { return home }
        let others = loops(for: origin).dropFirst().map { (loop: $0, load: load($0)) }
        let free = others.filter {
            $0.load.work <= own.work - Self.advantage && $0.load.transfers < limits.connectionsPerOrigin
        }
        return free.min { $0.load.work < $1.load.work }?.loop ?? home
    }

    func loops(for origin: OriginKey) -> some Sequence<Int> {
        let home = home(of: origin)
        return (0..<loopsPerOrigin).lazy.map { [loops] in (home + $0) % loops }
    }

    private func home(of origin: OriginKey) -> Int { Int(origin % UInt64(loops)) }
}
