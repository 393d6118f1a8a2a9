import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNetTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("MockServer", .timeLimit(.minutes(5)))
struct MockServerTests {
    let session = Session(transport: .urlSession)

    @Test("Enqueued responses are sent first, then the responses of the last matching route, then 404")
    func order() async throws {
        let server = try await MockServer.start()
        await server.route("/*") { _ in .text("any") }
        await server.route("/a") { _ in .text("a") }
        await server.enqueue(.text("first"), .text("second"))
        var texts: [String] = []
        for path in ["/a", "/b", "/a", "/b"] {
            texts.append(try await session.request(server.url(path)).serializing(String.self).value)
        }
        #expect(texts == ["first", "second", "a", "any"])
        await server.stop()
        let bare = try await MockServer.start()
        #expect(await session.request(bare.url("/x")).serializing(Data.self).response.statusCode == 404)
        await bare.stop()
    }

    @Test("takeRequest() returns requests in order, with target, headers, body and connection")
    func recording() async throws {
        try await withServer(.text("1"), .text("2")) { (server: MockServer) async throws in
            let request = session.request(
                server.url("/a%20b?q=1"), method: .post, headers: ["X": "1"],
                options: RequestOptions(modifier: { $0.httpBody = Data("body".utf8) }))
            _ = try await request.serializing(Data.self).value
            _ = try await session.request(server.url()).serializing(Data.self).value
            let seen = try await server.takeRequest()
            #expect(seen.method == .post)
            #expect(seen.path == "/a%20b")
            #expect(seen.query == "q=1")
            #expect(seen.headers["x"] == "1")
            #expect(seen.text == "body")
            #expect(seen.httpVersion == "HTTP/1.1")
            #expect(try await server.takeRequest().connection == seen.connection)
            #expect(await server.connectionCount == 1)
        }
    }

    @Test("takeRequest(within:) ends at its time limit, at a cancel, or when the server stops")
    func taking() async throws {
        let server = try await MockServer.start()
        await #expect(throws: MockServer.Failure.self) { try await server.takeRequest(within: .zero) }
        let cancelled = Task { try await server.takeRequest() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await server.takeRequest() }
        _ = await session.request(server.url("/late")).serializing(Data.self).result
        #expect(try await waiting.value.path == "/late")
        let stopped = Task { try await server.takeRequest() }
        await server.stop()
        await #expect(throws: MockServer.Failure.self) { try await stopped.value }
    }

    @Test("stop() ends stalled connections, delayed responses and closures of routes that wait")
    func stopping() async throws {
        let server = try await MockServer.start()
        let arrived = Gate()
        await server.route("/wait") { _ in
            arrived.open()
            await Gate().wait()
            return .status(200)
        }
        await server.route("/stall") { _ in .fault(.stall) }
        await server.route("/slow") { _ in .status(200).delayed(by: .seconds(1000)) }
        let tasks = ["/wait", "/stall", "/slow"].map { path in
            Task { await session.request(server.url(path)).serializing(Data.self).result }
        }
        await arrived.wait()
        for _ in 0..<3 { _ = try await server.takeRequest() }
        await server.stop()
        for task in tasks { #expect(await task.value.failure != nil) }
        #expect(await server.openConnectionCount == 0)
    }

    @Test("A stalled connection is closed when its client closes it")
    func abandoned() async throws {
        try await withServer(.fault(.stall)) { (server: MockServer) async throws in
            let task = Task { await session.request(server.url()).serializing(Data.self).result }
            _ = try await server.takeRequest()
            task.cancel()
            _ = await task.value
            await session.finish()
            await server.connectionsClosed()
        }
    }

    @Test(
        "A fault after more bytes than the body has comes at the body's end, over a server and a stub",
        arguments: [
            (MockResponse.Fault.truncate(after: 5), .bodyEndedEarly), (.truncate(after: 99), .bodyEndedEarly),
            (.resetMidBody(after: 99), .connectionLost), (.stallMidBody(after: 99), .timedOut),
        ] as [(MockResponse.Fault, AsyncNetError.Code)])
    func lateFaults(_ fault: MockResponse.Fault, _ code: AsyncNetError.Code) async throws {
        let clock = TestClock()
        let options = SessionConfiguration(timeout: .seconds(1), clock: clock)
        for reply in [MockResponse.text("hello"), .chunked(["hel", "lo"]), .chunked(["hello"], trailers: ["X": "1"])] {
            try await withServer(reply.with(fault)) { (server: MockServer) async throws in
                let stub = Session(transport: StubTransport { _ in reply.with(fault) }, configuration: options)
                for (session, url) in [(stub, try "http://a/".asURL()), (Session(), server.url())] {
                    let isStub = session === stub
                    guard isStub || code != .timedOut else { continue }
                    let response = await clock.run { await session.request(url).serializing(Data.self).response }
                    #expect(response.error?.code == code, "\(isStub) \(reply.chunks?.count ?? 0)")
                    #expect(!isStub || response.metrics.receivedBytes == 5)
                }
            }
        }
    }

    @Test("With a stall at a body's end, Content-Length is one byte more than the bytes that are sent")
    func lateStall() async throws {
        try await withServer(.text("hello").with(.stallMidBody(after: 99))) { (server: MockServer) async throws in
            var text = ""
            let stream = Session().stream(server.url())
            #expect(try await stream.head.value(for: "Content-Length") == "6")
            for try await chunk in stream.chunks {
                text += String(decoding: chunk, as: UTF8.self)
                if text == "hello" { break }
            }
            #expect(text == "hello")
        }
    }

    @Test(
        "A fault of HTTP/2 on an HTTP/1.1 connection becomes the nearest fault of HTTP/1.1",
        arguments: [
            (MockResponse.Fault.resetStream(.cancel), .connectionLost),
            (.resetStream(.cancel, after: 3), .connectionLost), (.goAway(lastStream: 0), .emptyReply),
            (.goAway(), nil),
        ] as [(MockResponse.Fault, AsyncNetError.Code?)])
    func faultsOfHTTP2(_ fault: MockResponse.Fault, _ code: AsyncNetError.Code?) async throws {
        try await withServer(.text("hello").with(fault)) { (server: MockServer) async throws in
            let session = Session()
            let result = await session.upload(.data(Data()), to: server.url()).serializing(String.self).result
            #expect(result.failure?.code == code)
            await server.connectionsClosed()
        }
    }

    @Test("A route's response with .earlyResponse is sent before the request's body is read")
    func early() async throws {
        let server = try await MockServer.start()
        server.on(.post, "/", replies: .status(413).with(.earlyResponse))
        let (chunks, control) = AsyncStream.makeStream(of: Data.self)
        control.yield(Data("begin".utf8))
        let upload = Session().upload(.stream(chunks), to: server.url())
        #expect(await upload.serializing(Data.self).response.head?.statusCode == 413)
        control.finish()
        await server.stop()
    }

    @Test(
        "A request's version and Connection header decide whether the server closes its connection (RFC 9112 §9.3)",
        arguments: [
            ("HTTP/1.1", nil, false), ("HTTP/1.1", "close", true), ("HTTP/1.1", "Keep-Alive, Close", true),
            ("HTTP/1.0", nil, true), ("HTTP/1.0", "keep-alive", false),
        ] as [(String, String?, Bool)])
    func keeping(_ version: String, _ connection: String?, _ closes: Bool) throws {
        let line = connection.map { "\r\nConnection: \($0)" } ?? ""
        #expect(try MockConnection.parse("GET / \(version)\r\nHost: a\(line)").closesConnection == closes)
    }

    @Test("The path and query of a request in absolute form are those of its URL (RFC 9112 §3.2.2)")
    func absoluteForm() {
        let request = RecordedRequest(
            method: .get, target: "http://a:80/b?c=http://d/e", headers: [:], body: Data(), connection: 1,
            httpVersion: "HTTP/1.1")
        #expect(request.path == "/b" && request.query == "c=http://d/e")
    }

    @Test("A server that listens on ::1 has a URL with the host [::1]")
    func ipv6() async throws {
        let server = try await MockServer.start(on: .ipv6)
        #expect(server.url("/a").absoluteString == "http://[::1]:\(server.port)/a")
        await server.stop()
    }

    #if os(Linux)
        /// In a process of its own: other tests open and close hundreds of sockets meanwhile.
        @Test("Five hundred servers that start and stop leave no file descriptor open")
        func descriptors() async {
            await #expect(processExitsWith: .success) {
                func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
                await (try MockServer.start()).stop()
                let before = try open()
                for _ in 0..<500 { await (try MockServer.start()).stop() }
                #expect(try open() <= before + 5)
            }
        }
    #endif

    @TaskLocal private static var local = ""

    @Test("Routes' closures and WebSocket scripts have the task-local values of the test", arguments: [true, false])
    func taskLocals(_ isHTTP2: Bool) async throws {
        try await Self.$local.withValue("test") {
            let server = try await MockServer.start(speaks: isHTTP2 ? .http2 : .http1)
            server.on(.get, "/a") { _ in .text(Self.local) }
            server.on(
                .get, "/ws", replies: .webSocket { socket in try await socket.send(.text(Self.local)) })
            let session = Session(transport: .sockets(.init(httpVersion: isHTTP2 ? .http2 : .http1)))
            #expect(try await session.request(server.url("/a")).serializing(String.self).value == "test")
            if !isHTTP2 {
                let socket = session.webSocket(server.webSocketURL("/ws").absoluteString)
                #expect(try await socket.receive() == .text("test"))
            }
            await server.stop()
        }
    }

    @Test("stop() does not wait for a child process that was started while the server ran")
    func stopsBesideChild() async throws {
        let server = try await MockServer.start()
        let child = try ChildProcess(["cat"])
        await server.stop()
        withExtendedLifetime(child) {}
    }

    @Test("A server with keptRequests 3 drops the oldest of seven requests that were not taken")
    func keptRequests() async throws {
        let server = try await MockServer.start(keptRequests: 3)
        await server.route("/*") { _ in .status(204) }
        let session = Session()
        for index in 1...7 { _ = try await session.request(server.url("/\(index)")).serializing(NoContent.self).value }
        #expect(try await server.takeRequest().path == "/4")
        #expect(await server.requestCount == 7)
        await server.stop()
    }
}

@Suite("StubTransport", .timeLimit(.minutes(5)))
struct StubTransportTests {
    @Test(
        "Each fault of a StubTransport is the error that it would be over sockets",
        arguments: [
            (MockResponse.Fault.refuse, .cannotConnect), (.closeBeforeHead, .emptyReply),
            (.resetBeforeHead, .connectionLost), (.resetAfterHead, .connectionLost),
            (.resetMidBody(after: 3), .connectionLost), (.truncate(after: 3), .bodyEndedEarly),
            (.garbage, .badServerResponse), (.resetStream(.cancel), .connectionLost),
            (.resetStream(.cancel, after: 3), .bodyEndedEarly), (.goAway(lastStream: 0), .connectionLost),
        ] as [(MockResponse.Fault, AsyncNetError.Code)])
    func faults(_ fault: MockResponse.Fault, _ code: AsyncNetError.Code) async {
        let session = Session(transport: StubTransport { _ in .fault(fault) })
        #expect(await session.request("http://a/").serializing(Data.self).result.failure?.code == code)
    }

    @Test("Delays pass on the stub's clock, .drip delivers the whole body, the closure's error is .transportFailed")
    func others() async throws {
        let clock = TestClock()
        let slow = Session(transport: StubTransport(clock: clock) { _ in .text("x").delayed(by: .seconds(5)) })
        let task = Task { try await slow.request("http://a/").serializing(String.self).value }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
        #expect(try await task.value == "x")
        let drip = Session(transport: StubTransport { _ in .text("hello").with(.drip(bytes: 2, every: .zero)) })
        #expect(try await drip.request("http://a/").serializing(String.self).value == "hello")
        let failing = Session(transport: StubTransport { _ in throw CocoaError(.featureUnsupported) })
        #expect(await failing.request("http://a/").serializing(Data.self).result.failure?.code == .transportFailed)
    }
}

@Suite("TestClock", .timeLimit(.minutes(5)))
struct TestClockTests {
    @Test("A sleeper wakes when the clock reaches its deadline, and not before")
    func order() async throws {
        let clock = TestClock()
        let woken = AsyncStream.makeStream(of: Int.self)
        for seconds in [3, 1, 2] {
            Task {
                try await clock.sleep(for: .seconds(seconds))
                woken.continuation.yield(seconds)
            }
        }
        var iterator = woken.stream.makeAsyncIterator()
        await clock.sleepers(atLeast: 3)
        for seconds in 1...3 {
            clock.advance(by: .seconds(1))
            #expect(await iterator.next() == seconds)
            #expect(clock.sleeperCount == 3 - seconds)
        }
    }

    @Test("A cancelled sleep throws CancellationError, and a cancelled sleepers(atLeast:) returns")
    func cancelling() async {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        let watcher = Task { await clock.sleepers(atLeast: 1) }
        watcher.cancel()
        await watcher.value
    }
}
