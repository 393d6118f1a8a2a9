import Testing

@testable import AsyncNet

/// How a transport's connections and transfers are distributed over its loops.
@Suite("Loop distribution")
struct LoopDistributionTests {
    struct Case: Sendable {
        var connections = 1000
        var perOrigin = 64
        var loops: Int?
        var processors = 8
        var descriptors = 1_000_000
        let expected: (loops: Int, limits: LoopLimits)
    }

    @Test(
        "The limits of connections are divided among the loops",
        arguments: [
            Case(expected: (4, LoopLimits(connectionsPerOrigin: 64, connections: 250, keptConnections: 250))),
            Case(
                perOrigin: 6, loops: 1,
                expected: (1, LoopLimits(connectionsPerOrigin: 6, connections: 1000, keptConnections: 1000))),
            // Few connections are not divided.
            Case(
                connections: 100, perOrigin: 100,
                expected: (1, LoopLimits(connectionsPerOrigin: 100, connections: 100, keptConnections: 100))),
            Case(
                connections: 1, perOrigin: 1, loops: 8,
                expected: (1, LoopLimits(connectionsPerOrigin: 1, connections: 1, keptConnections: 1))),
            // An origin uses as many loops as have 64 connections for it each.
            Case(
                perOrigin: 200,
                expected: (4, LoopLimits(connectionsPerOrigin: 66, connections: 250, keptConnections: 250))),
            Case(
                perOrigin: 1000,
                expected: (4, LoopLimits(connectionsPerOrigin: 250, connections: 250, keptConnections: 250))),
            // One loop for two processors, at most 4 unless the configuration asks for more.
            Case(
                processors: 2,
                expected: (1, LoopLimits(connectionsPerOrigin: 64, connections: 1000, keptConnections: 1000))),
            Case(
                processors: 5,
                expected: (2, LoopLimits(connectionsPerOrigin: 64, connections: 500, keptConnections: 500))),
            Case(
                processors: 16,
                expected: (4, LoopLimits(connectionsPerOrigin: 64, connections: 250, keptConnections: 250))),
            Case(
                loops: 8, processors: 16,
                expected: (8, LoopLimits(connectionsPerOrigin: 64, connections: 125, keptConnections: 125))),
            // libcurl keeps at most half as many connections as there are descriptors.
            Case(
                descriptors: 400,
                expected: (4, LoopLimits(connectionsPerOrigin: 64, connections: 250, keptConnections: 50))),
            Case(
                descriptors: 1,
                expected: (4, LoopLimits(connectionsPerOrigin: 64, connections: 250, keptConnections: 1))),
            Case(
                connections: .max, perOrigin: .max, loops: 1,
                expected: (
                    1,
                    LoopLimits(
                        connectionsPerOrigin: 1_000_000, connections: 1_000_000, keptConnections: 500_000)
                )),
        ])
    func limits(_ test: Case) {
        let distribution = LoopDistribution(
            connections: test.connections, connectionsPerOrigin: test.perOrigin, loops: test.loops,
            processors: test.processors, descriptors: test.descriptors)
        #expect(distribution.loops == test.expected.loops)
        #expect(distribution.limits == test.expected.limits)
    }

    @Test(
        "A transfer uses its origin's first loop until that is full, then the origin's loop with the fewest transfers",
        arguments: [
            (origin: OriginKey(0), perOrigin: 128, loads: [0, 0, 0, 0], expected: 0),
            (1, 128, [0, 0, 0, 0], 1),
            (7, 128, [0, 0, 0, 0], 3),
            (0, 128, [63, 0, 0, 0], 0),
            (0, 128, [64, 3, 0, 0], 1),
            // Only the origin's loops: two of 64 connections.
            (0, 128, [64, 64, 0, 0], 0),
            (3, 128, [9, 0, 0, 64], 0),
            (3, 256, [9, 8, 7, 64], 2),
            // An origin with a single loop stays there.
            (2, 100, [0, 0, 1000, 0], 2),
        ])
    func selection(_ origin: OriginKey, _ perOrigin: Int, _ loads: [Int], _ expected: Int) {
        let distribution = LoopDistribution(
            connections: 1000, connectionsPerOrigin: perOrigin, loops: 4, processors: 4, descriptors: 1_000_000)
        #expect(distribution.loop(for: origin) { LoopDistribution.Load(transfers: loads[$0]) } == expected)
    }

    @Test(
        "A transfer leaves a loop that works over 70 % of the time for one that works 20 points less",
        arguments: [
            (work: [70, 0, 0, 0], transfers: [9, 0, 0, 0], expected: 0),
            ([71, 52, 60, 70], [9, 9, 9, 9], 0),
            ([71, 51, 60, 70], [9, 9, 9, 9], 1),
            ([100, 80, 30, 40], [9, 9, 9, 9], 2),
            // The connections of a loop to an origin are limited.
            ([100, 80, 30, 40], [9, 9, 64, 9], 3),
            ([100, 80, 30, 40], [9, 9, 64, 64], 1),
        ])
    func busyThreads(_ work: [Int], _ transfers: [Int], _ expected: Int) {
        let distribution = LoopDistribution(
            connections: 1000, connectionsPerOrigin: 256, loops: 4, processors: 4, descriptors: 1_000_000)
        let loop = distribution.loop(for: 0) { LoopDistribution.Load(transfers: transfers[$0], work: work[$0]) }
        #expect(loop == expected)
    }

    @Test("Throughput of one busy origin grows with the number of loops")
    func growth() {
        let throughput = [1, 2, 4].map { LoopSimulation(loops: $0).requestsPerSecond }
        #expect(throughput[0] > 19_000 && throughput[0] <= 20_000)
        #expect(throughput[1] / throughput[0] > 1.8)
        #expect(throughput[2] / throughput[0] > 3.3)
    }

    @Test("All requests of an origin stay on its loop while that is not busy")
    func staying() {
        let simulation = LoopSimulation(loops: 4, concurrency: 16, serverTime: .milliseconds(2))
        #expect(simulation.requestsPerLoop.dropFirst().allSatisfy { $0 == 0 })
    }
}
