import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Session", .timeLimit(.minutes(5)))
struct SessionTests {
    @Test(
        "A request over a transport that another session has shut down throws .sessionFinished, and says so",
        arguments: TransportUnderTest.allCases)
    func sharedTransport(_ kind: TransportUnderTest) async throws {
        let transport = kind.make()
        func session(_ transport: some Transport) -> Session { Session(transport: transport) }
        let (first, second) = (session(transport), session(transport))
        await first.finish()
        let error = await second.request("http://127.0.0.1:1/").serializing(Data.self).result.failure
        #expect(error?.code == .sessionFinished)
        #expect(error?.message.contains("another session that uses it has finished") == true)
        #expect(error?.description.contains("A transport belongs to one session") == true)
    }

    @Test(
        "A URL with a colon and no scheme leads to unsupportedScheme, whose message suggests a fix",
        arguments: [
            ("documents:batchGet", true), ("localhost:8080/a", true), ("a.b-c:d?e:f#g", true), ("mailto:ada@h", true),
            ("ftp://h/a", false), ("ws://h/", false),
        ])
    func schemes(_ url: String, _ hasHint: Bool) async {
        for base in [nil, "http://h/v1/"] {
            let session = Session(transport: StubTransport { .text($0.target) }, configuration: .init(baseURL: base))
            let error = await session.request(url).serializing(String.self).response.error
            #expect(error?.code == .unsupportedScheme)
            #expect(error?.message.contains("needs ./ before it (RFC 3986 §4.2)") == hasHint)
            #expect(error?.message.contains("a host needs http:// before it") == hasHint)
        }
    }

    @Test(
        "A relative reference may have a colon after ./ or in a later segment",
        arguments: [("./documents:batchGet", "/v1/documents:batchGet"), ("a/b:c", "/v1/a/b:c"), ("?a:b", "/v1/?a:b")])
    func colons(_ reference: String, _ target: String) async throws {
        let session = Session(
            transport: StubTransport { .text($0.target) }, configuration: .init(baseURL: "http://h/v1/"))
        #expect(try await session.request(reference).serializing(String.self).value == target)
    }

    @Test("Running requests are listed by kind, the oldest first")
    func listing() async {
        let session = Session(transport: StubTransport { _ in .fault(.stall) })
        let requests = (0..<3).map { _ in session.request("http://a/") }
        for request in requests { await request.resume() }
        #expect(await session.requests.map(\.id) == requests.map(\.id))
        #expect(await session.requests(ofKind: .data).count == 3)
        #expect(await session.requests(ofKind: .download).isEmpty)
        await session.cancelAll()
        #expect(await session.requests.isEmpty)
        for request in requests { #expect(await request.state == .cancelled) }
    }

    @Test("finish() waits for running requests, refuses new ones, then shuts the transport down")
    func finish() async throws {
        final class Counted: Transport {
            let (arrived, gate, shutdowns) = (Gate(), Gate(), Counter())
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                arrived.open()
                await gate.wait()
                return TransportResponse(
                    head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Data()))
            }
            func shutdown() async { shutdowns.add() }
        }
        let (transport, clock) = (Counted(), TestClock())
        let session = Session(transport: transport, configuration: .init(clock: clock))
        let running = Task { try await session.request("http://a/").serializing(Data.self).value }
        await transport.arrived.wait()
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        #expect(await session.request("http://a/").serializing(Data.self).result.failure?.code == .sessionFinished)
        #expect(transport.shutdowns.value == 0)
        transport.gate.open()
        #expect(try await running.value.isEmpty)
        await finishing.value
        #expect(transport.shutdowns.value == 1)
        #expect(await session.requests.isEmpty)
    }

    @Test("A transport that blocks in its shutdown does not block the session")
    func blockingShutdown() async {
        struct Blocking: Transport {
            let entered = Gate()
            let end = DispatchSemaphore(value: 0)
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                throw AsyncNetError(.cannotConnect)
            }
            func shutdown() async {
                entered.open()
                block()
            }
            private func block() { end.wait() }
        }
        let transport = Blocking()
        let session = Session(transport: transport)
        let finishing = Task { await session.finish() }
        await transport.entered.wait()
        #expect(await session.requests.isEmpty)
        transport.end.signal()
        await finishing.value
    }

    @Test("A cancelled finish() returns at once, and the session still shuts down after its requests")
    func cancelledFinish() async {
        struct Counted: Transport {
            let base = StubTransport { _ in .fault(.stall) }
            let shutdowns = Counter()
            func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }
            func shutdown() async { shutdowns.add() }
        }
        let transport = Counted()
        let session = Session(transport: transport)
        let request = session.request("http://a/")
        await request.resume()
        let finishing = Task { await session.finish() }
        finishing.cancel()
        await finishing.value
        #expect(await request.state == .resumed)
        #expect(transport.shutdowns.value == 0)
        await request.cancel()
        await transport.shutdowns.reaches(1)
    }

    /// A session whose release opens a gate.
    private func session(untilRelease gate: Gate) -> Session {
        let token = DropToken(gate)
        return Session(transport: StubTransport { _ in withExtendedLifetime(token) { .json(User.json) } })
    }

    @Test("A session is kept alive by its running request")
    func lifetime() async throws {
        let released = Gate()
        var session: Session? = session(untilRelease: released)
        var request = session?.request("http://a/")
        session = nil
        #expect(try await request?.serializing(User.self).value == .ada)
        request = nil
        await released.wait()
    }

    @Test("A session that is finished more than once is released")
    func finishedTwice() async throws {
        let released = Gate()
        var session: Session? = session(untilRelease: released)
        await session?.finish()
        await session?.finish()
        session = nil
        await released.wait()
    }

    @Test("A request ends with timedOut exactly when the server was silent for the timeout")
    func timeout() async {
        let clock = TestClock()
        let session = Session(
            transport: StubTransport { _ in .fault(.stall) }, configuration: .init(timeout: .seconds(30), clock: clock))
        let request = session.request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30) - .nanoseconds(1))
        await clock.settled()
        #expect(await request.state == .resumed)
        clock.advance(by: .nanoseconds(1))
        let error = await task.value.failure
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("30.0 seconds") == true)
        #expect(error?.attempts == 1)
        #expect(await request.state == .finished)
    }

    /// Reports after 20 seconds what only observers need, and then nothing.
    private struct ReportingTransport: Transport {
        let clock: TestClock

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            try await clock.sleep(for: .seconds(20))
            request.onEvent?(.connected(ConnectionInfo(isReused: false)))
            request.onEvent?(.sentHead(SentHead(requestLine: "GET / HTTP/1.1", headers: [:])))
            try await clock.sleep(for: .seconds(1000))
            throw AsyncNetError(.connectionLost)
        }
    }

    @Test("A silent server leads to timedOut at the same time with and without a monitor", arguments: [false, true])
    func observedTimeout(isObserved: Bool) async {
        let clock = TestClock()
        let session = Session(
            transport: ReportingTransport(clock: clock),
            configuration: .init(monitors: isObserved ? [EventRecorder()] : [], timeout: .seconds(30), clock: clock))
        let request = session.request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        for seconds in [20, 10] {
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(seconds))
        }
        await clock.settled()
        #expect(await request.state == .finished)
        await request.cancel()
        #expect(await task.value.failure?.code == .timedOut)
    }

    @Test("An invalid base URL throws malformedURL")
    func badBase() async {
        let error = await Session(baseURL: "::", transport: StubTransport { _ in .status(200) }).get("x").serializing(
            Data.self
        ).result.failure
        #expect(error?.code == .malformedURL)
    }

    @Test("Session.shared and the top-level functions use the same session")
    func shared() async throws {
        let request = AsyncNet.request("nonsense")
        let error = await request.serializing(Data.self).result.failure
        #expect(error?.code == .malformedURL)
        // Tests of the testing library have requests there at the same time.
        #expect(await !Session.shared.requests.contains { $0.id == request.id })
    }
}
