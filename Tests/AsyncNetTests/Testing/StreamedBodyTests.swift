import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// Bodies that a test makes while they are sent, by a stub as by a server.
@Suite("Bodies made by sequences", .timeLimit(.minutes(5)))
struct StreamedBodyTests {
    /// A stream, and a gate that is open once the stream was cancelled.
    private func cancellable() -> (AsyncStream<String>, AsyncStream<String>.Continuation, Gate) {
        let (texts, control) = AsyncStream.makeStream(of: String.self)
        let isCancelled = Gate()
        control.onTermination = { if case .cancelled = $0 { isCancelled.open() } }
        return (texts, control, isCancelled)
    }

    @Test(
        "Each chunk arrives as soon as the test has made it, before the body ends", arguments: ResponseSender.allCases)
    func controlled(_ sender: ResponseSender) async throws {
        let (chunks, control) = AsyncStream.makeStream(of: Data.self)
        let reply = MockResponse.stream(chunks, status: 201, headers: ["X": "1"])
        try await sender.responding(reply) { (session: Session, url: URL) async throws in
            let stream = session.stream(url)
            var iterator = stream.chunks.makeAsyncIterator()
            for text in ["a", "bc"] {
                control.yield(Data(text.utf8))
                #expect(try await iterator.next() == Data(text.utf8))
            }
            control.finish()
            #expect(try await iterator.next() == nil)
            let head = try await stream.head
            #expect(head.statusCode == 201 && head.headers["X"] == "1" && head.contentLength == nil)
        }
    }

    @Test("A body's sequence is cancelled when the client stops reading the body", arguments: ResponseSender.allCases)
    func leftLoop(_ sender: ResponseSender) async throws {
        let (texts, control, isCancelled) = cancellable()
        let reply = MockResponse.stream(texts, headers: ["Content-Type": "text/event-stream"])
        try await sender.responding(reply) { (session: Session, url: URL) async throws in
            for text in ["Hel", "lo"] { control.yield("data: \(text)\n\n") }
            #expect(try await firstEvents(2, of: session.stream(url)) == ["Hel", "lo"])
            await isCancelled.wait()
        }
    }

    private func firstEvents(_ count: Int, of stream: StreamRequest) async throws -> [String] {
        var events: [String] = []
        for try await event in stream.serverSentEvents {
            events.append(event.data)
            if events.count == count { break }
        }
        return events
    }

    @Test("A body's sequence is cancelled when a request for its next chunk is", arguments: ResponseSender.allCases)
    func cancelled(_ sender: ResponseSender) async throws {
        let (texts, control, isCancelled) = cancellable()
        try await sender.responding(.stream(texts)) { (session: Session, url: URL) async throws in
            let stream = session.stream(url)
            var iterator = stream.chunks.makeAsyncIterator()
            control.yield("a")
            _ = try await iterator.next()
            await stream.cancel()
            await isCancelled.wait()
        }
    }

    @Test("A body's sequence is cancelled when the server stops", arguments: [MockServer.Versions.http1, .http2])
    func stopped(_ version: MockServer.Versions) async throws {
        let (texts, control, isCancelled) = cancellable()
        let server = try await MockServer.start(speaks: version)
        await server.enqueue(.stream(texts))
        let session = Session(transport: .sockets(.init(httpVersion: version == .http2 ? .http2 : .http1)))
        var iterator = session.stream(server.url()).chunks.makeAsyncIterator()
        control.yield("a")
        _ = try await iterator.next()
        await server.stop()
        await isCancelled.wait()
    }

    private struct Broken: Error {}

    @Test(
        "If a body's sequence throws, the request ends with an error",
        arguments: [(.stub, .transportFailed), (.http1, .connectionLost), (.http2, .bodyEndedEarly)]
            as [(ResponseSender, AsyncNetError.Code)])
    func broken(_ sender: ResponseSender, _ code: AsyncNetError.Code) async throws {
        let (chunks, control) = AsyncThrowingStream.makeStream(of: Data.self)
        control.yield(Data("a".utf8))
        control.finish(throwing: Broken())
        try await sender.responding(.stream(chunks)) { (session: Session, url: URL) async throws in
            let error = await session.request(url).serializing(Data.self).response.error
            #expect(error?.code == code && (error?.underlyingError is Broken) == (sender == .stub))
        }
    }

    @Test(
        "A fault in a streamed body comes after its number of bytes, even if the sequence makes more",
        arguments: ResponseSender.allCases,
        [(.truncate(after: 3), .bodyEndedEarly), (.resetMidBody(after: 3), .connectionLost)]
            as [(MockResponse.Fault, AsyncNetError.Code)])
    func faults(_ sender: ResponseSender, _ fault: (MockResponse.Fault, code: AsyncNetError.Code)) async throws {
        let (texts, control) = AsyncStream.makeStream(of: String.self)
        for text in ["ab", "cd"] { control.yield(text) }
        try await sender.responding(.stream(texts).with(fault.0)) { (session: Session, url: URL) async throws in
            let (read, code) = await session.stream(url).received()
            #expect(read == "abc" && code == fault.code)
        }
    }

    @Test("A streamed body with .drip arrives whole", arguments: ResponseSender.allCases)
    func drips(_ sender: ResponseSender) async throws {
        let (texts, control) = AsyncStream.makeStream(of: String.self)
        control.yield("hello")
        control.finish()
        let reply = MockResponse.stream(texts).with(.drip(bytes: 2, every: .milliseconds(1)))
        try await sender.responding(reply) { (session: Session, url: URL) async throws in
            #expect(try await session.request(url).serializing(String.self).value == "hello")
        }
    }

    @Test("Trailers of a streamed body arrive after the last chunk", arguments: ResponseSender.allCases)
    func trailers(_ sender: ResponseSender) async throws {
        let (texts, control) = AsyncStream.makeStream(of: String.self)
        control.yield("a")
        control.finish()
        try await sender.responding(.stream(texts, trailers: ["X": "1"])) { (session: Session, url: URL) async throws in
            let response = await session.request(url).serializing(String.self).response
            #expect(try response.result.get() == "a" && response.trailers == ["X": "1"])
        }
    }

    @Test("A streamed body with Content-Length is sent without the chunked coding", arguments: ResponseSender.allCases)
    func length(_ sender: ResponseSender) async throws {
        let (texts, control) = AsyncStream.makeStream(of: String.self)
        for text in ["he", "llo"] { control.yield(text) }
        control.finish()
        try await sender.responding(.stream(texts, headers: ["Content-Length": "5"])) {
            (session: Session, url: URL) async throws in
            let response = await session.request(url).serializing(String.self).response
            #expect(try response.result.get() == "hello")
            #expect(response.head?.headers["Transfer-Encoding"] == nil && response.head?.contentLength == 5)
        }
    }

    @Test("A stub reads fewer than ten chunks of a sequence while the client reads none")
    func backPressure() async throws {
        let clock = TestClock()
        let made = Locked(0)
        let chunks = AsyncStream<Data>(unfolding: {
            made.withLock { $0 += 1 }
            return Data("a".utf8)
        })
        let session = Session(transport: StubTransport { _ in .stream(chunks) }, configuration: .init(clock: clock))
        let stream = session.stream("http://a/")
        let head = clock.task { try await stream.head }
        _ = try await head.value
        await clock.settled()
        #expect(made.withLock { $0 } < 10)
        await stream.cancel()
    }
}
