import AsyncNetTesting
import Testing

@testable import AsyncNet

@Suite("Retry budget", .timeLimit(.minutes(5)))
struct RetryBudgetTests {
    private static func retries(_ state: inout RetryBudgetState, at now: Duration, limit: Int = 100_000) -> Int {
        (0..<limit).prefix { _ in state.withdraw(at: now) }.count
    }

    @Test(
        "The budget allows retries for a share of the first attempts, and a minimum",
        arguments: [
            (RetryBudget(), 0, 100), (.init(), 1000, 300), (.init(minimumPerSecond: 0), 4, 0),
            (.init(minimumPerSecond: 0), 5, 1),
            (.init(minimumPerSecond: 0), 1000, 200), (.init(ratio: 0, minimumPerSecond: 1), 1000, 10),
            (.init(ratio: 1.5, minimumPerSecond: 0), 10, 15),
            (.init(ratio: 0.333, minimumPerSecond: 0), 1000, 333),
            (.init(ratio: 0, minimumPerSecond: 0.5, window: .seconds(4)), 0, 2),
            (.init(ratio: .nan, minimumPerSecond: .nan), 1000, 0), (.init(ratio: -1, minimumPerSecond: -1), 1000, 0),
            (.init(ratio: .infinity, minimumPerSecond: 0), 3, 3000),
            (.init(ratio: 0, minimumPerSecond: .infinity, window: .milliseconds(10)), 0, 10_000),
            (.init(ratio: 0, minimumPerSecond: 1, window: .zero), 0, 0),
            (.init(ratio: 0, minimumPerSecond: 1, window: .seconds(-5)), 0, 0),
        ])
    func amount(_ budget: RetryBudget, _ attempts: Int, _ retries: Int) {
        var state = RetryBudgetState(budget)
        for _ in 0..<attempts { state.deposit(at: .zero) }
        #expect(Self.retries(&state, at: .zero) == retries)
    }

    @Test("First attempts and retries count until the window has passed, in ten slots")
    func expiry() {
        var state = RetryBudgetState(.init(ratio: 0.5, minimumPerSecond: 0, window: .seconds(10)))
        for _ in 0..<10 { state.deposit(at: .milliseconds(500)) }
        #expect(Self.retries(&state, at: .milliseconds(9999), limit: 2) == 2)
        #expect(Self.retries(&state, at: .seconds(10)) == 0)
        // A retry counts for as long as a first attempt, from the retry's own time.
        for _ in 0..<10 { state.deposit(at: .seconds(12)) }
        #expect(Self.retries(&state, at: .seconds(12)) == 3)
        for _ in 0..<4 { state.deposit(at: .seconds(20)) }
        #expect(Self.retries(&state, at: .seconds(20)) == 4)
    }

    @Test("The minimum of retries is available again after the window")
    func minimum() {
        var state = RetryBudgetState(.init(ratio: 0, minimumPerSecond: 1, window: .seconds(10)))
        #expect(Self.retries(&state, at: .zero) == 10)
        #expect(Self.retries(&state, at: .milliseconds(9999)) == 0)
        #expect(Self.retries(&state, at: .seconds(10)) == 10)
    }

    @Test(
        "Extreme windows and times do not trap",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)])
    func extremes(_ window: Duration) {
        var state = RetryBudgetState(.init(ratio: .infinity, minimumPerSecond: .infinity, window: window))
        for time in [Duration.zero, .seconds(1), .seconds(Int64.max), .zero] {
            state.deposit(at: time)
            _ = state.withdraw(at: time)
        }
    }

    @Test("Each origin has its own budget, and the number of remembered origins is limited")
    func hosts() {
        let budgets = RetryBudgets(.init(ratio: 0, minimumPerSecond: 0.1), time: TimeSource(TestClock()), capacity: 10)
        #expect(budgets.withdraw(origin: "a") && !budgets.withdraw(origin: "a"))
        #expect(budgets.withdraw(origin: "b"))
        for host in 0..<1000 {
            budgets.deposit(origin: "\(host)")
            #expect(!budgets.withdraw(origin: "a"), "the budget of an origin in use is kept")
        }
        #expect(budgets.originCount <= 20)
    }

    @Test("Concurrent retries are allowed only up to the budget", arguments: 0..<200)
    func concurrent(_: Int) async {
        let budgets = RetryBudgets(.init(ratio: 0.5, minimumPerSecond: 0), time: TimeSource(TestClock()))
        let granted = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { budgets.deposit(origin: "a") }
            for _ in 0..<30 { group.addTask { if budgets.withdraw(origin: "a") { granted.add() } } }
        }
        #expect(granted.value == 10)
    }
}

@Suite("Sliding sum", .timeLimit(.minutes(5)))
struct SlidingSumTests {
    @Test("The sliding sum is the sum of the latest ten slots", arguments: 0..<50)
    func random(_ seed: UInt64) {
        var random = SeededRandom(state: seed)
        var sum = SlidingSum(window: .seconds(10))
        var added: [(slot: Int, amount: Int64)] = []
        var now = 0
        for _ in 0..<500 {
            now += Int.random(in: 0...(Bool.random(using: &random) ? 700 : 12_000), using: &random)
            let amount = Int64.random(in: -5...5, using: &random)
            sum.add(amount, at: .milliseconds(now))
            added.append((now / 1000, amount))
            now += Int.random(in: 0...1500, using: &random)
            let expected = added.filter { $0.slot > now / 1000 - 10 }.reduce(0) { $0 + $1.amount }
            if sum.value(at: .milliseconds(now)) != expected { Issue.record("not the sum") }
        }
    }

    @Test("The sliding sum does not overflow, and its time does not go back")
    func extremes() {
        var sum = SlidingSum(window: .seconds(10))
        sum.add(.max, at: .seconds(5))
        sum.add(.max, at: .zero)
        #expect(sum.value(at: .zero) == .max)
        sum.add(.min + 1, at: .seconds(5))
        #expect(sum.value(at: .seconds(100)) == 0)
    }
}
