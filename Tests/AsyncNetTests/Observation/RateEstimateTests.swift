import Foundation
import Testing

@testable import AsyncNet

@Suite("Rates and remaining time")
struct RateEstimateTests {
    /// Updates the estimate in equal steps.
    private func rate(
        _ bytes: Int64, every step: Duration, times: Int, _ estimate: inout RateEstimate, from time: Duration = .zero,
        after moved: Int64 = 0
    ) {
        for number in 1...times { estimate.update(moved + bytes * Int64(number), at: time + step * number) }
    }

    @Test(
        "The estimate of a steady rate is accurate from the first step on, and too high for long steps",
        arguments: [
            (1, Duration.milliseconds(1), 1), (1, .milliseconds(1), 20_000), (1000, .seconds(1), 1),
            (1000, .seconds(1), 100), (60_000, .seconds(60), 3),
        ])
    func steady(_ bytes: Int64, _ step: Duration, _ times: Int) {
        var estimate = RateEstimate()
        rate(bytes, every: step, times: times, &estimate)
        // The bytes of a step count fully, its time as faded, so only steps much shorter than the memory of four
        // seconds give the exact rate.
        let expected = Double(bytes) / (step / .seconds(1))
        #expect(
            estimate.bytesPerSecond > expected * 0.99
                && estimate.bytesPerSecond < expected * (step > .seconds(2) ? 16 : 1.14))
    }

    @Test("An estimate that begins in the middle of a transfer starts with its average rate")
    func middle() {
        var estimate = RateEstimate()
        estimate.begin(at: 60_000, .seconds(60))
        #expect(abs(estimate.bytesPerSecond - 1000) < 1)
        rate(100, every: .milliseconds(100), times: 50, &estimate, from: .seconds(60), after: 60_000)
        #expect(abs(estimate.bytesPerSecond - 1000) < 50)
    }

    @Test("The estimate approaches a changed rate within some seconds")
    func change() {
        var estimate = RateEstimate()
        rate(100_000, every: .milliseconds(100), times: 100, &estimate)
        rate(10_000, every: .milliseconds(100), times: 1, &estimate, from: .seconds(10), after: 10_000_000)
        #expect(estimate.bytesPerSecond > 900_000)
        rate(10_000, every: .milliseconds(100), times: 200, &estimate, from: .seconds(10.1), after: 10_010_000)
        #expect(estimate.bytesPerSecond < 110_000 && estimate.bytesPerSecond > 99_000)
    }

    @Test("The rate is finite and not negative if bytes or time go back")
    func edges() {
        var estimate = RateEstimate()
        #expect(estimate.bytesPerSecond == 0)
        estimate.update(100, at: .zero)
        #expect(estimate.bytesPerSecond == 0)
        estimate.update(200, at: .seconds(1))
        estimate.update(50, at: .seconds(2))
        #expect(estimate.bytesPerSecond > 0 && estimate.bytesPerSecond.isFinite)
        estimate.update(.max, at: .seconds(1))
        #expect(estimate.bytesPerSecond.isFinite)
    }

    @Test(
        "The fraction and the remaining time follow from bytes, total and rate",
        arguments: [
            (50, 100, 10, 0.5, Duration.seconds(5)), (50, nil, 10, 0, nil), (50, 100, 0, 0.5, nil),
            (100, 100, 0, 1, .zero), (120, 100, 5, 1, .zero),
            (0, 0, 0, 1, .zero), (0, Int64.max, 1e-9, 0, .seconds(3_155_760_000)),
            (-1, .max, 1, 0, .seconds(3_155_760_000)),
        ] as [(Int64, Int64?, Double, Double, Duration?)])
    func remaining(_ done: Int64, _ total: Int64?, _ rate: Double, _ fraction: Double, _ time: Duration?) {
        let progress = TransferProgress(completedBytes: done, totalBytes: total, bytesPerSecond: rate)
        #expect(progress.fractionCompleted == fraction)
        #expect(progress.remainingTime == time)
    }
}
