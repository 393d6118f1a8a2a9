import Testing

@testable import AsyncNet

@Suite("Latency estimate", .timeLimit(.minutes(5)))
struct LatencyEstimateTests {
    @Test(
        "The nearest rank of the latest samples, none before there are enough",
        arguments: [
            (0.95, 100, 20, 19, nil), (0.95, 100, 20, 20, 19), (0.95, 100, 20, 100, 95), (0.5, 100, 1, 1, 1),
            (0.5, 100, 1, 4, 2), (1, 100, 1, 50, 50), (0, 100, 1, 50, 1),
            (.nan, 100, 1, 50, 50), (7, 100, 1, 50, 50), (-1, 100, 1, 50, 1), (0.5, 10, 1, 1000, 995),
            (0.5, 0, 0, 3, 3), (0.5, -1, -1, 3, 3), (1, .max, .max, 1023, nil),
            (1, .max, .max, 1024, 1024),
        ] as [(Double, Int, Int, Int, Int?)])
    func percentile(_ percentile: Double, _ capacity: Int, _ minimum: Int, _ samples: Int, _ expected: Int?) {
        var estimate = LatencyEstimate(percentile: percentile, capacity: capacity, minimum: minimum)
        for sample in 0..<samples { estimate.add(.milliseconds(sample + 1)) }
        #expect(estimate.value() == expected.map { .milliseconds($0) })
    }

    @Test("The order in which they came does not matter, and negative times are none")
    func order() {
        var estimate = LatencyEstimate(percentile: 0.5, capacity: 5, minimum: 5)
        for sample in [5, -1, 3, 2, 4] { estimate.add(.seconds(sample)) }
        #expect(estimate.value() == .seconds(3))
        for _ in 0..<4 { estimate.add(.seconds(-7)) }
        #expect(estimate.value() == .zero)
    }

    @Test("It follows a change within a sixteenth of the ring")
    func refresh() {
        var estimate = LatencyEstimate(percentile: 0, capacity: 160, minimum: 1)
        for _ in 0..<160 { estimate.add(.seconds(5)) }
        #expect(estimate.value() == .seconds(5))
        for _ in 0..<9 { estimate.add(.seconds(1)) }
        #expect(estimate.value() == .seconds(5))
        estimate.add(.seconds(1))
        #expect(estimate.value() == .seconds(1))
    }

    @Test("Hosts have estimates of their own, and only so many are remembered")
    func hosts() {
        let estimates = LatencyEstimates(LatencyEstimate(minimum: 1), capacity: 10)
        estimates.add(.seconds(1), origin: "a")
        #expect(estimates.value(origin: "a") == .seconds(1) && estimates.value(origin: "b") == nil)
        for host in 0..<1000 {
            estimates.add(.seconds(2), origin: "\(host)")
            #expect(estimates.value(origin: "a") == .seconds(1))
        }
        #expect(estimates.originCount <= 20)
    }
}
