/// The limits of one loop: its part of the transport's limits.
struct LoopLimits: Equatable {
    /// The largest number of connections to one origin.
    var connectionsPerOrigin: Int
    var connections: Int
    /// The largest number of connections that stay open without a transfer.
    var keptConnections: Int
}

/// Distributes a transport's connections and transfers over its loops.
struct LoopDistribution: Equatable {
    let loops: Int
    let limits: LoopLimits
    /// How many loops the transfers to one origin may use. Each has its share of the connections to the origin.
    private let loopsPerOrigin: Int

    /// With fewer connections than this, the transfers to an origin reuse connections better in a single loop.
    private static let connectionsPerLoop = 64
    private static let mostConnections = 1_000_000
    private static let mostLoops = 64

    /// - Parameters:
    ///   - loops: How many loops the configuration asks for; `nil` means one for each processor, at most 4.
    ///   - descriptors: How many file descriptors the process may open. Half of them are left for files and for
    ///     connections in use.
    init(connections: Int, connectionsPerOrigin: Int, loops: Int?, processors: Int, descriptors: Int) {
        // A small number of connections cannot be divided among several loops.
        let worthwhile = max(1, min(Self.mostLoops, connections / Self.connectionsPerLoop))
        self.loops = min(worthwhile, loops ?? min(4, max(1, processors)))
        loopsPerOrigin = min(self.loops, max(1, connectionsPerOrigin / Self.connectionsPerLoop))
        let share = min(Self.mostConnections, connections / self.loops)
        limits = LoopLimits(
            connectionsPerOrigin: min(Self.mostConnections, connectionsPerOrigin / loopsPerOrigin),
            connections: share, keptConnections: max(1, min(share, descriptors / 2 / self.loops)))
    }

    /// The loop for a transfer: the origin's own loop, where its connections are, until that loop has more transfers
    /// than connections for the origin; then the least loaded of the origin's loops.
    ///
    /// - Parameter load: How many transfers a loop has.
    func loop(for origin: OriginKey, load: (Int) -> Int) -> Int {
        let home = home(of: origin)
        guard loopsPerOrigin > 1, load(home) >= limits.connectionsPerOrigin else { return home }
        return loops(for: origin).min { load($0) < load($1) } ?? home
    }

    /// The loops that may serve an origin, its own loop first.
    func loops(for origin: OriginKey) -> some Sequence<Int> {
        let home = home(of: origin)
        return (0..<loopsPerOrigin).lazy.map { [loops] in (home + $0) % loops }
    }

    private func home(of origin: OriginKey) -> Int { Int(origin % UInt64(loops)) }
}
