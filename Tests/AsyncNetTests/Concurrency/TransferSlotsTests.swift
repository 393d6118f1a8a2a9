import Testing

@testable import AsyncNet

@Suite("Transfer slots", .timeLimit(.minutes(5)))
struct TransferSlotsTests {
    @Test("Permits are granted in order, a cancelled wait takes none")
    func order() async throws {
        let slots = TransferSlots(1)
        try await slots.acquire()
        let cancelled = Task { try await slots.acquire() }
        cancelled.cancel()
        #expect(await AsyncNetError.code { _ = try await cancelled.value } == .cancelled)
        let next = Task { try await slots.acquire() }
        slots.release()
        try await next.value
        slots.release()
        try await slots.acquire()
    }

    @Test("A thousand tasks share three permits; each task that is not cancelled gets a permit")
    func many() async throws {
        let slots = TransferSlots(3)
        let done = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let task = Task<Void, any Error> {
                        try await slots.acquire()
                        await Task.yield()
                        slots.release()
                    }
                    if index % 3 == 0 { task.cancel() }
                    return (try? await task.value) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done >= 666)
        for _ in 0..<3 { try await slots.acquire() }
    }
}
