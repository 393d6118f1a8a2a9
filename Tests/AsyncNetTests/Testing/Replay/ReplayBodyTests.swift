import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

@Suite("Replayed bodies and failures", .timeLimit(.minutes(5)))
struct ReplayBodyTests {
    typealias Request = RecordedExchange.Request
    typealias Response = RecordedExchange.Response

    /// What arrives for a request: chunks, events and the error, as texts.
    private func received(_ transport: ReplayTransport, _ line: String) async -> [String] {
        let told = Locked<[String]>([])
        @Sendable func tell(_ text: String) { told.withLock { $0.append(text) } }
        let request = Request(line)
        var sent = TransportRequest(head: HTTPRequestHead(method: request.method, url: request.url))
        sent.onEvent = { event in
            switch event {
            case .informational(let head): tell("\(head.statusCode) \(head.headers)")
            case .trailers(let trailers): tell("trailers \(trailers)")
            default: break
            }
        }
        do {
            let response = try await transport.send(sent)
            let head = response.head
            tell("\(head.statusCode) \(head.reasonPhrase ?? "-") \(head.httpVersion ?? "-") \(head.headers)")
            for try await chunk in response.body { tell(String(decoding: chunk, as: UTF8.self)) }
            tell("end")
        } catch { tell("\((error as? AsyncNetError)?.code.rawValue ?? "\(error)")") }
        return told.withLock { $0 }
    }

    private func transport(_ response: Response, _ line: String = "GET /") -> ReplayTransport {
        ReplayTransport(Recording([RecordedExchange(Request(line), .response(response))]))
    }

    @Test("Interim responses, head, chunks and trailers are replayed in their order")
    func whole() async {
        var response = Response.chunks("one", "", "two", headers: ["B: 1", "a: 2", "B: 3"])
        (response.reason, response.httpVersion, response.trailers) = ("Fine", "HTTP/2", ["X-Sum": "9"])
        response.informational = [.init(103, headers: ["Link": "</s>"])]
        #expect(
            await received(transport(response), "GET /") == [
                "103 Link: </s>", "200 Fine HTTP/2 B: 1\na: 2\nB: 3", "one", "two", "trailers X-Sum: 9", "end",
            ])
    }

    @Test("The URL of a replayed response is the request's, not the recorded one")
    func url() async throws {
        let transport = ReplayTransport(Recording([.text(Request("GET http://old/a"))]), matching: [.path])
        let head = HTTPRequestHead(url: Request("GET http://new/a").url)
        #expect(try await transport.send(TransportRequest(head: head)).head.url.absoluteString == "http://new/a")
    }

    @Test(
        "Replayed responses to HEAD, and those with 204 or 304, have no body",
        arguments: [("HEAD /", 200), ("GET /", 204), ("GET /", 304), ("HEAD /", 404)])
    func noBody(_ line: String, _ status: Int) async {
        var response = Response(status, headers: ["Content-Length": "3"], body: Data("abc".utf8))
        (response.trailers, response.failure) = (["X": "1"], .init(.connectionLost))
        #expect(await received(transport(response, line), line) == ["\(status) - - Content-Length: 3", "end"])
    }

    @Test(
        "A recorded failure in a body follows the recorded chunks",
        arguments: [AsyncNetError.Code.connectionLost, .bodyEndedEarly])
    func failureInBody(_ code: AsyncNetError.Code) async {
        var response = Response.chunks("one", "two")
        (response.failure, response.trailers) = (.init(code), ["X": "1"])
        #expect(await received(transport(response), "GET /") == ["200 - - ", "one", "two", code.rawValue])
    }

    @Test("A recorded failure before the head is an error with its code and message")
    func failureBeforeHead() async {
        let failure = RecordedExchange.Failure(.tlsHandshakeFailed, "The handshake took a wrong turn")
        let transport = ReplayTransport(Recording([RecordedExchange(Request("GET /"), .failure(failure))]))
        let error = await Session(transport: transport).failure("GET /")
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message == "The handshake took a wrong turn")
        #expect(error?.underlyingError == nil)
    }

    @Test("A recorded body that was truncated at the size limit ends with bodyEndedEarly")
    func truncated() async {
        var response = Response.chunks("one")
        response.isBodyTruncated = true
        #expect(await received(transport(response), "GET /") == ["200 - - ", "one", "bodyEndedEarly"])
    }

    @Test("A request whose recorded exchange was cancelled ends at its timeout", arguments: [false, true])
    func cancelled(inBody: Bool) async {
        var response = Response.chunks("one")
        response.failure = .init(.cancelled)
        let exchange =
            inBody ? RecordedExchange(Request("GET /"), .response(response)) : .failing(Request("GET /"), .cancelled)
        let clock = TestClock()
        let session = Session(
            transport: ReplayTransport(Recording([exchange])),
            configuration: .init(timeout: .seconds(30), clock: clock))
        let error = await clock.run { await session.failure("GET /") }
        #expect(error?.code == .timedOut)
        #expect(clock.now.offset == .seconds(30))
    }

    @Test("A cancel ends a recorded delay, before the head or in the body", arguments: [false, true])
    func cancel(inBody: Bool) async {
        var response = Response(200, chunks: [.init(Data("x".utf8), delay: .seconds(3600))])
        response.failure = .init(.cancelled)
        let exchange = RecordedExchange(
            Request("GET /"), .response(response), latency: inBody ? .zero : .seconds(3600))
        let session = Session(transport: ReplayTransport(Recording([exchange]), pace: .recorded))
        let task = Task { await session.failure("GET /") }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test("An upload whose body sleeps on the TestClock is read while run advances the clock")
    func waitingBody() async throws {
        let clock = TestClock()
        let transport = ReplayTransport(Recording([.text(Request("POST /", "x", type: "text/plain"))]))
        let session = Session(transport: transport, configuration: .init(clock: clock))
        let count = Counter()
        let bytes = AsyncStream<Data>(unfolding: {
            guard count.next() == 1 else { return nil }
            try? await clock.sleep(for: .seconds(9))
            return Data("x".utf8)
        })
        let upload = session.upload(
            .stream(bytes), to: Request("POST /").url, headers: [.contentType("text/plain")])
        #expect(try await clock.run { try await upload.serializing(String.self).value } == "ok")
        #expect(clock.now.offset == .seconds(9))
    }

    @Test(
        "The pace scales the recorded delays of head and chunks, on the session's TestClock",
        arguments: [
            (.immediate, 0), (.recorded, 3_500), (.scaled(2), 7_000), (.scaled(0.1), 350), (.scaled(-1), 0),
            (.scaled(.nan), 0),
        ] as [(ReplayPace, Int)])
    func pace(_ pace: ReplayPace, _ milliseconds: Int) async throws {
        let chunks = [1, 2].map { RecordedExchange.Chunk(Data("\($0)".utf8), delay: .seconds($0)) }
        let exchange = RecordedExchange(
            Request("GET /"), .response(.init(200, chunks: chunks)), latency: .milliseconds(500))
        let clock = TestClock()
        let session = Session(
            transport: ReplayTransport(Recording([exchange]), pace: pace), configuration: .init(clock: clock))
        #expect(try await clock.run { try await session.text("GET /") } == "12")
        #expect(clock.now.offset == .milliseconds(milliseconds))
    }

    @Test(
        "A recorded delay is clamped between zero and a year",
        arguments: [
            (.recorded, .seconds(-1), .zero), (.scaled(.infinity), .seconds(1e9), .seconds(365 * 86_400)),
            (.scaled(1e300), .seconds(1e15), .seconds(365 * 86_400)),
            (.recorded, .seconds(1e18), .seconds(365 * 86_400)), (.scaled(0.5), .seconds(1), .milliseconds(500)),
        ] as [(ReplayPace, Duration, Duration)])
    func delays(_ pace: ReplayPace, _ recorded: Duration, _ expected: Duration) {
        #expect(pace.delay(recorded) == expected)
    }
}
