import Testing

@testable import AsyncNet

@Suite("Tasks of attempts", .timeLimit(.minutes(5)))
struct AttemptTaskTests {
    /// Counts the hops that are taken and ended.
    private final class Trace: RequestTrace {
        let (taken, ended) = (Counter(), Counter())

        func takeHop() -> (@Sendable (AsyncNetError) -> Void)? {
            taken.add()
            return { [ended] _ in ended.add() }
        }

        func beginHop(_ request: inout TransportRequest, isRedirected: Bool) {}
        func received(_ head: HTTPResponseHead) {}
        func endHop(_ error: (any Error)?) {}
        func end(_ error: AsyncNetError?) {}
        func branch(_ kind: TraceBranch) -> any RequestTrace { self }
    }

    @Test("A timeout ends the hop of its attempt, and after the attempt's end no other hop")
    func hop() async throws {
        let (trace, error) = (Trace(), AsyncNetError(.timedOut))
        let task = AttemptTask(trace)
        #expect(await Self.code(of: task, failing: error) == .timedOut)
        #expect(trace.ended.value == 1)
        task.fail(error)
        #expect(trace.taken.value == 1)
        let finished = AttemptTask(trace)
        let value = try await finished.run { 7 }
        #expect(value == 7)
        finished.fail(error)
        #expect(trace.taken.value == 1)
    }

    private static func code(of task: AttemptTask, failing error: AsyncNetError) async -> AsyncNetError.Code? {
        do {
            try await task.run {
                task.fail(error)
                try Task.checkCancellation()
            }
            return nil
        } catch {
            return (error as? AsyncNetError)?.code
        }
    }
}
