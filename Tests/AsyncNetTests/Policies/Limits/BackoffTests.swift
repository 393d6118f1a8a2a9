import Testing

@testable import AsyncNet

@Suite("Backoff", .timeLimit(.minutes(5)))
struct BackoffTests {
    private static func delay(_ backoff: Backoff, _ retry: Int) -> Duration {
        var random = SeededRandom(state: 1)
        return backoff.delay(retry: retry, using: &random)
    }

    private static func fixed(
        _ base: Double = 2, _ scale: Duration = .milliseconds(500), _ maximum: Duration = .seconds(3600)
    ) -> Backoff {
        Backoff(base: base, scale: scale, maximum: maximum, jitter: .none)
    }

    @Test(
        "The delay grows exponentially up to the maximum, for extreme numbers too",
        arguments: [
            (fixed(), 0, .milliseconds(500)), (fixed(), 1, .seconds(1)), (fixed(), 2, .seconds(2)),
            (fixed(), 10, .seconds(512)), (fixed(), 12, .seconds(2048)),
            (fixed(), 13, .seconds(3600)), (fixed(), 63, .seconds(3600)), (fixed(), 5000, .seconds(3600)),
            (fixed(), .max, .seconds(3600)), (fixed(), -1, .milliseconds(500)),
            (fixed(), .min, .milliseconds(500)), (fixed(3), 2, .milliseconds(4500)),
            (fixed(1), .max, .milliseconds(500)), (fixed(0.5), 10, .milliseconds(500)),
            (fixed(.nan), 10, .milliseconds(500)), (fixed(-2), 3, .milliseconds(500)),
            (fixed(.infinity), 0, .milliseconds(500)), (fixed(.infinity), 1, .seconds(3600)),
            (fixed(2, .zero), .max, .zero), (fixed(2, .seconds(-1)), 3, .zero),
            (fixed(2, .seconds(5), .seconds(1)), 0, .seconds(1)), (fixed(2, .seconds(1), .zero), 3, .zero),
            (fixed(2, .seconds(1), .seconds(-1)), 3, .zero),
            (fixed(2, .seconds(Int64.max), .seconds(Int64.max)), 99, .seconds(3_155_760_000)),
            (fixed(1.5, .nanoseconds(1)), 1, .nanoseconds(1)),
        ] as [(Backoff, Int, Duration)])
    func delays(_ backoff: Backoff, _ retry: Int, _ expected: Duration) {
        #expect(Self.delay(backoff, retry) == expected)
    }

    @Test(
        "Random delays with jitter cover the whole range of the jitter",
        arguments: [
            (Backoff.Jitter.full, 0, Duration.zero, Duration.milliseconds(500)), (.full, 2, .zero, .seconds(2)),
            (.full, 500, .zero, .seconds(30)),
            (.equal, 0, .milliseconds(250), .milliseconds(500)), (.equal, 2, .seconds(1), .seconds(2)),
            (.equal, 500, .seconds(15), .seconds(30)),
            (.none, 2, .seconds(2), .seconds(2)),
        ])
    func jitter(_ jitter: Backoff.Jitter, _ retry: Int, _ least: Duration, _ most: Duration) {
        var random = SeededRandom(state: 7)
        let backoff = Backoff(jitter: jitter)
        let delays = (0..<2000).map { _ in backoff.delay(retry: retry, using: &random) }
        #expect(delays.allSatisfy { least <= $0 && $0 <= most })
        let margin = (most - least) / 50
        #expect(delays.min() ?? most <= least + margin && delays.max() ?? least >= most - margin)
    }

    @Test("Random delays with jitter include both ends of the range")
    func ends() {
        struct Fixed: RandomNumberGenerator {
            let bits: UInt64
            mutating func next() -> UInt64 { bits }
        }
        var (low, high) = (Fixed(bits: 0), Fixed(bits: .max))
        #expect(Backoff(scale: .nanoseconds(3)).delay(retry: 0, using: &low) == .zero)
        #expect(Backoff(scale: .nanoseconds(3)).delay(retry: 0, using: &high) == .nanoseconds(3))
        #expect(Backoff(scale: .nanoseconds(3), jitter: .equal).delay(retry: 0, using: &low) == .nanoseconds(2))
        #expect(Backoff(jitter: .full).delay(retry: .max, using: &high) == .seconds(30))
    }
}
