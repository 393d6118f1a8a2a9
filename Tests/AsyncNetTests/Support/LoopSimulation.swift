@testable import AsyncNet

/// Simulates 200 ms of requests to one origin, in virtual time: a request occupies its loop's thread for 50 µs, its
/// server responds after a fixed time, and then its client sends the next request.
struct LoopSimulation {
    private static let threadTime = Duration.microseconds(50)
    private static let end = Duration.milliseconds(200)

    private struct Loop {
        var load = LoopLoad(at: .zero)
        var work = 0
        var transfers = 0
        /// When the thread will have done all its work.
        var busyUntil = Duration.zero
    }

    private let distribution: LoopDistribution
    private var loops: [Loop]
    /// When each client sends its next request.
    private var clients: [Duration]
    private var ends: [(time: Duration, loop: Int, client: Int)] = []
    private(set) var requestsPerLoop: [Int]

    var requestsPerSecond: Double { Double(requestsPerLoop.reduce(0, +)) / (Self.end / .seconds(1)) }

    init(loops count: Int, concurrency: Int = 128, serverTime: Duration = .zero) {
        distribution = LoopDistribution(
            connections: 1000, connectionsPerOrigin: 256, loops: count, processors: count, descriptors: 1_000_000)
        loops = Array(repeating: Loop(), count: count)
        requestsPerLoop = Array(repeating: 0, count: count)
        clients = (0..<concurrency).map { .microseconds($0) }
        run(serverTime)
    }

    private mutating func run(_ serverTime: Duration) {
        while let next = clients.indices.min(by: { clients[$0] < clients[$1] }), clients[next] < Self.end {
            let now = clients[next]
            endTransfers(by: now)
            let loop = distribution.loop(for: 0) { index in
                LoopDistribution.Load(
                    transfers: loops[index].transfers, work: loops[index].transfers == 0 ? 0 : loops[index].work)
            }
            start(next, on: loop, at: now, serverTime)
        }
    }

    private mutating func endTransfers(by now: Duration) {
        for end in ends where end.time <= now { loops[end.loop].transfers -= 1 }
        ends.removeAll { $0.time <= now }
    }

    private mutating func start(_ client: Int, on index: Int, at now: Duration, _ serverTime: Duration) {
        let sleepsSince = loops[index].busyUntil
        let isAsleep = sleepsSince < now
        if let work = loops[index].load.slept(from: isAsleep ? sleepsSince : now, to: now) { loops[index].work = work }
        loops[index].busyUntil = max(now, sleepsSince) + Self.threadTime
        loops[index].transfers += 1
        let end = loops[index].busyUntil + serverTime
        ends.append((end, index, client))
        clients[client] = end
        if end <= Self.end { requestsPerLoop[index] += 1 }
    }
}
