import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Server-sent events with reconnection", .timeLimit(.minutes(5)))
struct EventStreamTests {
    private static let url = "http://a/"

    /// A server that has so many events, and gives those after the last one that a client has, cut off wherever chance
    /// wants.
    private final class Feed: Sendable {
        private let count: Int
        private let random: Locked<SeededRandom>

        init(_ count: Int, seed: UInt64) {
            self.count = count
            random = Locked(SeededRandom(state: seed))
        }

        func text(after id: Int) -> String {
            let rest = (id + 1...max(id + 1, min(count, id + 4))).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
            let cut = random.withLock { Int.random(in: 0...rest.utf8.count, using: &$0) }
            return "retry: 0\n\n" + rest.prefix(cut)
        }

        func reply(to request: RecordedRequest) -> MockResponse {
            let id = request.headers["Last-Event-ID"].flatMap(Int.init) ?? 0
            if id == count { return .status(204) }
            let text = text(after: id)
            let reply = MockResponse.events([text])
            return random.withLock { Bool.random(using: &$0) } ? reply.with(.truncate(after: text.utf8.count)) : reply
        }
    }

    private func data(_ stream: StreamRequest, _ reconnection: EventReconnection = .ifResumable(limit: nil))
        async throws -> [Int]
    {
        var found: [Int] = []
        for try await event in stream.serverSentEvents(reconnection: reconnection) {
            found.append(Int(event.data) ?? -1)
        }
        return found
    }

    @Test("No event is lost or repeated over a thousand interrupted connections", arguments: [1, 2])
    func thousand(seed: UInt64) async throws {
        let feed = Feed(1600, seed: seed)
        let stub = StubTransport { feed.reply(to: $0) }
        let stream = Session(transport: stub).stream(Self.url)
        #expect(try await data(stream) == Array(1...1600))
        #expect(stub.requests.count > 1000)
        #expect(await stream.retryCount == stub.requests.count - 1)
        #expect(stub.requests.first?.headers["Last-Event-ID"] == nil)
        #expect(stub.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
    }

    @Test(
        "No event is lost or repeated over each transport when the server closes each connection",
        arguments: TransportUnderTest.allCases)
    func sockets(_ transport: TransportUnderTest) async throws {
        let feed = Feed(120, seed: 3)
        let server = try await MockServer.start()
        await server.route("/*") { request in
            let id = request.headers["Last-Event-ID"].flatMap(Int.init) ?? 0
            return id == 120
                ? .status(204)
                : .raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + feed.text(after: id))
        }
        #expect(try await data(transport.session().stream(server.url())) == Array(1...120))
        await server.stop()
    }

    @Test(
        "A reconnection waits for the stream's retry, and a cancel ends the wait at once", arguments: [true, false])
    func waits(_ isCancelled: Bool) async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            request.headers["Last-Event-ID"] == nil ? .events(["retry: 500\nid: 1\ndata: 1\n\n"]) : .status(204)
        }
        // With a deadline two tasks sleep during the wait: the session's, for its limits, and the request's.
        let configuration = SessionConfiguration(deadline: .seconds(600), clock: clock)
        let stream = Session(transport: stub, configuration: configuration).stream(Self.url)
        let task = Task { try await data(stream) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .milliseconds(499))
        #expect(stub.requests.count == 1)
        if isCancelled {
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
            #expect(stub.requests.count == 1)
        } else {
            clock.advance(by: .milliseconds(1))
            #expect(try await task.value == [1])
            #expect(stub.requests.count == 2)
        }
    }

    @Test("A stream reconnects if no bytes arrive for heartbeatTimeout")
    func heartbeat() async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            request.headers["Last-Event-ID"] == nil
                ? .events(["retry: 0\nid: 1\ndata: 1\n\n..."]).with(.stallMidBody(after: 26)) : .status(204)
        }
        let stream = Session(transport: stub, configuration: .init(clock: clock)).stream(Self.url)
        let task = Task { try await data(stream, .ifResumable(heartbeatTimeout: .seconds(5))) }
        let time = Task {
            while !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        #expect(try await task.value == [1])
        #expect(stub.requests.count == 2)
        time.cancel()
        clock.advance(by: .seconds(100))
    }

    @Test("A stream without id, with Content-Length, by POST or above the limit of failures does not reconnect")
    func ends() async throws {
        let chunked = StubTransport { _ in .events(["data: 1\n\n"]) }
        #expect(try await data(Session(transport: chunked).stream(Self.url)) == [1])
        let announced = StubTransport { _ in
            .init(
                headers: ["Content-Length": "17", "Content-Type": "text/event-stream"],
                body: Data("id: 1\ndata: 1\n\n".utf8))
        }
        #expect(try await data(Session(transport: announced).stream(Self.url)) == [1])
        let post = StubTransport { _ in .events(["id: 1\ndata: 1\n\n"]) }
        #expect(try await data(Session(transport: post).stream(Self.url, method: .post)) == [1])
        let broken = StubTransport {
            $0.headers["Last-Event-ID"] == nil ? .events(["id: 1\nretry: 0\ndata: 1\n\n"]) : .fault(.refuse)
        }
        let stream = Session(transport: broken).stream(Self.url)
        await #expect { try await data(stream, .ifResumable(maximumDelay: .zero, limit: 3)) } throws: {
            ($0 as? AsyncNetError)?.code == .cannotConnect
        }
        #expect(broken.requests.count == 5)
    }

    @Test("An event or comment that is too long is an error after the events before it, also in the same chunk")
    func tooLong() async throws {
        let long = "0123456789012345"
        for rest in ["data: \(long)\n\ndata: last\n\n", ": \(long)\n\n", "data: \(long)"] {
            let stub = StubTransport { _ in .events(["retry: 0\nid: 1\ndata: ok\n\n" + rest]) }
            let stream = Session(transport: stub).stream(Self.url)
            var found: [String] = []
            let code = await AsyncNetError.code {
                for try await event in stream.serverSentEvents(maximumLength: 12) { found.append(event.data) }
            }
            #expect(code == .lineTooLong && found == ["ok"])
        }
    }

    @Test("The program's Last-Event-ID is sent until the stream sets an id, and none after an empty id")
    func resetID() async throws {
        let replies = ["retry: 0\n\n", "id: 7\ndata: a\n\n", "id:\ndata: b\n\n"]
        let count = Counter()
        let stub = StubTransport { _ in
            let number = count.next()
            return number <= replies.count ? .events([replies[number - 1]]) : .status(204)
        }
        let stream = Session(transport: stub).stream(Self.url, headers: ["Last-Event-ID": "5"])
        for try await _ in stream.serverSentEvents(reconnection: .always(limit: nil)) {}
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == ["5", "5", "7", nil])
    }

    @Test("Validators run for the head of each connection, and the head can be awaited before the events")
    func validators() async throws {
        let stub = StubTransport {
            $0.headers["Last-Event-ID"] == nil ? .events(["id: 1\nretry: 0\ndata: 1\n\n"]) : .status(404)
        }
        let stream = Session(transport: stub).stream(Self.url)
        stream.validate()
        await #expect { try await data(stream) } throws: { ($0 as? AsyncNetError)?.code == .unacceptableStatus }
        let second = Session(transport: stub).stream(Self.url)
        #expect(try await second.head.statusCode == 200)
        await #expect { try await data(second) } throws: { ($0 as? AsyncNetError)?.statusCode == 404 }
    }

    @Test(
        "A status other than 200 and 204 ends a reconnecting stream with an error, with .always too",
        arguments: [EventReconnection.ifResumable(), .always()], [404, 410, 403])
    func refusedReconnection(_ reconnection: EventReconnection, _ status: Int) async throws {
        let stub = StubTransport {
            $0.headers["Last-Event-ID"] == nil ? .events(["id: 1\nretry: 0\ndata: 1\n\n"]) : .status(status)
        }
        var found: [String] = []
        do {
            for try await event in Session(transport: stub).stream(Self.url).serverSentEvents(
                reconnection: reconnection)
            {
                found.append(event.data)
            }
            Issue.record("The loop ended without an error")
        } catch let error as AsyncNetError {
            #expect(error.code == .unacceptableStatus && error.statusCode == status)
        }
        #expect(found == ["1"] && stub.requests.count == 2)
    }

    @Test("Events that were received but not taken when the connection ended are requested again")
    func takenBack() async throws {
        let url = try #require(URL(string: Self.url))
        let sink = StreamSink()
        _ = sink.beginReading(as: .events(EventConnection(.always())))
        let request = TransportRequest(head: HTTPRequestHead(method: .get, url: url))
        func receive(_ text: String, isTaken: Bool) async throws {
            let attempt = Task {
                let head = HTTPResponseHead(
                    statusCode: 200, url: url, headers: ["Content-Type": "text/event-stream"])
                return try await sink.receive(TransportBody(Data(text.utf8)), of: head)
            }
            if isTaken {
                #expect(try await sink.events.next()?.count == 1)
            } else {
                for _ in 0..<100 { await Task.yield() }
                attempt.cancel()
            }
            _ = await attempt.result
        }
        try await receive("id: 1\ndata: 1\n\n", isTaken: true)
        try await receive("id: 2\ndata: 2\n\nid: 3\ndata: 3\n\n", isTaken: false)
        _ = try await sink.prepare(request)
        #expect(sink.reconnection(after: AsyncNetError(.timedOut), head: nil) != nil)
        #expect(try await sink.prepare(request).head.headers["Last-Event-ID"] == "1")
    }

    @Test("heartbeatTimeout applies to a stream instead of the request's timeout")
    func heartbeatAndTimeout() async throws {
        let clock = TestClock()
        let stub = StubTransport { request in
            request.headers["Last-Event-ID"] == nil
                ? .events(["retry: 0\nid: 1\ndata: 1\n\n..."]).with(.stallMidBody(after: 26)) : .status(204)
        }
        let stream = Session(transport: stub, configuration: .init(clock: clock)).stream(Self.url).timeout(
            .seconds(1_000_000))
        let task = Task { try await data(stream, .ifResumable(heartbeatTimeout: .seconds(5))) }
        let time = Task {
            for _ in 0..<100_000 {
                if stub.requests.count == 2 || Task.isCancelled { return }
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            task.cancel()
        }
        #expect(try await task.value == [1])
        time.cancel()
    }

    @Test("The deadline ends the wait for a reconnection")
    func deadline() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .events(["retry: 500000\nid: 1\ndata: 1\n\n"]) }
        let stream = Session(transport: stub, configuration: .init(clock: clock)).stream(Self.url).deadline(
            .seconds(100))
        let task = Task { try await data(stream) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(101))
        await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .deadlineExceeded }
        #expect(stub.requests.count == 1)
    }

    @Test(
        "A response without status 200 and text/event-stream ends an event stream, and is not retried",
        arguments: [
            (200, "text/event-stream;charset=utf-8", nil), (200, "TEXT/Event-Stream", nil),
            (201, "text/event-stream", .unacceptableStatus), (206, "text/event-stream", .unacceptableStatus),
            (404, "text/event-stream", .unacceptableStatus), (503, "text/event-stream", .unacceptableStatus),
            (200, "text/html", .unacceptableContentType), (200, "text/plain", .unacceptableContentType),
            (200, nil, .unacceptableContentType), (200, "text/event-streams", .unacceptableContentType),
            (200, "nonsense", .unacceptableContentType),
        ] as [(Int, String?, AsyncNetError.Code?)])
    func strict(_ status: Int, _ type: String?, _ code: AsyncNetError.Code?) async throws {
        let stub = StubTransport { request in
            if request.headers["Last-Event-ID"] != nil { return .status(204) }
            var response = MockResponse.events(["id: 1\nretry: 0\ndata: 1\n\n"], type: type)
            response.statusCode = status
            return response
        }
        do {
            #expect(try await data(Session(transport: stub).stream(Self.url), .always()) == [1])
            #expect(code == nil && stub.requests.count == 2)
        } catch {
            #expect((error as? AsyncNetError)?.code == code && stub.requests.count == 1)
            #expect("\(error)".contains(status == 200 ? type ?? "none" : "\(status)") || type == "nonsense")
        }
    }

    @Test(
        "The option contentTypes accepts other types, and is sent as Accept",
        arguments: [
            (["application/x-events", "text/event-stream"], "application/x-events", true),
            (["application/x-events"], "text/event-stream", false), (["*/*"], nil, true), (["*/*"], "text/html", true),
            (["text/*"], "text/plain", true), (["text/*"], nil, false), ([], "text/event-stream", true),
            ([], "text/plain", false),
        ] as [([String], String?, Bool)])
    func types(_ accepted: [String], _ type: String?, _ isGood: Bool) async throws {
        let stub = StubTransport {
            $0.headers["Last-Event-ID"] == nil ? .events(["id: 1\nretry: 0\ndata: 1\n\n"], type: type) : .status(204)
        }
        var found: [String] = []
        do {
            for try await event in Session(transport: stub).stream(Self.url).serverSentEvents(contentTypes: accepted) {
                found.append(event.data)
            }
        } catch { #expect((error as? AsyncNetError)?.code == .unacceptableContentType) }
        #expect(found == (isGood ? ["1"] : []))
        #expect(
            stub.requests.first?.headers["Accept"]
                == (accepted.isEmpty ? "text/event-stream" : accepted.joined(separator: ", ")))
    }
}

extension MockResponse {
    fileprivate static func events(_ chunks: [String], type: String? = "text/event-stream") -> MockResponse {
        .chunked(chunks, headers: type.map { ["Content-Type": $0] } ?? [:])
    }
}
