import AsyncNetTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import AsyncNet

/// Runs a task on a queue, and a check on another thread whenever the task is resumed, in the middle of the call that
/// resumes it.
private final class ResumeProbe: TaskExecutor {
    private let queue = DispatchQueue(label: "ResumeProbe")
    private let isBlocked = Atomic(false)
    private let checks = Atomic(0)
    private let check: @Sendable () -> Void

    init(_ check: @escaping @Sendable () -> Void = {}) { self.check = check }

    /// Whether the task was resumed after its start, and no check waited for a lock that the resuming thread held.
    var resumedFreely: Bool { checks.load(ordering: .relaxed) > 1 && !isBlocked.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        checks.add(1, ordering: .relaxed)
        if !ends(check) { isBlocked.store(true, ordering: .relaxed) }
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Returns when the task waits for something.
    func idle() { queue.sync {} }
}

/// Whether the code, on a thread of its own, ends while this thread waits; gives up so that a failing test ends.
private func ends(_ code: @escaping @Sendable () -> Void) -> Bool {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        code()
        end.signal()
    }
    return end.wait(timeout: .now() + 10) == .success
}

/// Swift holds a lock of a task while it calls the handlers of a cancel, and takes it to resume the task: a lock under
/// which a task is resumed must not be taken by a handler.
@Suite("Tasks that are resumed while they are cancelled", .timeLimit(.minutes(5)))
struct ResumedTaskTests {
    @Test("Cancelling a loop over a broadcast does not wait for the lock that send() holds")
    func broadcast() async {
        let broadcast = Broadcast<Int>(keepsLatest: true)
        broadcast.send(0)
        let probe = ResumeProbe()
        let received = Counter()
        let task = Task(executorPreference: probe) { for await _ in broadcast.observe() { received.add() } }
        await received.reaches(1)
        let isFree = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                probe.idle()
                var isFree = false
                // Values are compared under the lock. If the cancel waits for it, the value is not sent: the test ends.
                broadcast.send(
                    1,
                    unless: { _ in
                        isFree = ends { task.cancel() }
                        return !isFree
                    })
                continuation.resume(returning: isFree)
            }
        }
        await task.value
        #expect(isFree)
    }

    @Test("A broadcast releases the values that an ended loop has not read when another loop begins")
    func unread() {
        let broadcast = Broadcast<Counter>(keepsLatest: false)
        var (stream, value): (AsyncStream<Counter>?, Counter?) = (broadcast.observe(), Counter())
        weak let sent = value
        if let value { broadcast.send(value) }
        value = nil
        withExtendedLifetime(stream) { #expect(sent != nil) }
        stream = nil
        _ = broadcast.observe()
        #expect(sent == nil)
    }

    @Test("A network monitor holds no lock while it resumes its observers")
    func networkMonitor() async throws {
        let feed = PathFeed()
        let monitor = feed.monitor
        let probe = ResumeProbe { _ = monitor.paths.makeAsyncIterator() }
        let task = Task(executorPreference: probe) { await monitor.currentPath }
        await feed.isWatched(by: 1)
        probe.idle()
        feed.send(.unknown)
        #expect(await task.value == .unknown)
        #expect(probe.resumedFreely)
    }

    @Test("A mock server holds no lock while it resumes a test that waits for a request")
    func mockServer() async throws {
        let server = try await MockServer.start()
        let probe = ResumeProbe { _ = server.requests }
        let task = Task(executorPreference: probe) { await server.requests(atLeast: 1) }
        probe.idle()
        await server.enqueue(.text("a"))
        #expect(try await Session().request(server.url("/")).serializing(String.self).value == "a")
        await task.value
        #expect(probe.resumedFreely)
        await server.stop()
    }
}
