import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Retries of requests", .timeLimit(.minutes(5)))
struct RetryingTests {
    private static let url = "http://a/x"

    /// A stub that sends one reply after the other, and then always the last one.
    private func stub(_ replies: MockResponse...) -> StubTransport {
        let rest = Locked(replies[...])
        return StubTransport { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .status(500) } }
    }

    private let fast = RetryPolicy(limit: 3, backoff: Backoff(scale: .zero, jitter: .none))

    @Test("A request is retried until it succeeds, whether or not it validates its status", arguments: [true, false])
    func success(_ validates: Bool) async throws {
        let stub = stub(.status(503), .fault(.closeBeforeHead), .text("done"))
        let session = Session(transport: stub, configuration: .init(interceptors: [fast]))
        let request = session.request(Self.url)
        if validates { request.validate() }
        let response = await request.serializing(String.self).response
        #expect(response.value == "done")
        #expect(response.metrics.attempts == 3)
        #expect(await request.retryCount == 2)
        #expect(stub.requests.count == 3)
    }

    @Test("A response that is not retried any more is delivered unchanged")
    func delivered() async throws {
        let stub = stub(.status(503, body: "sorry"))
        let session = Session(transport: stub, configuration: .init(interceptors: [fast]))
        #expect(try await session.request(Self.url).serializing(String.self).value == "sorry")
        #expect(stub.requests.count == 4)
        let error = await session.request(Self.url).validate().serializing(String.self).result.failure
        #expect(error?.code == .unacceptableStatus && error?.attempts == 4)
        #expect(await session.post(Self.url).serializing(String.self).response.statusCode == 503)
        #expect(stub.requests.count == 9)
    }

    @Test(
        "A retry is sent exactly after its delay, also before a deadline; a cancel ends the delay at once",
        arguments: ["end", "cancel", "deadline"])
    func waits(_ kind: String) async throws {
        let clock = TestClock()
        let stub = stub(.status(503, headers: ["Retry-After": "10"]), .text("done"))
        let session = Session(transport: stub, configuration: .init(interceptors: [fast], clock: clock))
        let request = session.request(Self.url)
        request.deadline(.seconds(kind == "deadline" ? 12 : 600))
        let task = clock.task { await request.serializing(String.self).result }
        await clock.settled()
        clock.advance(by: .milliseconds(9_999))
        await clock.settled()
        #expect(stub.requests.count == 1)
        switch kind {
        case "cancel":
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
        default:
            clock.advance(by: .milliseconds(1))
            #expect(try await task.value.get() == "done")
        }
        #expect(stub.requests.count == (kind == "cancel" ? 1 : 2))
    }

    @Test("A delay beyond the deadline ends the request at once; a stalled request ends at its deadline")
    func deadline() async throws {
        let clock = TestClock()
        let stub = stub(.status(503, headers: ["Retry-After": "10"]))
        let session = Session(
            transport: stub, configuration: .init(interceptors: [fast], deadline: .seconds(5), clock: clock))
        let late = await session.request(Self.url).serializing(String.self).response
        #expect(late.error?.code == .deadlineExceeded && late.statusCode == 503)
        #expect((late.error?.underlyingError as? AsyncNetError)?.code == .unacceptableStatus)
        #expect(stub.requests.count == 1)
        let stalled = StubTransport { _ in .fault(.stall) }
        let slow = Session(
            transport: stalled,
            configuration: .init(timeout: .seconds(100), deadline: .milliseconds(2500), clock: clock))
        let task = clock.task { await slow.request(Self.url).serializing(String.self).result.failure }
        await clock.settled()
        #expect(stalled.requests.count == 1)
        clock.advance(by: .milliseconds(2499))
        clock.advance(by: .milliseconds(1))
        let error = await task.value
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.description.contains("2.5 seconds") == true)
    }

    @Test("The timeout and the attemptTimeout end the attempt, and the request is retried", arguments: [true, false])
    func timeouts(_ isSilence: Bool) async throws {
        let clock = TestClock()
        let stub = stub(.fault(.stall), .text("done"))
        var policy = fast
        if !isSilence { policy.attemptTimeout = .seconds(3) }
        let session = Session(
            transport: stub,
            configuration: .init(interceptors: [policy], timeout: .seconds(isSilence ? 3 : 100), clock: clock))
        let task = clock.task { await session.request(Self.url).serializing(String.self).result }
        await clock.settled()
        #expect(stub.requests.count == 1)
        clock.advance(by: .seconds(3))
        #expect(try await task.value.get() == "done")
    }

    @Test("Retriers are called in order, the session's first, until one decides; .fail ends the request")
    func order() async throws {
        let asked = Locked<[String]>([])
        func retrier(_ name: String, _ decision: RetryDecision) -> Retrier {
            Retrier { _, context in
                asked.withLock { $0.append("\(name)\(context.attempt)") }
                return context.attempt == 1 ? decision : .doNotRetry
            }
        }
        let stub = stub(.status(500))
        let session = Session(
            transport: stub,
            configuration: .init(interceptors: [retrier("a", .doNotRetry), Interceptor([retrier("b", .doNotRetry)])]))
        _ = await session.request(Self.url).interceptor(retrier("c", .retry)).interceptor(retrier("d", .retry))
            .serializing(String.self).result
        #expect(asked.withLock { $0 } == ["a1", "b1", "c1", "a2", "b2", "c2", "d2"])
        let failing = session.request(Self.url)
        failing.interceptor(retrier("e", .fail(AsyncNetError(.validationFailed, "enough"))))
        #expect(await failing.serializing(String.self).result.failure?.message == "enough")
    }

    @Test("Each attempt adapts the original request, and its context has the number of the attempt")
    func adapted() async throws {
        let stub = stub(.status(503), .status(503), .text("done"))
        let adapter = Adapter { request, context in
            var request = request
            request.addValue("\(context.attempt)", forHTTPHeaderField: "X-Attempt")
            return request
        }
        _ = await Session(transport: stub, configuration: .init(interceptors: [adapter, fast])).request(Self.url)
            .serializing(String.self).result
        #expect(stub.requests.map { $0.headers["X-Attempt"] } == ["1", "2", "3"])
    }

    @Test("A one-time body is not sent again; a body in memory is sent whole by each attempt")
    func bodies() async throws {
        let once = stub(.status(503))
        let session = Session(transport: once, configuration: .init(interceptors: [fast]))
        _ = await session.upload(.stream(chunks("a"), length: nil), to: Self.url, method: .put).serializing(String.self)
            .result
        #expect(once.requests.count == 1)
        let again = stub(.status(503), .status(200))
        _ = await Session(transport: again, configuration: .init(interceptors: [fast])).upload(
            .data(Data("abc".utf8)), to: Self.url, method: .put
        ).serializing(String.self).result
        #expect(again.requests.map(\.body) == [Data("abc".utf8), Data("abc".utf8)])
    }

    @Test("A spent retry budget is reported once for a stream of events that is refused with 503")
    func budgetOfStream() async throws {
        let recorder = EventRecorder()
        let configuration = SessionConfiguration(
            interceptors: [fast], monitors: [recorder], retryBudget: RetryBudget(ratio: 0, minimumPerSecond: 0),
            clock: TestClock())
        let session = Session(transport: stub(.status(503)), configuration: configuration)
        let code = await AsyncNetError.code { for try await _ in session.stream(Self.url).serverSentEvents {} }
        #expect(code == .unacceptableStatus)
        await session.finish()
        #expect(recorder.steps().count { $0.contains("the retry budget is spent") } == 1)
    }

    @Test("The retry budget of a request's own origin is used for a retry after a redirect to another origin")
    func budgetOfRedirected() async throws {
        let stub = StubTransport { request in
            request.path == "/x" ? .status(302, headers: ["Location": "http://other/y"]) : .status(503)
        }
        let configuration = SessionConfiguration(
            interceptors: [fast], retryBudget: RetryBudget(ratio: 1, minimumPerSecond: 0), clock: TestClock())
        _ = await Session(transport: stub, configuration: configuration).request(Self.url).serializing(String.self)
            .result
        #expect(stub.requests.map(\.path) == ["/x", "/y", "/x", "/y"])
    }

    @Test("The retry budget limits the retries to an origin")
    func budget() async throws {
        let stub = stub(.status(503))
        let recorder = EventRecorder()
        let lines = Locked<[String]>([])
        let log = RequestLog(level: .errors) { line in lines.withLock { $0.append(line) } }
        let configuration = SessionConfiguration(
            interceptors: [fast], monitors: [recorder, log],
            retryBudget: RetryBudget(ratio: 0, minimumPerSecond: 0.5, window: .seconds(10)), clock: TestClock())
        let session = Session(transport: stub, configuration: configuration)
        for _ in 0..<10 { _ = await session.request(Self.url).serializing(String.self).result }
        #expect(stub.requests.count == 15)
        _ = await session.request("http://b/").serializing(String.self).result
        #expect(stub.requests.count == 19)
        let ends = recorder.steps(ofRequest: 9).suffix(3)
        #expect(ends.first == "1 not retried: the retry budget is spent" && ends.contains("1 finished"), "\(ends)")
        #expect(!recorder.steps(ofRequest: 10).contains { $0.contains("budget") }, "its retries were used up")
        await session.finish()
        #expect(
            lines.withLock { $0.count { $0.contains("level=warning") && $0.contains("event=retryBudgetSpent") } } == 9)
    }

    @Test(
        "A retried download continues its partial file; a stream is retried only before its head",
        arguments: TransportUnderTest.allCases)
    func sinks(_ transport: TransportUnderTest) async throws {
        let data = patternedData(300_000)
        let ranges = try await RangeServer(data)
        await ranges.start()
        await ranges.breakOff(after: 200_000)
        await ranges.after(1) { $0.breakOff(after: nil) }
        let session = transport.session(.init(interceptors: [fast]))
        let folder = try TemporaryFolder()
        let download = session.download(ranges.server.url(), to: .file(folder.url.appending(path: "f")))
        let file = try await download.value
        #expect(try Data(contentsOf: file) == data)
        #expect(await ranges.asked.count == 2)
        #expect(await ranges.asked.last == "bytes=200000-")
        await ranges.server.stop()
        try await withServer(.status(503), .text("abc"), .fault(.truncate(after: 10))) {
            (server: MockServer) async throws in
            var text = Data()
            for try await chunk in session.stream(server.url()).chunks { text += chunk }
            #expect(text == Data("abc".utf8))
            let broken = session.stream(server.url())
            await #expect { for try await _ in broken.chunks {} } throws: {
                ($0 as? AsyncNetError)?.code == .bodyEndedEarly
            }
            #expect(await broken.retryCount == 0)
        }
    }

    @Test("A response whose Retry-After is above the limit is delivered", arguments: [true, false])
    func tooLongRetryAfter(_ isValidated: Bool) async {
        let stub = StubTransport { _ in .status(503, headers: ["Retry-After": "61"], body: "busy") }
        let session = Session(transport: stub, configuration: .init(interceptors: [RetryPolicy()], clock: TestClock()))
        let request = session.request(Self.url)
        if isValidated { request.validate() }
        let response = await request.serializing(String.self).response
        #expect(response.data == Data("busy".utf8))
        #expect(response.error?.code == (isValidated ? .unacceptableStatus : nil))
        #expect(stub.requests.count == 1)
    }
}
