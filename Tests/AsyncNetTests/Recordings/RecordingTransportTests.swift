import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetTestSupport

/// A recorder must see all that a transport carries, and change nothing of it.
@Suite("RecordingTransport", .timeLimit(.minutes(5)))
struct RecordingTransportTests {
    private func session(
        _ transport: RecordingTransport, _ interceptors: [any RequestPolicy] = [], clock: TestClock? = nil
    ) -> Session {
        var configuration = SessionConfiguration(interceptors: interceptors)
        if let clock { configuration.clock = clock }
        return Session(transport: transport, configuration: configuration)
    }

    private func send(
        _ transport: RecordingTransport, _ method: HTTPMethod = .get, body: RequestBody = .none, delivery: Bool = false
    ) async throws -> TransportResponse {
        var request = TransportRequest(
            head: HTTPRequestHead(method: method, url: try "http://h/a".asURL()), body: body)
        request.delivery = delivery ? .whole : .asItArrives
        return try await transport.send(request)
    }

    @Test("A WebSocket over a RecordingTransport or ReplayTransport fails with an error that names StubTransport")
    func webSocket() async throws {
        let transports: [any Transport] = [RecordingTransport(over: StubTransport()), ReplayTransport(Recording([]))]
        for transport in transports {
            let socket = Session(transport: transport).webSocket("ws://a/")
            let error = await #expect(throws: AsyncNetError.self) { try await socket.send(.text("a")) }
            #expect(error?.code == .unsupportedByTransport)
            #expect(
                error?.description.contains("recordings have neither: use a StubTransport or a MockServer") == true)
        }
    }

    // MARK: What is recorded

    @Test("Each hop of each attempt is an exchange, in the order of their starts")
    func hops() async throws {
        let stub = StubTransport()
        var redirect = MockResponse.redirect(to: "/end")
        redirect.chunks = []
        stub.on(.get, "/start", replies: redirect)
        stub.on(.get, "/end", replies: .status(503, headers: ["Retry-After": "0"]), .text("fine"))
        let transport = RecordingTransport(over: stub)
        let clock = TestClock()
        let session = session(transport, [RetryPolicy()], clock: clock)
        let text = try await clock.run { try await session.request("http://h/start").serializing(String.self).value }
        #expect(text == "fine")
        let shown = transport.recording.exchanges.map(\.description)
        #expect(
            shown == [
                "GET http://h/start: 302, cancelled", "GET http://h/end: 503", "GET http://h/start: 302, cancelled",
                "GET http://h/end: 200",
            ], "The body of a redirect is not read unless it is known to be short")
    }

    @Test("Concurrent exchanges are in the order in which they were sent, not in which they ended")
    func order() async throws {
        let (clock, gate) = (TestClock(), AsyncStream<Void>.makeStream())
        let stub = StubTransport { request in
            if request.path == "/1" { for await _ in gate.stream { break } }
            return .text(request.path)
        }
        let transport = RecordingTransport(over: stub)
        let session = session(transport, clock: clock)
        async let first = session.request("http://h/1").serializing(String.self).value
        _ = await stub.requests(atLeast: 1)
        _ = try await session.request("http://h/2").serializing(String.self).value
        #expect(transport.recording.exchanges.map(\.request.url.path) == ["/2"], "The first has no response yet")
        gate.continuation.yield()
        _ = try await first
        #expect(transport.recording.exchanges.map(\.request.url.path) == ["/1", "/2"])
    }

    @Test("A failure before the head is recorded with its code, and thrown unchanged")
    func failures() async throws {
        let transport = RecordingTransport(over: StubTransport { _ in .fault(.refuse) })
        let error = await #expect(throws: AsyncNetError.self) {
            try await session(transport).request("http://h/").serializing(Data.self).value
        }
        #expect(error?.code == .cannotConnect)
        let outcome = transport.recording.exchanges.first?.outcome
        #expect(outcome == .failure(.init(.cannotConnect)))
    }

    @Test("An error that is not an AsyncNetError is recorded as transportFailed without its text")
    func foreignErrors() async throws {
        struct Broken: Error { let secret = "Q" }
        let transport = RecordingTransport(over: StubTransport { _ in throw Broken() })
        await #expect(throws: Broken.self) { try await send(transport) }
        #expect(transport.recording.exchanges.first?.outcome == .failure(.init(.transportFailed)))
    }

    @Test("An interrupted body is recorded with its bytes and its failure")
    func brokenBody() async throws {
        let stub = StubTransport { _ in MockResponse(body: Data("abcdef".utf8)).with(.resetMidBody(after: 2)) }
        let transport = RecordingTransport(over: stub)
        _ = await session(transport).request("http://h/").serializing(Data.self).result
        let response = try #require(transport.recording.exchanges.first?.response)
        #expect(response.body == Data("ab".utf8) && response.failure == .init(.connectionLost))
    }

    @Test("A body that was not read to its end is recorded as cancelled")
    func dropped() async throws {
        let transport = RecordingTransport(over: StubTransport { _ in MockResponse.chunked(["a", "b"]) })
        let response = try await send(transport)
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        let recorded = try #require(transport.recording.exchanges.first?.response)
        #expect(recorded.body == Data("a".utf8))
        #expect(recorded.failure == .init(.cancelled, ExchangeRecord.notRead))
    }

    @Test("A body read up to its Content-Length is recorded as complete", arguments: [("2", true), ("3", false)])
    func announced(_ length: String, _ isWhole: Bool) async throws {
        let stub = StubTransport { _ in
            var reply = MockResponse.chunked(["ab"])
            reply.headers = ["Content-Length": length]
            return reply
        }
        let transport = RecordingTransport(over: stub)
        var iterator = try await send(transport).body.makeAsyncIterator()
        _ = try await iterator.next()
        #expect((transport.recording.exchanges.first?.response?.failure == nil) == isWhole)
    }

    @Test("Releasing a response releases the body that the recorded transport returned")
    func released() async throws {
        let holder = Counter()
        let transport = RecordingTransport(over: OwningTransport(ends: holder))
        var response: TransportResponse? = try await send(transport)
        #expect(response?.head.statusCode == 200 && holder.value == 0)
        response = nil
        #expect(holder.value == 1)
    }

    @Test("A request that is cancelled before its response is recorded as cancelled")
    func cancelled() async throws {
        let stub = StubTransport { _ in .fault(.stall) }
        let transport = RecordingTransport(over: stub)
        let request = session(transport).request("http://h/")
        async let result = request.serializing(Data.self).result
        _ = await stub.requests(atLeast: 1)
        await request.cancel()
        _ = await result
        #expect(transport.recording.exchanges.first?.outcome == .failure(.init(.cancelled)))
    }

    @Test("Interim responses and trailers are recorded, and delivered to the session")
    func interim() async throws {
        let interim = HTTPResponseHead(statusCode: 103, url: try "http://h/".asURL(), headers: ["Link": "</a>"])
        let inner = EventTransport(events: [.informational(interim), .trailers(["X-Sum": "1"])])
        let transport = RecordingTransport(over: inner)
        let seen = Counter()
        var request = TransportRequest(head: HTTPRequestHead(url: try "http://h/a".asURL()))
        request.onEvent = { _ in seen.add() }
        _ = try await transport.send(request)
        let response = try #require(transport.recording.exchanges.first?.response)
        #expect(response.informational == [.init(103, headers: ["Link": "</a>"])])
        #expect(response.trailers == ["X-Sum": "1"])
        #expect(seen.value == 2)
    }

    @Test("The latency of an exchange is measured by the session's clock")
    func times() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .text("ab").delayed(by: .seconds(3)) }
        let transport = RecordingTransport(over: stub)
        let session = session(transport, clock: clock)
        _ = try await clock.run { try await session.request("http://h/").serializing(Data.self).value }
        #expect(transport.recording.exchanges.first?.latency == .seconds(3))
    }

    // MARK: Bodies

    @Test("Chunks of a stream are recorded separately, and chunks of a body delivered whole as one")
    func chunkBoundaries() async throws {
        for isWhole in [true, false] {
            let transport = RecordingTransport(over: StubTransport { _ in MockResponse.chunked(["a", "b"]) })
            for try await _ in try await send(transport, delivery: isWhole).body {}
            let texts = transport.recording.exchanges.first?.response?.chunks.map {
                String(decoding: $0.data, as: UTF8.self)
            }
            #expect(texts == (isWhole ? ["ab"] : ["a", "b"]))
        }
    }

    @Test("The body limit truncates the recorded bodies, and the session gets all bytes")
    func limit() async throws {
        let transport = RecordingTransport(
            over: StubTransport { .text(String(repeating: $0.text, count: 2)) }, bodyLimit: 5)
        let text = try await session(transport).upload(.data(Data("abcd".utf8)), to: "http://h/").serializing(
            String.self
        )
        .value
        #expect(text == "abcdabcd")
        let exchange = try #require(transport.recording.exchanges.first)
        #expect(exchange.request.body == Data("abcd".utf8) && !exchange.request.isBodyTruncated)
        #expect(exchange.response?.body == Data("abcda".utf8) && exchange.response?.isBodyTruncated == true)
    }

    @Test("A compressed body is recorded decoded, without the headers of its coding")
    func compressed() async throws {
        let encoded = try Compressor(.gzip).compress(Data("hello".utf8), isLast: true)
        let transport = RecordingTransport(
            over: EncodedTransport(headers: ["Content-Encoding": "gzip", "Content-Length": "25", "X-A": "1"], encoded))
        let text = try await session(transport).request("http://h/").serializing(String.self).value
        #expect(text == "hello")
        let response = try #require(transport.recording.exchanges.first?.response)
        #expect(response.body == Data("hello".utf8) && response.headers == ["X-A": "1"] && response.failure == nil)
    }

    @Test("A chunk of a body is read from the recorded transport only when the reader asks for it")
    func backPressure() async throws {
        let pulls = Counter()
        let transport = RecordingTransport(over: CountingTransport(pulls: pulls))
        let response = try await send(transport)
        #expect(pulls.value == 0)
        var iterator = response.body.makeAsyncIterator()
        for expected in 1...3 {
            _ = try await iterator.next()
            #expect(pulls.value == expected)
        }
    }

    @Test("A streamed request body is recorded once for each hop that sends it")
    func sentStreams() async throws {
        let stub = StubTransport()
        stub.on(.post, "/a", replies: .redirect(to: "/b", status: 307))
        stub.on(.post, "/b", replies: .text("fine"))
        let transport = RecordingTransport(over: stub)
        let body = RequestBody.stream { chunks("ab", "cd") }
        _ = try await session(transport).upload(body, to: "http://h/a").serializing(Data.self).value
        #expect(transport.recording.exchanges.map(\.request.body) == [Data("abcd".utf8), Data("abcd".utf8)])
        #expect(stub.requests.map(\.text) == ["abcd", "abcd"])
    }

    @Test("removeAll() removes the exchanges recorded so far")
    func removing() async throws {
        let transport = RecordingTransport(over: StubTransport { _ in .text("a") })
        _ = try await send(transport)
        transport.removeAll()
        #expect(transport.recording.exchanges.isEmpty)
    }

    @Test("Descriptions and dumps of recordings contain no secrets")
    func descriptions() async throws {
        let request = RecordedExchange.Request(
            url: try "http://u:SECRET@h/?token=SECRET".asURL(), headers: ["Authorization": "SECRET"],
            body: Data("SECRET".utf8))
        let response = RecordedExchange.Response(200, headers: ["Set-Cookie": "a=SECRET"], body: Data("SECRET".utf8))
        let recording = Recording([RecordedExchange(request, .response(response))])
        var dumped = ""
        dump(recording, to: &dumped)
        dump(request, to: &dumped)
        dump(response, to: &dumped)
        let texts = [
            dumped, "\(recording)", "\(recording.exchanges)", "\(request)", "\(response)", "\(response.chunks)",
        ]
        #expect(!texts.joined().contains("SECRET"))
    }
}

/// Reports events, then responds without a body.
private struct EventTransport: Transport {
    let events: [TransportEvent]

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        for event in events { request.onEvent?(event) }
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Data()))
    }
}

/// Responds with an encoded body.
private struct EncodedTransport: Transport {
    let headers: HTTPHeaders
    let body: Data

    init(headers: HTTPHeaders, _ body: Data) { (self.headers, self.body) = (headers, body) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url, headers: headers), body: TransportBody(body),
            isContentDecoded: false)
    }
}

/// Counts the chunks that are taken.
private struct CountingTransport: Transport {
    let pulls: Counter

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let chunks = AsyncStream<Data> {
            pulls.add()
            return Data("a".utf8)
        }
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(chunks))
    }
}

/// Responds with a body that counts its release.
private struct OwningTransport: Transport {
    let ends: Counter

    private final class Chunks: AsyncSequence, Sendable {
        let ends: Counter
        init(_ ends: Counter) { self.ends = ends }
        deinit { ends.add() }
        func makeAsyncIterator() -> AsyncStream<Data>.Iterator { chunks("a").makeAsyncIterator() }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(Chunks(ends)))
    }
}
