import Testing

@testable import AsyncNet

/// When a transfer with a limited rate may move bytes.
@Suite("Transfer rates")
struct TransferRateTests {
    private let start = ContinuousClock.now

    private func decision(_ rate: Int64, moved: Int64, after time: Duration) -> TransferRate.Decision {
        TransferRate(bytesPerSecond: rate, start: start).decision(after: moved, now: start + time)
    }

    @Test(
        "A rate allows the bytes of a tenth of a second at once; once more than half are moved, a transfer waits",
        arguments: [
            (1000, 0, 0, .move(atMost: 100)), (1000, 50, 0, .move(atMost: 50)),
            (1000, 51, 0, .wait(.milliseconds(51))), (1000, 1100, 1, .wait(.milliseconds(100))),
            (1000, 1000, 1, .move(atMost: 100)), (1000, 0, 3600, .move(atMost: 100)),
            (15, 0, 0, .move(atMost: 1)),
            (Int64.max, 1 << 60, 1, .move(atMost: 1 << 40)),
        ] as [(Int64, Int64, Int, TransferRate.Decision)])
    func decisions(_ rate: Int64, _ moved: Int64, _ seconds: Int, _ expected: TransferRate.Decision) {
        var decision = decision(rate, moved: moved, after: .seconds(seconds))
        if case .wait(let time) = decision { decision = .wait(.milliseconds(Int((time / .milliseconds(1)).rounded()))) }
        #expect(decision == expected)
    }

    @Test("A rate of one byte a second allows one byte, then no byte for a second")
    func slowest() {
        #expect(decision(1, moved: 0, after: .zero) == .move(atMost: 1))
        guard case .wait(let time) = decision(1, moved: 1, after: .zero) else {
            Issue.record("It moves more than its rate")
            return
        }
        #expect(time == .seconds(1))
    }
}
