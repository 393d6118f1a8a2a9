import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// End markers, repeated POSTs, and the time that events may take: what programs for language models need.
@Suite("Ends and timeouts of event streams", .timeLimit(.minutes(5)))
struct EventStreamEndTests {
    private struct Chunk: Codable, Equatable, Sendable { var n: Int }

    private static func events(_ text: String) -> MockResponse {
        .chunked([text], headers: ["Content-Type": "text/event-stream"])
    }

    // MARK: The end marker

    @Test("The end marker ends a loop over decoded values without an error or a reconnection")
    func marker() async throws {
        let stub = StubTransport { _ in
            Self.events("id: 1\nretry: 0\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\ndata: {\"n\":3}\n\n")
        }
        let session = Session(transport: stub)
        var found: [Chunk] = []
        for try await chunk in session.stream("http://a/", method: .post, parameters: Chunk(n: 0)).serverSentEvents(
            maximumLength: 32 << 20
        ).ending(with: "[DONE]").decoding(Chunk.self) {
            found.append(chunk)
        }
        #expect(found == [Chunk(n: 1), Chunk(n: 2)] && stub.requests.count == 1)
    }

    @Test("The end marker ends the request even if the iterator is kept, and is not delivered")
    func keptIterator() async throws {
        let stub = StubTransport { _ in
            Self.events("id: 1\nretry: 0\ndata: 1\n\ndata: [DONE]\n\n").with(.stallMidBody(after: 40))
        }
        let clock = TestClock()
        let stream = Session(transport: stub, configuration: .init(clock: clock)).stream("http://a/")
        var events = stream.serverSentEvents(reconnection: .always()).ending(with: "[DONE]").makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        #expect(try await events.next() == nil)
        #expect(try await events.next() == nil)
        #expect(await stream.state == .finished)
        await clock.settled()
        #expect(stub.requests.count == 1)
    }

    @Test(
        "A stream that its end marker ends has succeeded for monitors and logs, whatever the server does after it",
        arguments: [
            ["more"], [], ["data: more\n\n", ": comment\n\n", "data: more\n\n"],
        ], [HTTPMethod.get, .post])
    func markerIsSuccess(_ rest: [String], _ method: HTTPMethod) async throws {
        let (clock, recorder) = (TestClock(), EventRecorder(interests: .minimal))
        let lines = Locked<[String]>([])
        let log = RequestLog { line in lines.withLock { $0.append(line) } }
        let answer = MockResponse.chunked(
            ["id: 1\ndata: 1\n\n", "data: [DONE]\n\n"] + rest, headers: ["Content-Type": "text/event-stream"])
        // The first server sends nothing more after the marker, and does not end its response either.
        let stub = StubTransport { _ in rest == ["more"] ? answer.with(.stallMidBody(after: 29)) : answer }
        let session = Session(transport: stub, configuration: .init(monitors: [recorder, log], clock: clock))
        try await clock.run {
            let stream = session.stream("http://a/", method: method)
            for try await event in stream.serverSentEvents.ending(with: "[DONE]") { #expect(event.data == "1") }
            #expect(await stream.state == .finished)
        }
        await session.finish()
        #expect(recorder.steps().contains("1.1 ended delivered 200") && recorder.steps().last == "1 finished")
        #expect(lines.withLock { $0.count == 1 && $0[0].contains("level=info") && !$0[0].contains("error=") })
    }

    @Test("A stream that its end marker ends closes the half-open circuit of its origin")
    func markerClosesCircuit() async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            switch request.path {
            case "/fails": .status(500)
            case "/events":
                .chunked(["data: 1\n\n", "data: [DONE]\n\n"], headers: ["Content-Type": "text/event-stream"])
                    .with(.stallMidBody(after: 23))
            default: .text("x").delayed(by: .seconds(1))
            }
        }
        let breaker = CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10))
        let session = Session(transport: stub, configuration: .init(circuitBreaker: breaker, clock: clock))
        _ = await session.request("http://a/fails").serializing(Data.self).result
        #expect(await session.request("http://a/").serializing(Data.self).result.failure?.code == .circuitOpen)
        clock.advance(by: .seconds(10))
        for try await _ in session.stream("http://a/events").serverSentEvents.ending(with: "[DONE]") {}
        // Both are under way at once: a half-open circuit lets one of them pass.
        let errors = await clock.run {
            async let first = session.request("http://a/").serializing(String.self).result
            async let second = session.request("http://a/").serializing(String.self).result
            return await [first.failure?.code, second.failure?.code]
        }
        #expect(errors == [nil, nil])
        await session.finish()
    }

    @Test(
        "Only an event whose data is exactly the marker ends a stream",
        arguments: [
            ("data: [DONE]x\n\ndata: 2\n\n", ["[DONE]x", "2"]), ("data: [DONE]\ndata: 1\n\n", ["[DONE]\n1"]),
            ("event: [DONE]\ndata: 1\n\n", ["1"]), ("data:[DONE]\n\ndata: 2\n\n", []), ("data: 1\n\n", ["1"]),
        ])
    func notTheMarker(_ text: String, _ expected: [String]) async throws {
        let stream = Session(transport: StubTransport { _ in Self.events(text) }).stream("http://a/")
        var found: [String] = []
        for try await event in stream.serverSentEvents.ending(with: "[DONE]") { found.append(event.data) }
        #expect(found == expected)
    }

    // MARK: Repeated POSTs

    @Test(
        "A stream is retried before its first event, and never after it",
        arguments: [HTTPMethod.post, .get],
        [(": ping\nid: 1\n\n", 2), ("", 2), ("data: 1\n\n", 1)])
    func repeated(_ method: HTTPMethod, _ start: (String, Int)) async throws {
        let attempts = Counter()
        let stub = StubTransport { _ in
            attempts.add()
            let isFirst = attempts.value == 1
            return isFirst
                ? Self.events(start.0 + "...").with(.truncate(after: start.0.utf8.count)) : Self.events("data: 2\n\n")
        }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [Retrier { _, _ in .retry }], clock: TestClock()))
        var (found, code): ([String], AsyncNetError.Code?) = ([], nil)
        do {
            let stream = session.stream("http://a/", method: method)
            for try await event in stream.serverSentEvents(reconnection: .never) { found.append(event.data) }
        } catch { code = (error as? AsyncNetError)?.code }
        #expect(stub.requests.count == start.1)
        #expect(start.1 == 2 ? found == ["2"] && code == nil : found == ["1"] && code == .bodyEndedEarly)
    }

    @Test("A stream by POST with the reconnection .always is invalidConfiguration, and is not sent")
    func alwaysByPost() async throws {
        let stub = StubTransport { _ in Self.events("data: 1\n\n") }
        for method in [HTTPMethod.post, .put, .query] {
            let stream = Session(transport: stub).stream("http://a/", method: method)
            await #expect {
                for try await _ in stream.serverSentEvents(reconnection: .always()) {}
            } throws: { error in
                (error as? AsyncNetError).map {
                    $0.code == .invalidConfiguration && $0.message.contains("\(method)")
                        && $0.message.contains(".ifResumable()")
                } == true
            }
        }
        #expect(stub.requests.isEmpty)
    }

    // MARK: Time

    /// Responds with what a test feeds.
    private struct Fed: Transport {
        let chunks: AsyncStream<Data>
        private let feeder: AsyncStream<Data>.Continuation

        init() { (chunks, feeder) = AsyncStream.makeStream(of: Data.self) }

        func feed(_ text: String) { feeder.yield(Data(text.utf8)) }
        func finish() { feeder.finish() }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let head = HTTPResponseHead(
                statusCode: 200, url: request.head.url, headers: ["Content-Type": "text/event-stream"])
            return TransportResponse(head: head, body: TransportBody(chunks))
        }
    }

    private final class Found: Sendable {
        private let data = Locked<[String]>([])

        func add(_ text: String) { data.withLock { $0.append(text) } }
        var all: [String] { data.withLock { $0 } }
    }

    enum Step: Sendable {
        case seconds(Int)
        case ping
        case event(String)
    }

    @Test(
        "Comments do not extend firstEventTimeout and eventTimeout",
        arguments: [
            (30, nil, [.seconds(29), .ping, .seconds(1)], "The first event did not arrive within 30.0 seconds"),
            (
                30, 25,
                [.seconds(29), .event("1"), .ping, .seconds(24), .event("2"), .seconds(24), .ping, .seconds(1)],
                "No event followed the last one within 25.0 seconds"
            ),
            (
                nil, 25, [.seconds(40), .event("1"), .seconds(20), .ping, .seconds(5)],
                "No event followed the last one within 25.0 seconds"
            ),
            (30, nil, [.seconds(29), .event("1"), .seconds(50)], nil), (nil, nil, [.seconds(50), .ping], nil),
        ] as [(Int?, Int?, [Step], String?)])
    func times(_ first: Int?, _ next: Int?, _ steps: [Step], _ message: String?) async {
        let (clock, server, found) = (TestClock(), Fed(), Found())
        let session = Session(
            transport: server, configuration: .init(interceptors: [Retrier { _, _ in .retry }], clock: clock))
        let timers = session.environment.timers
        let events = session.stream("http://a/", method: .post).serverSentEvents(
            firstEventTimeout: first.map { .seconds($0) }, eventTimeout: next.map { .seconds($0) })
        let loop = clock.task {
            for try await event in events { found.add(event.data) }
        }
        var expected: [String] = []
        // The timer of the request's silence, and that of the event if it has a limit.
        await clock.settled()
        #expect(timers.count == (first == nil ? 1 : 2))
        for step in steps {
            switch step {
            case .seconds(let seconds): clock.advance(by: .seconds(seconds))
            case .ping: server.feed(": ping\n")
            case .event(let data):
                server.feed("data: \(data)\n\n")
                expected.append(data)
                await clock.settled()
                #expect(found.all == expected)
                #expect(timers.count == (next == nil ? 1 : 2))
            }
        }
        if message == nil { server.finish() }
        var error: AsyncNetError?
        do { try await loop.value } catch let failure { error = failure as? AsyncNetError }
        #expect(found.all == expected)
        let code: AsyncNetError.Code? = message == nil ? nil : .eventTimedOut
        #expect(error?.message == message && error?.code == code)
    }

    @Test("The attemptTimeout of a retry policy limits a stream only up to its head")
    func attemptTimeout() async throws {
        let (clock, server, found) = (TestClock(), Fed(), Found())
        let configuration = SessionConfiguration(
            interceptors: [RetryPolicy(limit: 0, attemptTimeout: .seconds(5))], clock: clock)
        let stream = Session(transport: server, configuration: configuration).stream("http://a/")
        #expect(try await stream.head.statusCode == 200)
        clock.advance(by: .seconds(20))
        let loop = clock.task { for try await event in stream.serverSentEvents { found.add(event.data) } }
        server.feed("data: 1\n\n")
        await clock.settled()
        #expect(found.all == ["1"])
        server.finish()
        try await loop.value

        let silent = Session(transport: StubTransport { _ in .fault(.stall) }, configuration: configuration)
        let late = clock.task { for try await _ in silent.stream("http://a/").serverSentEvents {} }
        await clock.settled()
        #expect(silent.environment.timers.count == 2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: AsyncNetError.self) { try await late.value }
        #expect(error?.code == .timedOut && error?.message.contains("attemptTimeout of 5.0 seconds") == true)
        #expect(error.map { "\($0)".contains("sent nothing") } == false)
    }
}
