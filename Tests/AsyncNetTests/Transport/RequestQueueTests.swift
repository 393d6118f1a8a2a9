import AsyncNetTesting
import Testing

@testable import AsyncNet

@Suite("Request queue", .timeLimit(.minutes(5)))
struct RequestQueueTests {
    private let clock = TestClock()

    private final class Admitted: Sendable {
        let priorities = Locked<[RequestPriority]>([])
        let perOrigin = Locked<[String: Int]>([:])
    }

    @Test("Waiting tasks get permits by priority")
    func order() async throws {
        let queue = RequestQueue(.init(perOrigin: 1))
        let first = try await queue.acquire(origin: "a")
        let admitted = Admitted()
        var tasks: [Task<Void, any Error>] = []
        for (index, priority) in [RequestPriority.low, .normal, .high].enumerated() {
            tasks.append(
                clock.task {
                    let slot = try await queue.acquire(origin: "a", priority: priority)
                    admitted.priorities.withLock { $0.append(priority) }
                    slot.release()
                })
            await clock.settled()
            #expect(queue.waitingCount == index + 1)
        }
        first.release()
        for task in tasks { try await task.value }
        #expect(admitted.priorities.withLock { $0 } == [.high, .normal, .low])
        #expect((queue.activeCount, queue.waitingCount, queue.originCount) == (0, 0, 0))
    }

    @Test("A cancelled wait for a permit ends at once and takes no permit", arguments: 0..<200)
    func cancelledWait(_: Int) async throws {
        let queue = RequestQueue(.init(perSession: 1))
        let first = try await queue.acquire(origin: "a")
        let task = clock.task { try await queue.acquire(origin: "b") }
        await clock.settled()
        #expect(queue.waitingCount == 1)
        task.cancel()
        // The only place is still taken: nothing but the cancel can end the wait.
        await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
        #expect((queue.activeCount, queue.waitingCount) == (1, 0))
        first.release()
        #expect(queue.originCount == 0)
        _ = try await queue.acquire(origin: "b")
    }

    @Test("A cancelled task gets no permit, even if one is free")
    func cancelledBefore() async {
        let queue = RequestQueue(.unlimited)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await queue.acquire(origin: "a")
        }
        task.cancel()
        #expect(await AsyncNetError.code { _ = try await task.value } == .cancelled)
        #expect(queue.activeCount == 0)
    }

    @Test("No permit is lost if a wait is cancelled while the permit is released", arguments: 0..<200)
    func cancelAgainstRelease(_ round: Int) async throws {
        let queue = RequestQueue(.init(perSession: 1))
        let first = try await queue.acquire(origin: "a")
        let task = clock.task { try? await queue.acquire(origin: "a").release() }
        if round % 2 == 0 {
            await clock.settled()
            #expect(queue.waitingCount == 1)
        }
        async let released: Void = first.release()
        task.cancel()
        await released
        await task.value
        #expect((queue.activeCount, queue.waitingCount, queue.originCount) == (0, 0, 0))
    }

    @Test("A permit that is released twice is given back once, and a deallocated one is given back")
    func release() async throws {
        let queue = RequestQueue(.init(perSession: 2))
        let one = try await queue.acquire(origin: "a")
        let other = try await queue.acquire(origin: "a")
        one.release()
        one.release()
        #expect(queue.activeCount == 1)
        withExtendedLifetime(other) {}
        do { _ = try await queue.acquire(origin: "b") }
        #expect(queue.activeCount <= 1)
    }

    @Test("A hundred tasks, some cancelled, never have more permits than the limits, and all end", arguments: 0..<200)
    func many(_ round: Int) async {
        let queue = RequestQueue(.init(perSession: 5, perOrigin: 2))
        let active = Admitted()
        let done = Counter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let task = Task {
                        let host = "\((index + round) % 4)"
                        let slot = try await queue.acquire(origin: host, priority: RequestPriority(rawValue: index % 9))
                        let isTooMany = active.perOrigin.withLock { active in
                            active[host, default: 0] += 1
                            return active[host, default: 0] > 2 || active.values.reduce(0, +) > 5
                        }
                        if isTooMany { Issue.record("too many") }
                        await Task.yield()
                        active.perOrigin.withLock { $0[host, default: 0] -= 1 }
                        done.add()
                        slot.release()
                    }
                    if index % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(done.value >= 66)
        #expect((queue.activeCount, queue.waitingCount, queue.originCount) == (0, 0, 0))
    }
}
