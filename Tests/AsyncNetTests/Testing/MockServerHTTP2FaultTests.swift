import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("MockServer over HTTP/2, faults", .timeLimit(.minutes(5)))
struct MockServerHTTP2FaultTests {
    @Test(
        "Each fault over HTTP/2 ends the request with the error of that fault",
        arguments: [
            (MockResponse.Fault.closeBeforeHead, .emptyReply), (.resetBeforeHead, .connectionLost),
            (.resetAfterHead, .connectionLost), (.resetMidBody(after: 3), .connectionLost),
            (.truncate(after: 3), .bodyEndedEarly), (.truncate(after: 1000), .bodyEndedEarly),
            (.garbage, .badServerResponse), (.resetStream(.internalError), .connectionLost),
            (.resetStream(.noError), .connectionLost), (.resetStream(.internalError, after: 3), .bodyEndedEarly),
            (.resetStream(.cancel, after: 1000), .bodyEndedEarly),
        ] as [(MockResponse.Fault, AsyncNetError.Code)], HTTP2Client.allCases)
    func faults(_ fault: (MockResponse.Fault, code: AsyncNetError.Code), _ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/", replies: .fault(fault.0))
            let result = await session.upload(.data(Data("a".utf8)), to: server.url()).serializing(Data.self).result
            #expect(result.failure != nil)
            // libcurl has other codes for some.
            #expect(client == .libcurl || result.failure?.code == fault.code, "\(result)")
            #expect(await server.requestCount == 1)
        }
    }

    @Test("A stream reset by the server does not end other streams of the connection", arguments: HTTP2Client.allCases)
    func reset(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            let (arrived, gate) = (Gate(), Gate())
            server.on(.get, "/waits") { _ in
                arrived.open()
                await gate.wait()
                return .text("hello")
            }
            server.on(.post, "/reset", replies: .fault(.resetStream(.internalError, after: 10)))
            async let value = session.request(server.url("/waits")).serializing(String.self).value
            await arrived.wait()
            let failed = await session.upload(.data(Data()), to: server.url("/reset")).serializing(Data.self).result
            #expect(failed.failure != nil)
            gate.open()
            let text = try await value
            #expect(text == "hello")
            #expect(await server.connectionCount == 1)
        }
    }

    @Test(
        "A body sent with .drip arrives whole, and one with .stallMidBody up to the stall",
        arguments: HTTP2Client.allCases)
    func slow(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            let text = MockResponse.text("hello world")
            server.on(.get, "/drips", replies: text.with(.drip(bytes: 3, every: .milliseconds(1))))
            server.on(.get, "/stalls", replies: text.with(.stallMidBody(after: 5)))
            #expect(try await session.request(server.url("/drips")).serializing(String.self).value == "hello world")
            var read = ""
            for try await chunk in session.stream(server.url("/stalls")).chunks {
                read += String(decoding: chunk, as: UTF8.self)
                if read == "hello" { break }
            }
            #expect(read == "hello")
        }
    }

    @Test("With .earlyResponse the response arrives before the body was sent, and the connection is reused")
    func early() async throws {
        try await withHTTP2Server(.sockets, .init(initialWindow: 1000)) {
            (server: MockServer, session: Session) async throws in
            server.on(.post, "/", replies: .status(413, body: "too large").with(.earlyResponse))
            server.on(.get, "/", replies: .text("next"))
            let upload = session.upload(.data(Data(count: 1_000_000)), to: server.url())
            let response = await upload.serializing(String.self).response
            #expect(response.head?.statusCode == 413)
            #expect(try response.result.get() == "too large")
            #expect(try await session.request(server.url()).serializing(String.self).value == "next")
            #expect(try await server.takeRequest().body.isEmpty)
            #expect(await server.connectionCount == 1)
        }
    }

    @Test(
        "A body that the server cuts short ends with bodyEndedEarly, with Content-Length and without",
        arguments: [true, false])
    func cut(isChunked: Bool) async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            for fault in [MockResponse.Fault.resetStream(.noError, after: 5), .truncate(after: 5)] {
                await server.enqueue((isChunked ? MockResponse.chunked(["hel", "lo"]) : .text("hello")).with(fault))
                let result = await session.request(server.url()).serializing(String.self).result
                #expect(result.failure?.code == .bodyEndedEarly, "\(fault)")
            }
        }
    }

    private static let mixed: [MockResponse.Fault?] = [
        nil, nil, .resetStream(.refusedStream), .resetStream(.cancel), .resetStream(.noError, after: 20),
        .resetStream(.internalError, after: 3000), .drip(bytes: 1000, every: .milliseconds(1)), .goAway(),
        .goAway(lastStream: 0x7FFF_FFFF), .goAway(lastStream: 0), .truncate(after: 100), .resetMidBody(after: 10),
        .closeBeforeHead, .resetBeforeHead,
    ]

    @Test(
        "With all faults mixed over one session, each response that succeeds has the body of its own request",
        arguments: [100, 100_000])
    func mixture(window: Int) async throws {
        let settings = MockServer.HTTP2(concurrentStreams: 7, initialWindow: window)
        try await withHTTP2Server(.sockets, settings) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/:fault") { request in
                var reply = MockResponse.data(request.body)
                reply.fault = Self.mixed[Int(request.parameters["fault"] ?? "") ?? 0]
                return reply
            }
            let echoes = (0..<150).map { number in
                Task {
                    let body = Data(repeating: UInt8(number), count: 10_000)
                    let url = server.url("/\(number % Self.mixed.count)")
                    let value = try? await session.upload(.data(body), to: url).serializing(Data.self).value
                    return value == nil || value == body
                }
            }
            for echo in echoes { #expect(await echo.value) }
        }
    }

    // MARK: What is sent again

    @Test(
        "A POST that REFUSED_STREAM or GOAWAY marks as unprocessed is sent again",
        arguments: [
            (MockResponse.Fault.resetStream(.refusedStream), 1), (.goAway(.noError, lastStream: 0), 2),
            (.goAway(.enhanceYourCalm, lastStream: 0), 2),
        ])
    func unprocessed(_ fault: MockResponse.Fault, _ connections: Int) async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/", replies: .fault(fault), .text("done"))
            let request = session.upload(.data(Data("a".utf8)), to: server.url())
            #expect(try await request.serializing(String.self).value == "done")
            #expect(await server.requestCount == 2)
            #expect(await server.connectionCount == connections)
        }
    }

    @Test("HTTP_1_1_REQUIRED makes the client send the request over HTTP/1.1")
    func http11Required() async throws {
        try await withHTTP2Server(.sockets, tls: .selfSigned, speaks: .both) {
            (server: MockServer, session: Session) async throws in
            server.on(.post, "/", replies: .fault(.resetStream(.http11Required)), .text("done"))
            let request = session.upload(.data(Data("a".utf8)), to: server.url())
            #expect(try await request.serializing(String.self).value == "done")
            #expect(server.requests.map(\.httpVersion) == ["HTTP/2", "HTTP/1.1"])
        }
    }

    @Test(
        "After GOAWAY the running response arrives, and the next request opens another connection",
        arguments: HTTP2Client.allCases, [nil, 0x7FFF_FFFF])
    func goAway(_ client: HTTP2Client, _ lastStream: UInt32?) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            let leaving = MockResponse.text("first").with(.goAway(lastStream: lastStream))
            await server.enqueue(leaving, .text("second"))
            #expect(try await session.request(server.url()).serializing(String.self).value == "first")
            #expect(try await session.request(server.url()).serializing(String.self).value == "second")
            #expect(await server.connectionCount == 2)
        }
    }

    @Test(
        "The server closes the connection after GOAWAY, unless GOAWAY is only a warning", arguments: [nil, 0x7FFF_FFFF])
    func goAwayEnd(_ lastStream: UInt32?) async throws {
        let server = try await MockServer.start(speaks: .http2)
        await server.enqueue(.text("first").with(.goAway(lastStream: lastStream)), .text("second"))
        let connection = try await Session().connect(to: "127.0.0.1", port: server.port, tls: .none)
        var frames = FrameWriter()
        frames.raw(HTTP2Frame.preface)
        frames.settings()
        frames.get(on: 1)
        // One that the server has received before it sends GOAWAY, or one that follows the warning.
        var hasSentBoth = lastStream == nil
        if hasSentBoth { frames.get(on: 3) }
        try await connection.write(Data(frames.bytes))
        var received: [UInt8] = []
        var ended: [UInt32] { WrittenFrame.all(received).filter { $0.kind == 0 && $0.flags == 1 }.map(\.stream) }
        for try await bytes in connection.bytes {
            received += bytes
            if ended == [1], !hasSentBoth {
                hasSentBoth = true
                var next = FrameWriter()
                next.get(on: 3)
                try await connection.write(Data(next.bytes))
            }
            if ended.count == 2 { break }
        }
        #expect(ended == (lastStream == nil ? [1] : [1, 3]))
        #expect(WrittenFrame.all(received).contains { $0.kind == 7 })
        await server.stop()
    }

    @Test("A response with Connection: close ends the HTTP/2 connection by GOAWAY", arguments: HTTP2Client.allCases)
    func connectionClose(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            await server.enqueue(.text("first", headers: ["Connection": "close"]), .text("second"))
            #expect(try await session.request(server.url()).serializing(String.self).value == "first")
            await server.connectionsClosed()
            #expect(try await session.request(server.url()).serializing(String.self).value == "second")
        }
    }

    @Test("goAway() closes idle connections, and the next request opens another one")
    func leaving() async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            server.on(.get, "/", replies: .text("hello"))
            #expect(try await session.request(server.url()).serializing(String.self).value == "hello")
            await server.goAway()
            await server.connectionsClosed()
            #expect(try await session.request(server.url()).serializing(String.self).value == "hello")
            #expect(await server.connectionCount == 2)
        }
    }

    // MARK: Settings

    @Test("Requests above the server's limit of streams wait, and each is received once")
    func streamLimit() async throws {
        try await withHTTP2Server(.sockets, .init(concurrentStreams: 5)) {
            (server: MockServer, session: Session) async throws in
            server.on(.post, "/") { .text($0.text) }
            let echoes = (0..<30).map { number in
                Task {
                    let request = session.upload(.data(Data("\(number)".utf8)), to: server.url())
                    return try await request.serializing(String.self).value
                }
            }
            var texts: [String] = []
            for echo in echoes { texts.append(try await echo.value) }
            #expect(Set(texts).count == 30)
            #expect(await server.requestCount == 30)
        }
    }

    @Test(
        "An upload waits while the server's window is 0, and continues when the server opens it",
        arguments: HTTP2Client.allCases)
    func window(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client, .init(initialWindow: 0)) {
            (server: MockServer, session: Session) async throws in
            server.on(.get, "/", replies: .text("hello"))
            server.on(.post, "/") { .text("\($0.body.count)") }
            #expect(try await session.request(server.url()).serializing(String.self).value == "hello")
            async let sent = session.upload(.data(Data(count: 100_000)), to: server.url()).serializing(String.self)
                .value
            #expect(try await session.request(server.url()).serializing(String.self).value == "hello")
            #expect(await server.requestCount == 2)
            await server.update(.init(initialWindow: 1000))
            let count = try await sent
            #expect(count == "100000")
            #expect(await server.connectionCount == 1)
        }
    }

    // MARK: Frames

    @Test("Frames enqueued as .frames are sent unchanged")
    func frames() async throws {
        let head = MockResponse.Frame(1, flags: 4, Data([0x88]))
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            let unknown = MockResponse.Frame(0xBE, on: 0, Data("unknown".utf8))
            let padded = MockResponse.Frame(0, flags: 8, Data([2, 0x68, 0x69, 0, 0]))
            await server.enqueue(
                .frames([head, unknown, padded, .init(0, flags: 1)]), .frames([head, .init(8, on: 0, Data(count: 4))]))
            #expect(try await session.request(server.url()).serializing(String.self).value == "hi")
            let result = await session.upload(.data(Data()), to: server.url()).serializing(String.self).result
            #expect(result.failure?.code == .badServerResponse)
        }
    }

    @Test("Bytes enqueued as .raw end the request with badServerResponse")
    func raw() async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            await server.enqueue(.raw("HTTP/1.1 200 OK\r\n\r\n"))
            let result = await session.upload(.data(Data()), to: server.url()).serializing(String.self).result
            #expect(result.failure?.code == .badServerResponse)
        }
    }

    @Test("A .webSocket response over HTTP/2 resets the stream with HTTP_1_1_REQUIRED")
    func webSocket() async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/", replies: .webSocket { _ in })
            let result = await session.upload(.data(Data()), to: server.url()).serializing(String.self).result
            #expect(result.failure?.message.contains("HTTP_1_1_REQUIRED") == true)
        }
    }
}

extension FrameWriter {
    fileprivate mutating func get(on stream: UInt32) {
        headers([(":method", "GET"), (":scheme", "http"), (":path", "/")], on: stream, ends: true)
    }
}
