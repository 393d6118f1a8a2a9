import Testing

@testable import AsyncNet

@Suite("Waiters of an outcome")
struct OutcomeWaitersTests {
    private final class Shared: Sendable {
        let waiters = Locked(OutcomeWaiters())
    }

    /// Adds so many waiters, removes some, and resumes the others.
    private func resumed(_ count: Int, removing removed: Set<Int>) async -> [Int] {
        let (started, ended) = (Counter(), Gate())
        let shared = Shared()
        return await withTaskGroup(of: Int?.self) { group in
            for number in 1...count {
                group.addTask {
                    let outcome = await withUnsafeContinuation { continuation in
                        shared.waiters.withLock { $0.add(number, continuation) }
                        started.add()
                        if started.value == count { ended.open() }
                    }
                    return outcome.error == nil ? number : nil
                }
            }
            await ended.wait()
            for number in removed {
                let continuation = shared.waiters.withLock { $0.remove(number) }
                continuation?.resume(returning: TransferOutcome(error: AsyncNetError(.cancelled)))
                #expect(continuation != nil)
                #expect(shared.waiters.withLock { $0.remove(number) } == nil)
            }
            #expect(shared.waiters.withLock { $0.count } == count - removed.count)
            shared.waiters.withLock { $0.resumeAll(returning: TransferOutcome()) }
            #expect(shared.waiters.withLock { $0.isEmpty })
            return await group.reduce(into: []) { if let number = $1 { $0.append(number) } }.sorted()
        }
    }

    @Test(
        "Each waiter is resumed once, by the end or by its removal",
        arguments: [(1, []), (1, [1]), (2, [1]), (2, [2]), (5, [1, 4])] as [(Int, Set<Int>)])
    func resuming(_ count: Int, _ removed: Set<Int>) async {
        #expect(await resumed(count, removing: removed) == (1...count).filter { !removed.contains($0) })
    }

    @Test("Each waiter has a different identifier")
    func identities() {
        var waiters = OutcomeWaiters()
        #expect((1...3).map { _ in waiters.newID() } == [1, 2, 3])
    }
}
