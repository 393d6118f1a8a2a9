import Testing

@testable import AsyncNet

@Suite("Tasks of attempts", .timeLimit(.minutes(5)))
struct AttemptTaskTests {
    private let error = AsyncNetError(.timedOut)

    private func code(_ work: () async throws -> Void) async -> AsyncNetError.Code? {
        do { try await work() } catch { return AsyncNetError(wrapping: error, as: .transportFailed).code }
        return nil
    }

    @Test("fail() cancels the part of the attempt that runs, and each later part")
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

    @Test("run() returns the value of a part of an attempt that returns although fail() cancelled it")
    func value() async throws {
        let task = AttemptTask()
        let value = try await task.run {
            task.fail(error)
            return 7
        }
        #expect(value == 7)
    }

    @Test("fail() between two parts of an attempt cancels the second, and fail() after the end cancels nothing")
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
