import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("HTTP/2 over sockets")
struct HTTP2ConnectionTests {
    private static func session() -> Session {
        // The servers of scripts answer no PING, and may have to wait for a minute on a busy machine.
        Session(
            transport: .sockets(
                .init(
                    httpVersion: .http2, idleTimeout: .seconds(600), eventLoops: 1,
                    http2KeepAlive: .init(interval: .seconds(600)))))
    }

    private static func result(
        of server: ScriptedHTTP2Server, _ body: RequestBody = .none
    ) async throws -> String {
        guard !body.isNone else { return try await session().request(try server.url).serializing(String.self).value }
        return try await session().upload(body, to: try server.url).serializing(String.self).value
    }

    @Test("A response over HTTP/2 has the version, no reason phrase, the headers and the body")
    func response() async throws {
        let server = try ScriptedHTTP2Server([.settings, .read(1), .text("hello"), .readAll])
        let response = await Self.session().request(try server.url).serializing(String.self).response
        #expect(try response.result.get() == "hello")
        #expect(response.head?.httpVersion == "HTTP/2")
        #expect(response.head?.reasonPhrase == "")
        #expect(response.head?.headers["Content-Type"] == "text/plain")
    }

    @Test("Twenty requests that wait for the first connection share it")
    func sharing() async throws {
        let server = try ScriptedHTTP2Server(
            [
                .settings, .read(1, count: 20),
                .frames { writer in
                    for stream in (0..<20).reversed() {
                        writer.headers([(":status", "200")], on: UInt32(stream * 2 + 1))
                        writer.data("\(stream)", on: UInt32(stream * 2 + 1), ends: true)
                    }
                }, .readAll,
            ])
        let (session, url) = (Self.session(), try server.url)
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await session.request(url).serializing(String.self).value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values == Set((0..<20).map(String.init)))
    }

    @Test("With SETTINGS_MAX_CONCURRENT_STREAMS 1, requests follow one another on a connection")
    func oneStream() async throws {
        let steps: [ScriptedHTTP2Server.Step] = [.frames { $0.settings([(3, 1)]) }, .read(1), .text("0")]
        let server = try ScriptedHTTP2Server(
            steps + [.read(1), .text("1", on: 3), .read(1), .text("2", on: 5), .readAll])
        let (session, url) = (Self.session(), try server.url)
        for index in 0..<3 {
            #expect(try await session.request(url).serializing(String.self).value == "\(index)")
        }
    }

    @Test("A limit of 0 streams ends with its connection: the next one sends a request before SETTINGS arrive")
    func noStreams() async throws {
        // The server's SETTINGS follow the preface and the request.
        let server = try ScriptedHTTP2Server(
            [.settings, .read(1), .frames { $0.settings([(3, 0)]) }, .text("first"), .close],
            [.read(1), .settings, .text("second"), .readAll])
        let (session, url) = (Self.session(), try server.url)
        #expect(try await session.request(url).serializing(String.self).value == "first")
        #expect(try await session.request(url).serializing(String.self).value == "second")
    }

    @Test("The bytes of complete responses are returned to the connection's window")
    func connectionWindow() async throws {
        let responses = (0..<40).map { index -> [ScriptedHTTP2Server.Step] in
            [.read(1), .text(String(repeating: "a", count: 1000), on: UInt32(index * 2 + 1))]
        }
        // Windows of 1024 bytes, and 128 times as much for the connection, of which a quarter is allowed again together.
        let server = try ScriptedHTTP2Server(
            [.settings, .read(8)] + responses[..<33].flatMap(\.self) + [.read(8)] + responses[33...].flatMap(\.self))
        let session = Session(
            transport: .sockets(
                .init(
                    httpVersion: .http2, maximumReceiveRate: 10_000, eventLoops: 1,
                    http2KeepAlive: .init(interval: .seconds(600)))))
        for _ in 0..<40 {
            // A POST, since it is not sent again on another connection.
            let request = session.upload(.data(Data()), to: try server.url)
            #expect(try await request.serializing(Data.self).value.count == 1000)
        }
    }

    // MARK: What is sent again

    @Test(
        "A POST that gets REFUSED_STREAM, or GOAWAY below its stream, is sent again",
        arguments: [
            ScriptedHTTP2Server.Step.frames { $0.numbers(3, on: 1, 7) }, .frames { $0.numbers(7, 0, 0) },
            .frames { $0.numbers(7, 0, 11) },
        ])
    func unprocessed(refusal: ScriptedHTTP2Server.Step) async throws {
        let again: [ScriptedHTTP2Server.Step] = [.settings, .read(0), .text("done"), .readAll]
        // A refused stream is followed by another one, GOAWAY by another connection.
        let first: [ScriptedHTTP2Server.Step] = [
            .settings, .read(0), refusal, .read(0), .text("done", on: 3), .readAll,
        ]
        let server = try ScriptedHTTP2Server(first, again)
        #expect(try await Self.result(of: server, .data(Data("a".utf8))) == "done")
    }

    @Test(
        "A POST that gets RST_STREAM with another code, or whose connection ends, is not sent again",
        arguments: [
            (.frames { $0.numbers(3, on: 1, 2) }, .connectionLost),
            (.frames { $0.numbers(3, on: 1, 8) }, .connectionLost),
            (.frames { $0.numbers(3, on: 1, 0) }, .connectionLost),
            (.frames { $0.numbers(3, on: 1, 99) }, .connectionLost),
            (.close, .emptyReply), (.reset, .connectionLost),
        ] as [(ScriptedHTTP2Server.Step, AsyncNetError.Code)])
    func processed(end: ScriptedHTTP2Server.Step, code: AsyncNetError.Code) async throws {
        let server = try ScriptedHTTP2Server(
            [.settings, .read(0), end, .readAll], [.settings, .read(0), .text("twice")])
        let error = await #expect(throws: AsyncNetError.self) {
            try await Self.result(of: server, .data(Data("a".utf8)))
        }
        #expect(error?.code == code)
    }

    @Test("A request whose streams are refused each time ends with .connectionLost")
    func refusedForEver() async throws {
        let refusals = (0..<20).flatMap { index -> [ScriptedHTTP2Server.Step] in
            [.read(1), .frames { $0.numbers(3, on: UInt32(index * 2 + 1), 7) }]
        }
        let server = try ScriptedHTTP2Server([.settings] + refusals)
        let error = await #expect(throws: AsyncNetError.self) { try await Self.result(of: server) }
        #expect(error?.code == .connectionLost)
        #expect(error?.message.contains("REFUSED_STREAM") == true)
    }

    @Test(
        "HTTP_1_1_REQUIRED leads to HTTP/1.1, or to an error if the settings allow only HTTP/2",
        arguments: [MockResponse.Fault.resetStream(.http11Required), .goAway(.http11Required, lastStream: 0)])
    func http11Required(fault: MockResponse.Fault) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: .both)
        for reply in [MockResponse.fault(fault), .text("done"), .text("again"), .fault(fault)] {
            await server.enqueue(reply)
        }
        let tls = TLSConfiguration(trust: .anchors([server.anchor]))
        let session = Session(transport: .sockets(tls: tls))
        let response = await session.upload(.data(Data("a".utf8)), to: server.url()).serializing(String.self).response
        #expect(try response.result.get() == "done")
        #expect(response.head?.httpVersion == "HTTP/1.1")
        #expect(try await session.request(server.url()).serializing(String.self).value == "again")
        let only = Session(transport: .sockets(.init(tls: tls, httpVersion: .http2)))
        let error = await only.request(server.url()).serializing(String.self).response.error
        #expect(error?.code == .badServerResponse)
        #expect(error?.message.contains("HTTP_1_1_REQUIRED") == true)
        await server.stop()
    }

    @Test("HTTP/2 is negotiated over TLS if the server has it and the settings allow it")
    func negotiation() async throws {
        for (speaks, version, expected) in [
            (MockServer.Versions.both, SocketTransport.HTTPVersion.automatic, "HTTP/2"), (.both, .http1, "HTTP/1.1"),
            (.http1, .automatic, "HTTP/1.1"), (.http2, .automatic, "HTTP/2"), (.http1, .http2, nil),
        ] as [(MockServer.Versions, SocketTransport.HTTPVersion, String?)] {
            let server = try await MockServer.start(tls: .selfSigned, speaks: speaks)
            await server.enqueue(.text("a"))
            let tls = TLSConfiguration(trust: .anchors([server.anchor]))
            let session = Session(transport: .sockets(.init(tls: tls, httpVersion: version)))
            let response = await session.request(server.url()).serializing(String.self).response
            #expect(response.head?.httpVersion == expected, "\(speaks) \(version) \(response)")
            if expected == nil { #expect(response.error?.message.contains("HTTP/2") == true, "\(response)") }
            await server.stop()
        }
    }

    // MARK: Ends

    struct Cut: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let step: ScriptedHTTP2Server.Step
        let code: AsyncNetError.Code
    }

    static let cuts = [
        Cut(
            testDescription: "RST_STREAM with NO_ERROR", step: .frames { $0.numbers(3, on: 1, 0) },
            code: .bodyEndedEarly),
        Cut(
            testDescription: "RST_STREAM with CANCEL", step: .frames { $0.numbers(3, on: 1, 8) }, code: .bodyEndedEarly),
        Cut(testDescription: "GOAWAY and an end", step: .frames { $0.numbers(7, 1, 0) }, code: .bodyEndedEarly),
        Cut(testDescription: "The connection's end", step: .close, code: .bodyEndedEarly),
        Cut(testDescription: "A reset connection", step: .reset, code: .connectionLost),
    ]

    @Test(
        "A body that is cut by RST_STREAM, GOAWAY or the connection's end ends with an error", arguments: cuts,
        [nil, "5"])
    func cut(_ cut: Cut, length: String?) async throws {
        let server = try ScriptedHTTP2Server([
            .settings, .read(1),
            .frames {
                $0.headers([(":status", "200")] + (length.map { [("content-length", $0)] } ?? []))
                $0.data("hel")
            }, cut.step, .close,
        ])
        let error = await #expect(throws: AsyncNetError.self) { try await Self.result(of: server) }
        #expect(error?.code == cut.code)
    }

    @Test("The error of a violation names the server, the frame and the section of RFC 9113")
    func violation() async throws {
        let server = try ScriptedHTTP2Server([.settings, .read(1), .frames { $0.numbers(8, 0) }, .readAll])
        let error = await #expect(throws: AsyncNetError.self) { try await Self.result(of: server) }
        #expect(error?.code == .badServerResponse)
        #expect(error?.message == "The server sent a WINDOW_UPDATE frame of 0 (RFC 9113 §6.9)")
    }

    @Test("A 413 with RST_STREAM before the request's whole body is sent is the response", arguments: [nil, "3"])
    func earlyAnswer(length: String?) async throws {
        let server = try ScriptedHTTP2Server([
            .settings, .read(0),
            .frames {
                $0.headers([(":status", "413")] + (length.map { [("content-length", $0)] } ?? []))
                $0.data("too", ends: true)
                $0.numbers(3, on: 1, 0)
            }, .readAll,
        ])
        let body = RequestBody.data(Data(count: 1_000_000))
        let response = await Self.session().upload(body, to: try server.url).serializing(String.self).response
        #expect(response.head?.statusCode == 413)
        #expect(try response.result.get() == "too")
    }

    @Test("A body stream is sent after REFUSED_STREAM if none of it was read, due to Expect: 100-continue")
    func unreadBody() async throws {
        let server = try ScriptedHTTP2Server([
            .settings, .read(1), .frames { $0.numbers(3, on: 1, 7) }, .read(1),
            .frames { $0.headers([(":status", "100")], on: 3) },
            .read(0), .text("done", on: 3), .readAll,
        ])
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("a".utf8))
        continuation.finish()
        let request = Self.session().upload(
            .stream(stream, length: nil), to: try server.url, headers: ["Expect": "100-continue"])
        #expect(try await request.serializing(String.self).value == "done")
    }

    @Test("A request's body waits while the stream's window is empty, and goes on when the window grows")
    func uploadWindow() async throws {
        let server = try ScriptedHTTP2Server([
            .frames { $0.settings([(4, 0)]) }, .read(1), .text("first"), .read(1), .frames { $0.numbers(8, on: 3, 1) },
            .read(0), .frames { $0.settings([(4, 3)]) }, .read(0), .text("done", on: 3), .readAll,
        ])
        let (session, url) = (Self.session(), try server.url)
        #expect(try await session.request(url).serializing(String.self).value == "first")
        let body = RequestBody.data(Data("abcd".utf8))
        #expect(try await session.upload(body, to: url).serializing(String.self).value == "done")
    }

    @Test("A request waits while a silent server answers PING, and without an answer ends with .connectionLost")
    func keepAlive() async throws {
        for answers in [false, true] {
            let server = try await MockServer.start(speaks: .both, http2: .init(answersPings: answers))
            await server.enqueue(.text("late").delayed(by: .seconds(2)))
            let pings = SocketTransport.HTTP2KeepAlive(interval: .seconds(1), timeout: .milliseconds(500))
            let session = Session(transport: .sockets(.init(httpVersion: .http2, http2KeepAlive: pings)))
            let request = session.upload(.data(Data()), to: server.url("/"))
            let response = await request.serializing(String.self).response
            #expect(response.value == (answers ? "late" : nil))
            #expect(response.error?.code == (answers ? nil : .connectionLost))
            await server.stop()
        }
    }

    @Test("A response that is not read does not block others on its connection, and is later read whole")
    func unread() async throws {
        let server = try await MockServer.start(speaks: .both)
        let large = String(repeating: "0123456789abcdef", count: 500_000)
        await server.route("/large") { _ in .text(large) }
        await server.route("/small") { _ in .text(String(large.prefix(200_000))) }
        let session = Session(transport: .sockets(.init(httpVersion: .http2, eventLoops: 1)))
        var chunks = session.stream(server.url("/large")).chunks.makeAsyncIterator()
        var received = try await chunks.next() ?? Data()
        for _ in 0..<20 {
            #expect(try await session.request(server.url("/small")).serializing(Data.self).value.count == 200_000)
        }
        while let chunk = try await chunks.next() { received += chunk }
        #expect(received == Data(large.utf8))
        #expect(await server.connectionCount == 1)
        try server.verify()
        await server.stop()
    }

    @Test("A complete response is delivered although its request is suspended when the connection ends")
    func completeWhileSuspended() async throws {
        let server = try ScriptedHTTP2Server(
            [
                .settings, .read(1),
                .frames {
                    $0.headers([(":status", "200")])
                    $0.data("he")
                }, .read(1),
                .frames {
                    $0.data("llo", ends: true)
                    $0.headers([(":status", "204")], on: 3, ends: true)
                }, .close,
            ], [.settings, .read(1), .text("second connection"), .readAll])
        let (session, url) = (Self.session(), try server.url)
        let stream = session.stream(url)
        var chunks = stream.chunks.makeAsyncIterator()
        var body = try await chunks.next() ?? Data()
        await stream.suspend()
        #expect(try await session.request(url).serializing(Data.self).value.isEmpty)
        // The first connection has ended.
        #expect(try await session.request(url).serializing(String.self).value == "second connection")
        await stream.resume()
        while let chunk = try await chunks.next() { body += chunk }
        #expect(String(decoding: body, as: UTF8.self) == "hello")
    }

    @Test("A suspended request does not end until it is resumed, although its response is complete")
    func suspended() async throws {
        let server = try await MockServer.start(speaks: .both)
        let gate = Gate()
        await server.route("/") { _ in
            await gate.wait()
            return .text("done")
        }
        await server.route("/other") { _ in .text("other") }
        let session = Session(transport: .sockets(.init(httpVersion: .http2, eventLoops: 1)))
        let request = session.request(server.url("/"))
        async let value = request.serializing(String.self).value
        _ = try await server.takeRequest()
        await request.suspend()
        gate.open()
        #expect(try await session.request(server.url("/other")).serializing(String.self).value == "other")
        #expect(await request.state == .suspended)
        await request.resume()
        #expect(try await value == "done")
        await server.stop()
    }
}
