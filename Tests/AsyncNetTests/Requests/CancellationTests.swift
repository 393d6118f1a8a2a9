import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// At any state, in any order: exactly one outcome, at once, nothing left behind.
@Suite("Cancellation", .timeLimit(.minutes(5)))
struct CancellationTests {
    private static func stalled(_ arrived: Gate = Gate()) -> StubTransport {
        StubTransport { _ in
            arrived.open()
            return .fault(.stall)
        }
    }

    @Test("A request awaited by an already cancelled task is not sent")
    func before() async {
        let stub = Self.stalled()
        let request = Session(transport: stub).request("http://a/")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await request.serializing(Data.self).result
        }
        #expect(await task.value.failure?.code == .cancelled)
        #expect(await request.state == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    @Test("cancel() before a request's last step prevents the step, and cancel() after it changes nothing")
    func lastStep() async throws {
        let gate = Gate()
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("x")
        }
        let session = Session(transport: stub)
        let (cancelled, settled) = (session.request("http://a/"), session.request("http://a/"))
        await cancelled.cancel()
        let wasRun = Counter()
        let error = await #expect(throws: AsyncNetError.self) {
            try await cancelled.engine.settle { _ = wasRun.next() }
        }
        #expect(error?.code == .cancelled)
        #expect(wasRun.next() == 1)
        await settled.resume()
        _ = await stub.requests(atLeast: 1)
        try await settled.engine.settle {}
        // A cancel still ends the wait of a suspended request.
        await settled.suspend()
        await settled.cancel()
        gate.open()
        #expect(try await settled.serializing(String.self).value == "x")
    }

    @Test("Cancelling the only waiting task cancels the request", arguments: [false, true])
    func onlyWaiter(_ waitsForBody: Bool) async {
        let arrived = Gate()
        let stub = StubTransport { _ in
            arrived.open()
            return .fault(waitsForBody ? .stallMidBody(after: 5) : .stall)
        }
        let request = Session(transport: stub).request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        await arrived.wait()
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        #expect(await request.state == .cancelled)
    }

    @Test("Cancelling one of two waiting tasks ends its wait at once, and the other one gets the value")
    func oneOfTwo() async throws {
        let (gate, clock) = (Gate(), TestClock())
        let stub = StubTransport { _ in
            await gate.wait()
            return .json(User.json)
        }
        let request = Session(transport: stub, configuration: .init(clock: clock)).request("http://a/")
        let first = clock.task { await request.serializing(User.self).result }
        let second = clock.task { await request.serializing(User.self).result }
        await clock.settled()
        #expect(await request.engine.waiters.count == 2)
        first.cancel()
        #expect(await first.value.failure?.code == .cancelled)
        #expect(await request.state == .resumed)
        gate.open()
        #expect(try await second.value.get() == .ada)
        #expect(await request.state == .finished)
    }

    @Test("cancel() ends the wait of every task, and a second cancel() has no effect")
    func cancel() async {
        let arrived = Gate()
        let session = Session(transport: Self.stalled(arrived))
        let request = session.request("http://a/")
        let tasks = (0..<5).map { _ in Task { await request.serializing(Data.self).result } }
        await arrived.wait()
        await request.cancel()
        #expect(await session.requests.isEmpty)
        await request.cancel()
        for task in tasks { #expect(await task.value.failure?.code == .cancelled) }
        #expect(await request.state == .cancelled)
    }

    @Test("A request cancelled before its start is never sent")
    func cancelBeforeStart() async {
        let stub = Self.stalled()
        let request = Session(transport: stub).request("http://a/")
        await request.cancel()
        #expect(await request.serializing(Data.self).result.failure?.code == .cancelled)
        await request.resume()
        #expect(stub.requests.isEmpty)
    }

    @Test("Cancelling the task that awaits a suspended request cancels the request, which is not sent")
    func suspended() async {
        let (stub, clock) = (Self.stalled(), TestClock())
        let request = Session(transport: stub, configuration: .init(clock: clock)).request("http://a/")
        await request.suspend()
        let task = clock.task { await request.serializing(Data.self).result }
        await clock.settled()
        #expect(await request.engine.waiters.count == 1)
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        #expect(stub.requests.isEmpty)
    }

    @Test("cancel() after the end of a request has no effect")
    func afterEnd() async throws {
        let request = Session(transport: StubTransport { _ in .json(User.json) }).request("http://a/")
        _ = try await request.serializing(User.self).value
        await request.cancel()
        #expect(try await request.serializing(User.self).value == .ada)
        #expect(await request.state == .finished)
    }

    @Test("A transport that ignores cancellation does not delay the end of a cancelled request")
    func deafTransport() async {
        let (arrived, gate) = (Gate(), Gate())
        struct Deaf: Transport {
            let arrived: Gate
            let gate: Gate
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                arrived.open()
                await Task { await gate.wait() }.value
                throw AsyncNetError(.connectionLost)
            }
        }
        let session = Session(transport: Deaf(arrived: arrived, gate: gate))
        let request = session.request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        await arrived.wait()
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        gate.open()
        await session.finish()
        #expect(await request.serializing(Data.self).result.failure?.code == .cancelled)
    }

    @Test("A thousand races of cancel(), task cancellation and response end with exactly one outcome each")
    func races() async {
        let session = Session(
            transport: StubTransport { _ in
                await Task.yield()
                return .json(User.json)
            })
        for round in 0..<1000 {
            let request = session.request("http://a/")
            let task = Task { await request.serializing(User.self).result }
            for _ in 0..<(round % 7) { await Task.yield() }
            if round % 2 == 0 { task.cancel() } else { await request.cancel() }
            let result = await task.value
            #expect(result.failure == nil || result.failure?.code == .cancelled)
            let state = await request.state
            #expect(state == .finished || state == .cancelled)
        }
        await session.finish()
        #expect(await session.requests.isEmpty)
    }

    @Test("An ended or cancelled request is released")
    func leaks() async {
        final class Weak: Sendable {
            weak let request: RequestEngine?
            init(_ request: DataRequest) { self.request = request.engine }
        }
        let clock = TestClock()
        let session = Session(
            transport: StubTransport { $0.path == "/stall" ? .fault(.stall) : .json(User.json) },
            configuration: .init(clock: clock))
        var weak: [Weak] = []
        for round in 0..<300 {
            let request = session.request(round % 3 == 0 ? "http://a/stall" : "http://a/")
            weak.append(Weak(request))
            let task = clock.task { await request.validate().serializing(User.self).result }
            if round % 3 == 0 { task.cancel() }
            if round % 3 == 1 { await request.cancel() }
            _ = await task.value
        }
        await clock.settled()
        #expect(weak.allSatisfy { $0.request == nil })
    }
}
