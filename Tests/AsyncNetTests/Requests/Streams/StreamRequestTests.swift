import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Streams", .timeLimit(.minutes(5)))
struct StreamRequestTests {
    private func text(_ stream: StreamRequest) async throws -> String {
        var data = Data()
        for try await chunk in stream.chunks { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    @Test("The body of a stream arrives whole, chunk by chunk as it was sent", arguments: TransportUnderTest.withHTTP2)
    func whole(_ transport: TransportUnderTest) async throws {
        let data = patternedData(3_000_000)
        try await withServer(
            .data(data), .chunked(["a", "b", "c"]), .text("hello").with(.drip(bytes: 1, every: .milliseconds(2)))
        ) { (server: MockServer) async throws in
            let session = transport.session()
            var received = Data()
            for try await chunk in session.stream(server.url()).chunks {
                #expect(!chunk.isEmpty)
                received.append(chunk)
            }
            #expect(received == data)
            #expect(try await text(session.stream(server.url())) == "abc")
            var bytes: [UInt8] = []
            for try await byte in session.stream(server.url()).bytes { bytes.append(byte) }
            #expect(bytes == Array("hello".utf8))
        }
    }

    @Test("Awaiting the head starts the request, and returns before the body has arrived")
    func head() async throws {
        try await withServer(
            .status(201, headers: ["X": "1"], body: "body").with(.stallMidBody(after: 2)), .fault(.closeBeforeHead)
        ) { (server: MockServer) async throws in
            let stream = Session().stream(server.url())
            #expect(await stream.state == .initialized)
            let head = try await stream.head
            #expect(head.statusCode == 201)
            #expect(head.value(for: "X") == "1")
            #expect(await stream.state == .resumed)
            await stream.cancel()
            let broken = Session().stream(server.url())
            await #expect { try await broken.head } throws: { ($0 as? AsyncNetError)?.code == .emptyReply }
        }
    }

    @Test(
        "An error reaches the loop after the elements before it, with its request",
        arguments: TransportUnderTest.withHTTP2)
    func failures(_ transport: TransportUnderTest) async throws {
        try await withServer(.fault(.truncate(after: 10)), .status(404, body: "none")) {
            (server: MockServer) async throws in
            let session = transport.session()
            var count = 0
            do {
                for try await chunk in session.stream(server.url()).chunks { count += chunk.count }
                Issue.record("no error")
            } catch {
                let error = error as? AsyncNetError
                #expect(error?.code == .bodyEndedEarly)
                #expect(error?.request != nil && error?.attempts == 1)
            }
            #expect(count == 10)
            let stream = session.stream(server.url())
            stream.validate()
            await #expect { try await text(stream) } throws: { ($0 as? AsyncNetError)?.code == .unacceptableStatus }
        }
    }

    @Test("Leaving the loop cancels the request", arguments: TransportUnderTest.withHTTP2)
    func leaving(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        await server.route("/*") { _ in .data(Data(count: 100)).with(.stallMidBody(after: 50)) }
        let clock = TestClock()
        let session = transport.session(.init(clock: clock))
        let stream = session.stream(server.url())
        for try await _ in stream.chunks { break }
        await clock.settled()
        #expect(await stream.state == .cancelled)
        await session.finish()
        await server.stop()
    }

    @Test("Cancelling the reader's task or the request ends the loop at once", arguments: [true, false])
    func cancel(_ byTask: Bool) async throws {
        try await withServer(.data(Data(count: 100)).with(.stallMidBody(after: 50))) {
            (server: MockServer) async throws in
            let (arrived, clock) = (Gate(), TestClock())
            let stream = Session(configuration: .init(clock: clock)).stream(server.url())
            let task = Task {
                for try await _ in stream.chunks { arrived.open() }
            }
            await arrived.wait()
            if byTask { task.cancel() } else { await stream.cancel() }
            await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
            await clock.settled()
            #expect(await stream.state == .cancelled)
        }
    }

    @Test("A session lists a running stream")
    func listing() async throws {
        try await withServer(.data(Data(count: 100)).with(.stallMidBody(after: 50))) {
            (server: MockServer) async throws in
            let session = Session()
            let stream = session.stream(server.url())
            _ = try await stream.head
            #expect(await session.requests(ofKind: .stream).first?.id == stream.id)
            #expect(await session.requests.map(\.id) == [stream.id])
            await session.cancelAll()
            #expect(await stream.state == .cancelled)
        }
    }

    @Test(
        "The timeout does not run while the reader is slow, and ends a stream whose server is silent",
        arguments: TransportUnderTest.withHTTP2)
    func slowReader(_ transport: TransportUnderTest) async throws {
        let clock = TestClock()
        let session = transport.session(.init(timeout: .seconds(5), clock: clock))
        try await withServer(.chunked(["a", "b"]), .data(Data(count: 100)).with(.stallMidBody(after: 50))) {
            (server: MockServer) async throws in
            let stream = session.stream(server.url())
            var chunks = stream.chunks.makeAsyncIterator()
            var text = Data()
            while let chunk = try await chunks.next() {
                text += chunk
                // While the rest is still on its way, time that passes is the server's.
                let isLast = text.count == 2
                #expect(
                    await eventually { isLast ? await stream.state == .finished : stream.metrics.receivedBytes == 2 })
                for _ in 0..<5 {
                    clock.advance(by: .seconds(100))
                    for _ in 0..<100 { await Task.yield() }
                }
            }
            #expect(text == Data("ab".utf8))
            let task = Task { try await self.text(session.stream(server.url())) }
            let end = Task {
                while !Task.isCancelled {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(5))
                    await Task.yield()
                }
            }
            await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .timedOut }
            end.cancel()
            clock.advance(by: .seconds(1000))
        }
    }

    @Test(
        "A body above the limit leads to bodyTooLarge, compressed or not, streamed or collected",
        arguments: TransportUnderTest.withHTTP2)
    func tooLarge(_ transport: TransportUnderTest) async throws {
        let bomb = try Compressor(.gzip).compress(Data(count: 20_000_000), isLast: true)
        let server = try await MockServer.start(speaks: .both)
        await server.route("/bomb") { _ in .init(200, headers: ["Content-Encoding": "gzip"], body: bomb) }
        await server.route("/plain") { _ in .data(Data(count: 1001)) }
        let session = transport.session(.init(maximumBodySize: 1000))
        for path in ["/bomb", "/plain"] {
            #expect(
                await session.request(server.url(path)).serializing(Data.self).result.failure?.code == .bodyTooLarge)
            await #expect { try await text(session.stream(server.url(path))) } throws: {
                ($0 as? AsyncNetError)?.code == .bodyTooLarge
            }
            let own = session.stream(server.url(path), options: RequestOptions(maximumBodySize: .max))
            #expect(try await text(own).utf8.count == (path == "/bomb" ? 20_000_000 : 1001))
        }
        let exact = transport.session(.init(maximumBodySize: 1001))
        #expect(try await exact.request(server.url("/plain")).serializing(Data.self).value.count == 1001)
        await server.stop()
    }

    // MARK: Elements

    /// Pieces of a body, each a chunk of its own.
    private func session(_ pieces: [String], type: String = "text/plain") -> Session {
        Session(transport: StubTransport { _ in .chunked(pieces, headers: ["Content-Type": type]) })
    }

    private func collect<Elements: AsyncSequence>(_ elements: Elements) async throws -> [Elements.Element] {
        var all: [Elements.Element] = []
        for try await element in elements { all.append(element) }
        return all
    }

    @Test("Lines are delivered whole with any line break and any boundaries of chunks")
    func lines() async throws {
        let pieces = ["a\r", "\nb\n\nc", "d\re", "\u{65E5}"]
        #expect(try await collect(session(pieces).stream("http://a/").lines) == ["a", "b", "", "cd", "e\u{65E5}"])
        #expect(try await collect(session([]).stream("http://a/").lines) == [])
        do {
            _ = try await collect(session(["abc\nabcd\n"]).stream("http://a/").lines(maximumLength: 3))
            Issue.record("no error")
        } catch {
            let error = error as? AsyncNetError
            #expect(error?.code == .lineTooLong)
            #expect(error?.request != nil)
        }
    }

    @Test("JSON lines and JSON text sequences are decoded as they arrive")
    func decoding() async throws {
        let users = [User.ada, User(id: 2, name: "Ben")]
        let lines = ["{\"id\":1,\"na", "me\":\"Ada\"}\n\n{\"id\":2,\"name\":\"Ben\"}"]
        #expect(try await collect(session(lines).stream("http://a/").decoding(User.self)) == users)
        let texts = ["\u{1E}{\"id\":1,\"name\":\"Ada\"}\n\u{1E}{\"id\":2,\"na", "me\":\"Ben\"}\n"]
        #expect(
            try await collect(session(texts, type: "application/json-seq").stream("http://a/").decoding(User.self))
                == users)
        await #expect { try await collect(session(["{\"id\":1}\n"]).stream("http://a/").decoding(User.self)) } throws: {
            ($0 as? AsyncNetError)?.code == .decodingFailed && ($0 as? AsyncNetError)?.request != nil
        }
    }

    @Test("Server-sent events are delivered with their id and retry")
    func events() async throws {
        let pieces = [": hi\n\nid: 1\nevent: add\nda", "ta: a\ndata: b\nretry: 500\n\n", "data: c\n\ndata: lost"]
        let events = try await collect(
            session(pieces, type: "text/event-stream").stream("http://a/").serverSentEvents(reconnection: .never))
        #expect(
            events == [
                ServerSentEvent(id: "1", event: "add", data: "a\nb", retry: .milliseconds(500)),
                ServerSentEvent(id: "1", data: "c", retry: .milliseconds(500)),
            ])
    }

    @Test(
        "A line is delivered when it arrives, and leaving the loop cancels the request",
        arguments: TransportUnderTest.withHTTP2)
    func asItArrives(_ transport: TransportUnderTest) async throws {
        try await withServer(.text("one\ntwo\nthree").with(.stallMidBody(after: 8))) {
            (server: MockServer) async throws in
            let clock = TestClock()
            let stream = transport.session(.init(clock: clock)).stream(server.url())
            var lines: [String] = []
            for try await line in stream.lines {
                lines.append(line)
                if line == "two" { break }
            }
            #expect(lines == ["one", "two"])
            await clock.settled()
            #expect(await stream.state == .cancelled)
        }
    }

    @Test(
        "A stream whose head was awaited ends when its last reference is released",
        arguments: TransportUnderTest.withHTTP2)
    func dropped(_ transport: TransportUnderTest) async throws {
        try await withServer(.data(Data(count: 2_000_000))) { (server: MockServer) async throws in
            let clock = TestClock()
            let session = transport.session(.init(clock: clock))
            func head() async throws -> Int { try await session.stream(server.url()).head.statusCode }
            #expect(try await head() == 200)
            await clock.settled()
            #expect(await session.requests.isEmpty)
            await session.finish()
        }
    }
}
