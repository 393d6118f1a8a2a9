import Testing

@testable import AsyncNetTestSupport

@Suite("AwaitedCount", .timeLimit(.minutes(5)))
struct AwaitedCountTests {
    @Test("A wait ends when the count is reached, at once if it has been, or with its task")
    func waiting() async {
        let count = AwaitedCount()
        await count.reaches(0)
        let waiting = Task { await count.reaches(5) }
        let cancelled = Task { await count.reaches(100) }
        count.add(-3)
        count.add(3)
        count.add(2)
        await waiting.value
        await count.reaches(5)
        #expect(count.value == 5)
        cancelled.cancel()
        await cancelled.value
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await count.reaches(100)
        }.value
    }
}
