import Testing

@testable import AsyncNet

@Suite("Latest durations", .timeLimit(.minutes(5)))
struct LatestDurationsTests {
    @Test(
        "A percentile is the nearest rank of the latest samples, and nil for fewer than 20 samples",
        arguments: [
            (0.95, 19, nil), (0.95, 20, 19), (0.95, 100, 95), (0.5, 20, 10), (0.5, 41, 21), (1, 50, 50), (0, 50, 1),
            (.nan, 50, 50), (7, 50, 50), (-1, 50, 1), (0.5, 1000, 872), (0, 1000, 745), (1, 1000, 1000),
        ] as [(Double, Int, Int?)])
    func percentile(_ percentile: Double, _ samples: Int, _ expected: Int?) {
        var durations = LatestDurations()
        for sample in 0..<samples { durations.add(.milliseconds(sample + 1)) }
        #expect(durations.percentile(percentile) == expected.map { .milliseconds($0) })
    }

    @Test("A percentile does not depend on the order of the samples")
    func order() {
        var durations = LatestDurations()
        for sample in (0..<25).map({ $0 * 7 % 25 }) { durations.add(.seconds(sample)) }
        #expect(durations.percentile(0.5) == .seconds(12))
    }
}
