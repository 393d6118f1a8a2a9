import AsyncNetTesting
import Testing

@testable import AsyncNet

/// When a transfer keeps a test clock from moving.
@Suite("SupervisedTransfer", .timeLimit(.minutes(5)))
struct SupervisedTransferTests {
    @Test("A transfer counts as external work, except while it sleeps, until it becomes internal or ends")
    func sleeps() async throws {
        let clock = CountingClock()
        let transfer = SupervisedTransfer(clock)
        #expect(clock.externals == 1)
        try await transfer.sleep(for: .seconds(1))
        #expect(clock.seen == [0])
        #expect(clock.externals == 1)
        try await transfer.sleep(for: .seconds(1), on: clock)
        #expect(clock.seen == [0, 0])
        #expect(clock.externals == 1)
        transfer.becomeInternal()
        #expect(clock.externals == 0)
        try await transfer.sleep(for: .seconds(1))
        transfer.end()
        #expect(clock.externals == 0)
        #expect(clock.seen == [0, 0, 0])
    }

    @Test("A transfer with overlapping sleeps is external work again after the last sleep, unless it has ended")
    func overlaps() async throws {
        let clock = CountingClock()
        let transfer = SupervisedTransfer(clock)
        let (first, second) = (TestClock(), TestClock())
        let one = Task { try await transfer.sleep(for: .seconds(1), on: first) }
        let two = Task { try await transfer.sleep(for: .seconds(1), on: second) }
        await first.sleepers(atLeast: 1)
        await second.sleepers(atLeast: 1)
        #expect(clock.externals == 0)
        first.advance(by: .seconds(1))
        try await one.value
        #expect(clock.externals == 0)
        second.advance(by: .seconds(1))
        try await two.value
        #expect(clock.externals == 1)
        let last = Task { try await transfer.sleep(for: .seconds(1), on: first) }
        await first.sleepers(atLeast: 1)
        transfer.end()
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
        #expect(clock.externals == 0)
    }
}

/// Counts what is external, and does not sleep.
private final class CountingClock: SupervisedClock {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var externals = 0
        var seen: [Int] = []
    }

    private let state = Locked(State())
    let executor: any TaskExecutor = UserCode.threads

    var externals: Int { state.withLock { $0.externals } }
    /// How many transfers were external in each sleep.
    var seen: [Int] { state.withLock { $0.seen } }

    var now: Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        state.withLock { $0.seen.append($0.externals) }
    }

    func sleep(asLimitUntil deadline: Instant) async throws {}

    func begin(_ work: SupervisedWork) { state.withLock { $0.externals += work == .external ? 1 : 0 } }
    func end(_ work: SupervisedWork) { state.withLock { $0.externals -= work == .external ? 1 : 0 } }
}
