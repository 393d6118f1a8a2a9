import AsyncNetTesting
import Testing

@testable import AsyncNet

@Suite("Token bucket", .timeLimit(.minutes(5)))
struct TokenBucketTests {
    @Test(
        "A burst is sent at once, then one request each interval",
        arguments: [
            (RateLimit(requests: 2, per: .seconds(1)), [0, 0, 500, 1000, 1500]),
            (.init(requests: 10, per: .seconds(1), burst: 1), [0, 100, 200, 300]),
            (.init(requests: 1, per: .seconds(60), burst: 3), [0, 0, 0, 60_000, 120_000]),
            (.init(requests: 0, per: .seconds(1), burst: 0), [0, 1000, 2000]),
            (.init(requests: -3, per: .seconds(1), burst: -1), [0, 1000]),
        ] as [(RateLimit, [Int])])
    func burst(_ limit: RateLimit, _ milliseconds: [Int]) {
        var bucket = TokenBucket(limit)
        for (index, expected) in milliseconds.enumerated() {
            #expect(bucket.earliest(behind: index, at: .zero) == .milliseconds(expected))
        }
        for expected in milliseconds {
            let time = bucket.earliest(behind: 0, at: .zero)
            #expect(time == .milliseconds(expected))
            if time > .zero { #expect([bucket.take(at: time - .nanoseconds(1))] == [false]) }
            #expect([bucket.take(at: time)] == [true])
        }
    }

    @Test("The bucket refills to the burst and no further")
    func filling() {
        var bucket = TokenBucket(.init(requests: 2, per: .seconds(1), burst: 2))
        #expect(bucket.isFull(at: .zero))
        #expect((0..<3).map { _ in bucket.take(at: .zero) } == [true, true, false])
        #expect(!bucket.isFull(at: .milliseconds(999)) && bucket.isFull(at: .seconds(1)))
        #expect((0..<3).map { _ in bucket.take(at: .milliseconds(500)) } == [true, false, false])
        #expect((0..<3).map { _ in bucket.take(at: .seconds(100)) } == [true, true, false])
    }

    @Test("A rate with an interval of fractional nanoseconds does not drift", arguments: [3, 7, 999_983])
    func drift(_ requests: Int) {
        var bucket = TokenBucket(.init(requests: requests, per: .seconds(1), burst: 1))
        var now = Duration.zero
        let count = min(requests * 1000, 5000)
        for _ in 0..<count {
            now = bucket.earliest(behind: 0, at: now)
            if !bucket.take(at: now) { Issue.record("not at the time it said") }
        }
        let exact = Double(count - 1) / Double(requests)
        #expect(abs(now / .nanoseconds(1) - exact * 1e9) < 1.001)
    }

    @Test(
        "A timer that is up to 20 milliseconds late does not delay later requests",
        arguments: [
            ([(100, 0), (200, 0), (300, 0)]), ([(100, 5), (200, 19), (300, 0), (400, 20), (500, 1)]),
            ([(100, 21), (201, 0), (301, 30), (411, 0)]), ([(100, 1000), (1180, 0), (1280, 0)]),
        ] as [[(Int, Int)]])
    func lateness(_ wakeUps: [(due: Int, late: Int)]) {
        var bucket = TokenBucket(.init(requests: 10, per: .seconds(1), burst: 1))
        #expect([bucket.take(at: .zero)] == [true])
        var now = Duration.zero
        for (due, late) in wakeUps {
            #expect(bucket.earliest(behind: 0, at: now) == .milliseconds(due))
            now = .milliseconds(due + late)
            #expect([bucket.take(at: now, hasWaited: true)] == [true])
        }
    }

    @Test(
        "With late timers the rate is kept, and no window exceeds the burst and the lateness",
        arguments: [
            (1000, 1), (100, 1), (997, 1), (10, 1), (100, 10), (5000, 3),
        ])
    func windows(_ rate: Int, _ burst: Int) {
        var random = SeededRandom(state: UInt64(rate + burst))
        var bucket = TokenBucket(.init(requests: rate, per: .seconds(1), burst: burst))
        var (now, gone) = (Duration.zero, [Duration]())
        while gone.count < 2000 {
            now = bucket.earliest(behind: 0, at: now) + .microseconds(Int.random(in: 0...20_000, using: &random))
            while bucket.take(at: now, hasWaited: true) { gone.append(now) }
        }
        let ideal = Double(2000 - burst) / Double(rate)
        #expect(now / .seconds(1) <= ideal + 0.021)
        for (index, start) in gone.enumerated() {
            let most = { (last: Int) in
                Double(burst) + Double(rate) * ((gone[last] - start) / .seconds(1) + 0.02) + 0.001
            }
            for last in [index, index + 1, index + 5, index + 50]
            where last < gone.count && Double(last - index + 1) > most(last) {
                Issue.record("\(last - index + 1) from \(start) to \(gone[last])")
            }
        }
    }

    @Test("A request that comes later than its token does not make the next token earlier")
    func noCredit() {
        var bucket = TokenBucket(.init(requests: 10, per: .seconds(1), burst: 1))
        #expect([bucket.take(at: .zero), bucket.take(at: .milliseconds(110))] == [true, true])
        #expect(bucket.earliest(behind: 0, at: .milliseconds(110)) == .milliseconds(210))
    }

    @Test(
        "Extreme rate limits do not trap",
        arguments: [
            RateLimit(requests: .max, per: .seconds(Int64.max), burst: .max),
            .init(requests: .min, per: .seconds(Int64.min), burst: .min),
            .init(requests: .max, per: .zero), .init(requests: 1, per: .seconds(Int64.max), burst: 1),
        ])
    func extremes(_ limit: RateLimit) {
        var bucket = TokenBucket(limit)
        for time in [Duration.zero, .seconds(1), .seconds(9_000_000_000), .seconds(Int64.max)] {
            _ = bucket.take(at: time)
            #expect(bucket.earliest(behind: .max - 1, at: time) >= time)
            _ = bucket.isFull(at: time)
        }
    }
}

@Suite("Rate limiter", .timeLimit(.minutes(5)))
struct RateLimiterTests {
    private final class Departures: Sendable {
        let order = Locked<[Int]>([])
        var sorted: [Int] { order.withLock { $0.sorted() } }
        func add(_ one: Int) { order.withLock { $0.append(one) } }
    }

    private let clock = TestClock()

    private func limiter(_ limit: RateLimit) -> RateLimiter {
        RateLimiter(limit, time: TimeSource(clock))
    }

    @Test("Each request waits for its token, to the nanosecond", arguments: 0..<200)
    func turns(_: Int) async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(1)))
        try await limiter.acquire(origin: "a")
        let departures = Departures()
        let tasks = (1...3).map { number in
            clock.task {
                try await limiter.acquire(origin: "a")
                departures.add(number)
            }
        }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 3)
        for count in 1...3 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(1) - .nanoseconds(1))
            #expect(limiter.waitingCount(origin: "a") == 4 - count)
            clock.advance(by: .nanoseconds(1))
            await clock.settled()
            #expect(departures.sorted.count == count)
        }
        for task in tasks { try await task.value }
    }

    @Test("Waiting requests are admitted at fixed times even if timers are late", arguments: 0..<200)
    func fixedTimes(_: Int) async throws {
        let limiter = limiter(.init(requests: 10, per: .seconds(1), burst: 1))
        try await limiter.acquire(origin: "a")
        let tasks = (0..<5).map { _ in clock.task { try await limiter.acquire(origin: "a") } }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 5)
        for (step, left) in [(115, 4), (84, 4), (1, 3), (109, 2), (91, 1), (100, 0)] {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(step))
            await clock.settled()
            #expect(limiter.waitingCount(origin: "a") == left)
        }
        for task in tasks { try await task.value }
    }

    @Test("Requests are admitted in the order of arrival, a burst at once")
    func order() async throws {
        let limiter = limiter(.init(requests: 2, per: .seconds(2)))
        for _ in 0..<2 { try await limiter.acquire(origin: "a") }
        let departures = Departures()
        for number in 0..<4 {
            _ = clock.task {
                try await limiter.acquire(origin: "a")
                departures.add(number)
            }
            await clock.settled()
            #expect(limiter.waitingCount(origin: "a") == number + 1)
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await clock.settled()
        #expect(departures.sorted == [0])
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        await clock.settled()
        #expect(departures.sorted == [0, 1, 2])
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        await clock.settled()
        #expect(departures.sorted == [0, 1, 2, 3])
    }

    @Test("A cancelled wait ends at once, and the next waiting request takes its place", arguments: 0..<200)
    func cancel(_: Int) async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(1)))
        try await limiter.acquire(origin: "a")
        let cancelled = clock.task { try await limiter.acquire(origin: "a") }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 1)
        let behind = clock.task { try await limiter.acquire(origin: "a") }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 2)
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        try await behind.value
    }

    @Test("The limiter sleeps only while a request waits")
    func cancelAll() async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(1)))
        try await limiter.acquire(origin: "a")
        for _ in 0..<2 {
            let task = clock.task { try await limiter.acquire(origin: "a") }
            await clock.settled()
            #expect(limiter.waitingCount(origin: "a") == 1)
            #expect(clock.sleeperCount == 1)
            task.cancel()
            _ = await task.result
            #expect(clock.sleeperCount == 0)
        }
        let next = clock.task { try await limiter.acquire(origin: "a") }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 1)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        try await next.value
        #expect(clock.sleeperCount == 0)
    }

    @Test("A request whose task was cancelled takes no token")
    func cancelledBefore() async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(1)))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await limiter.acquire(origin: "a")
        }
        task.cancel()
        #expect(await AsyncNetError.code { _ = try await task.value } == .cancelled)
        try await limiter.acquire(origin: "a")
    }

    @Test("A request whose token comes after its deadline fails at once")
    func deadline() async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(10)))
        try await limiter.acquire(origin: "a", until: .zero)
        await #expect {
            try await limiter.acquire(origin: "a", until: .seconds(10) - .nanoseconds(1))
        } throws: {
            guard let error = $0 as? AsyncNetError else { return false }
            return error.code == .deadlineExceeded && error.message.contains("in 10.0 seconds")
        }
        let waiting = clock.task { try await limiter.acquire(origin: "a", until: .seconds(10)) }
        await clock.settled()
        #expect(limiter.waitingCount(origin: "a") == 1)
        // Its token would come after 20 seconds, behind the waiting request's.
        #expect(
            await AsyncNetError.code { _ = try await limiter.acquire(origin: "a", until: .seconds(19)) }
                == .deadlineExceeded)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(10))
        try await waiting.value
    }

    @Test(
        "The limit applies to each origin or to all together, as its scope says",
        arguments: [(RateLimit.Scope.origin, true), (.session, false)])
    func scope(_ scope: RateLimit.Scope, _ isFree: Bool) async {
        let limiter = limiter(.init(requests: 1, per: .seconds(1), scope: scope))
        try? await limiter.acquire(origin: "a", until: .zero)
        let isLetGo = (try? await limiter.acquire(origin: "b", until: .zero)) != nil
        #expect(isLetGo == isFree)
    }

    @Test("Origins whose bucket is full are forgotten")
    func bounded() async throws {
        let limiter = limiter(.init(requests: 1, per: .seconds(1)))
        for host in 0..<1000 {
            try await limiter.acquire(origin: "\(host)")
            clock.advance(by: .milliseconds(100))
        }
        #expect(limiter.originCount <= 64)
        for host in 0..<1000 { try await limiter.acquire(origin: "busy \(host)") }
        #expect(limiter.originCount >= 1000)
    }
}
