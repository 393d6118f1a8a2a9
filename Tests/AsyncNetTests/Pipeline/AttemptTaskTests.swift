import Testing

@testable import AsyncNet

@Suite("Tasks of attempts", .timeLimit(.minutes(5)))
struct AttemptTaskTests {
    private let error = AsyncNetError(.timedOut)

    private func code(_ work: () async throws -> Void) async -> AsyncNetError.Code? {
        do { try await work() } catch { return AsyncNetError(wrapping: error, as: .transportFailed).code }
        return nil
    }

    @Test("A failure cancels the part of the attempt that runs, and each later part")
    func failure() async {
        let task = AttemptTask()
        let code = await code {
            try await task.run {
                task.fail(error)
                try Task.checkCancellation()
            }
        }
        #expect(code == .timedOut)
        #expect(await self.code { try await task.run { try Task.checkCancellation() } } == .timedOut)
    }

    @Test("A part that ends before its cancellation takes effect has its value")
    func value() async throws {
        let task = AttemptTask()
        let value = try await task.run {
            task.fail(error)
            return 7
        }
        #expect(value == 7)
    }

    @Test("A failure between two parts ends the second; after the attempt's end it is ignored")
    func end() async throws {
        let (task, timers) = (AttemptTask(), TimerQueue(TimeSource(ContinuousClock())))
        try await task.run {}
        task.end(timers)
        task.fail(error)
        #expect(await code { try await task.run { try Task.checkCancellation() } } == nil)
        let other = AttemptTask()
        try await other.run {}
        other.fail(error)
        #expect(await code { try await other.run { try Task.checkCancellation() } } == .timedOut)
    }
}
