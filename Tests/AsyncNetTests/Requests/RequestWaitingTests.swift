import AsyncNetTesting
import Dispatch
import Testing

@testable import AsyncNet

/// The tasks that wait for the outcome of one request.
@Suite("Waiting for a request", .timeLimit(.minutes(5)))
struct RequestWaitingTests {
    @Test("Cancelling a waiting task while the request ends does not cancel the request for other tasks")
    func leavingWaiter() async throws {
        let session = HeldSession(StubTransport { _ in .text("x") })
        let head = HTTPRequestHead(method: .get, url: try "http://a/".asURL())
        let request = RequestEngine(RequestBlueprint { _ in TransportRequest(head: head) }, session: session)
        let first = Task { await request.transferOutcome() }
        await session.hasEnded.wait()
        let second = Task { await request.transferOutcome() }
        while await request.waiters.count < 2 { await Task.yield() }
        second.cancel()
        #expect(await second.value.error?.code == .cancelled)
        session.mayReturn.open()
        #expect(await first.value.error == nil)
    }

    @Test(
        "A request ends even if the executor of the task that started it stops running jobs",
        arguments: TransportUnderTest.allCases)
    func suspendedExecutor(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
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
private actor HeldSession: RequestSession {
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
