import AsyncNetTesting
import Dispatch
import Testing

@testable import AsyncNet

/// The way of an outcome from the transport's thread to the task that waits for it.
@Suite("Handback")
struct HandbackTests {
    private let thread = TestThread()
    private let outcome = TransferOutcome(error: AsyncNetError(.timedOut))

    @Test("A waiter gets the outcome after the jobs of the round, not before")
    func afterJobs() async throws {
        let handback = Handback(thread)
        let waiter = Task.immediate { await handback.outcome() }
        #expect(handback.deliver(outcome))
        #expect(thread.targets.count == 1)
        thread.runTargets()
        #expect(await waiter.value === outcome)
    }

    @Test("A waiter that comes after the outcome gets it at once")
    func lateWaiter() async {
        let handback = Handback(thread)
        #expect(handback.deliver(outcome))
        #expect(thread.targets.isEmpty)
        #expect(await handback.outcome() === outcome)
    }

    @Test("A delivered outcome reaches its waiter in spite of a later abandonment")
    func abandonedLate() async {
        let handback = Handback(thread)
        let waiter = Task.immediate { await handback.outcome() }
        #expect(handback.deliver(outcome))
        handback.abandon()
        thread.runTargets()
        #expect(await waiter.value === outcome)
    }

    @Test("An abandonment before the outcome resumes the waiter, and nobody takes the outcome")
    func abandoned() async {
        let handback = Handback(thread)
        let waiter = Task.immediate { await handback.outcome() }
        handback.abandon()
        #expect(await waiter.value == nil)
        #expect(!handback.deliver(outcome))
        #expect(await handback.outcome() == nil)
    }

    @Test("A driver that begins after an abandonment is cancelled")
    func lateDriver() async {
        let handback = Handback(thread)
        handback.abandon()
        let driver = Task { _ = try? await Task.sleep(for: .seconds(3600)) }
        handback.begin(driver)
        #expect(driver.isCancelled)
        await driver.value
    }
}

/// What does not run on the transport's thread.
@Suite("Requests on the transport's thread", .timeLimit(.minutes(5)))
struct LoopRequestTests {
    @Test("Nothing runs there in a session with a clock or a cookie jar of the user's")
    func foreignCode() {
        let transport = LibcurlTransport()
        #expect(Environment(SessionConfiguration(), transport).loopTransport != nil)
        #expect(Environment(SessionConfiguration(clock: TestClock()), transport).loopTransport == nil)
        var configuration = SessionConfiguration()
        configuration.cookieJar = CookieJar()
        #expect(Environment(configuration, transport).loopTransport == nil)
    }

    @Test("A waiter that leaves while the request ends does not cancel it for the others")
    func leavingWaiter() async throws {
        let transport = LibcurlTransport()
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let host = HeldHost(transport)
            let head = HTTPRequestHead(method: .get, url: server.url())
            let request = RequestEngine(RequestBlueprint(isQuick: true) { TransportRequest(head: head) }, host: host)
            let first = Task { await request.transferOutcome() }
            await host.hasEnded.wait()
            let second = Task { await request.transferOutcome() }
            while await request.waiterCount == 0 { await Task.yield() }
            second.cancel()
            #expect(await second.value.error?.code == .cancelled)
            host.mayReturn.open()
            #expect(await first.value.error == nil)
        }
        await transport.shutdown()
    }

    @Test("A request ends though the executor of the task that started it does not run its jobs")
    func suspendedExecutor() async throws {
        let session = Session(transport: .libcurl())
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let executor = QueueExecutor()
            let request = session.request(server.url())
            let first = Task(executorPreference: executor) { try await request.serializing(String.self).value }
            _ = try await server.takeRequest()
            executor.queue.suspend()
            #expect(try await request.serializing(String.self).value == "x")
            executor.queue.resume()
            #expect(try await first.value == "x")
        }
        await session.finish()
    }
}

/// A session that takes its time to remove a request.
private actor HeldHost: RequestHost {
    nonisolated let environment: Environment
    nonisolated let hasEnded = Gate()
    nonisolated let mayReturn = Gate()

    init(_ transport: any Transport) { environment = Environment(SessionConfiguration(), transport) }

    func begin(_ request: RequestEngine) throws(AsyncNetError) -> Purpose {
        environment.transfers.begin()
        return Purpose(in: environment.identity)
    }

    func end(_ id: RequestID) async {
        hasEnded.open()
        await mayReturn.wait()
    }
}

private final class QueueExecutor: TaskExecutor {
    let queue = DispatchQueue(label: "test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A loop's thread whose rounds end when the test says so.
private final class TestThread: LoopExecutor {
    private let collected = Locked<[any LoopTarget]>([])

    var targets: [any LoopTarget] { collected.withLock { $0 } }

    func runTargets() {
        for target in targets { target.jobsHaveRun() }
    }

    func afterJobs(_ target: any LoopTarget) { collected.withLock { $0.append(target) } }
    func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(job) }
}
