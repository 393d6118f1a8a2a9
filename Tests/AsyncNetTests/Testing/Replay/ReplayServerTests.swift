import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

@Suite("MockServer with a recording", .timeLimit(.minutes(5)))
struct ReplayServerTests {
    typealias Request = RecordedExchange.Request
    typealias Response = RecordedExchange.Response

    private func withReplay(
        _ exchanges: RecordedExchange..., pace: ReplayPace = .immediate, port: Int = 0,
        onReplay: (@Sendable (ReplayedRequest) -> Void)? = nil,
        _ body: (MockServer, Session) async throws -> Void
    ) async throws {
        let server = try await MockServer.start(
            replaying: Recording(exchanges), pace: pace, port: port, onReplay: onReplay)
        let session = Session()
        let result = await Result { try await body(server, session) }
        await session.finish()
        await server.stop()
        try result.get()
    }

    private func code(_ session: Session, _ url: URL) async -> AsyncNetError.Code? {
        do throws(AsyncNetError) { _ = try await session.request(url).serializing(String.self).value } catch {
            return error.code
        }
        return nil
    }

    @Test("Requests get the recorded responses of another origin, matched by query and body, in order")
    func matching() async throws {
        try await withReplay(
            .text(Request("GET /users?page=1"), "one"), .text(Request("GET /users?page=1"), "again"),
            .text(Request("POST /users", #"{"n":1}"#, type: "application/json"), "made", status: 201)
        ) { (server: MockServer, session: Session) async throws in
            let url = server.url("/users?page=1").absoluteString
            let users = server.url("/users").absoluteString
            let made = try await session.text("POST \(users)", #"{ "n": 1.0 }"#, type: "application/json")
            let first = try await session.text("GET \(url)")
            #expect(server.unusedExchanges.count == 1)
            let second = try await session.text("GET \(url)")
            #expect([made, first, second] == ["made", "one", "again"])
            try server.verify()
        }
    }

    @Test("An unmatched request gets a 501 with the differences, and is reported")
    func unmatched() async throws {
        try await withReplay(.text(Request("GET /users/2?token=abc"))) {
            (server: MockServer, session: Session) async throws in
            let url = server.url("/users/1?token=secret")
            let response = await session.request(url).serializing(String.self).response
            #expect(response.statusCode == 501)
            #expect(response.head?.mediaType?.description == "text/plain")
            let text = response.data.map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(text.contains("- path: /users/1 ≠ /users/2"))
            #expect(text.contains("http://127.0.0.1/users/1?token=REDACTED"))
            #expect(!text.contains("secret") && !text.contains("origin"))
            #expect(server.unmatchedRequests.map(\.nearest) == [1])
            #expect(throws: UnmetExpectations.self) { try server.verify() }
        }
    }

    @Test("onReplay reports each request, and the exchange used if there is one")
    func reports() async throws {
        let reports = Locked<[String]>([])
        try await withReplay(
            .text(Request("GET /a?key=abc"), status: 404), .failing(Request("GET /b"), .connectionLost),
            onReplay: { report in reports.withLock { $0.append("\(report)") } }
        ) { (server: MockServer, session: Session) async throws in
            for path in ["/a?key=abc", "/b", "/c"] { _ = await code(session, server.url(path)) }
        }
        #expect(
            reports.withLock { $0 } == [
                "GET /a?key=REDACTED: 404, exchange 1", "GET /b: a failure, exchange 2",
                "GET /c: 501, no exchange matches",
            ])
    }

    @Test("Head, interim responses, chunks and trailers are sent, without recorded codings and framing headers")
    func wholeResponse() async throws {
        var response = Response.chunks(
            "one", "two",
            headers: [
                "Content-Type: text/plain", "X: 1", "X: 2", "Content-Encoding: gzip", "Content-Length: 99",
                "Transfer-Encoding: gzip", "Connection: close", HTTPHeader(name: ":status", value: "200"),
            ])
        (response.reason, response.trailers) = ("Fine", ["X-Sum": "9"])
        response.informational = [.init(103, headers: ["Link": "</s>"])]
        try await withReplay(RecordedExchange(Request("GET /a"), .response(response))) {
            (server: MockServer, session: Session) async throws in
            let seen = await session.request(server.url("/a")).serializing(String.self).response
            #expect(seen.value == "onetwo")
            #expect(seen.head?.reasonPhrase == "Fine")
            #expect(
                seen.head?.headers.map { "\($0)" } == [
                    "Content-Type: text/plain", "X: 1", "X: 2", "Transfer-Encoding: chunked",
                ])
        }
    }

    @Test("Responses to HEAD, 204 and 304 have no body, and a Content-Length only if one was recorded")
    func noBody() async throws {
        try await withReplay(
            RecordedExchange(Request("HEAD /a"), .response(.init(200, headers: ["Content-Length": "5"]))),
            RecordedExchange(Request("HEAD /b"), .response(.init(200))),
            RecordedExchange(Request("DELETE /c"), .response(.init(204))),
            RecordedExchange(Request("GET /d"), .response(.init(200)))
        ) { (server: MockServer, session: Session) async throws in
            func headers(_ method: HTTPMethod, _ path: String) async -> [String] {
                let request = session.request(server.url(path), method: method)
                let head = await request.serializing(Data.self).response.head
                return ["\(head?.statusCode ?? 0)"] + (head?.headers.map { "\($0)" } ?? [])
            }
            #expect(await headers(.head, "/a") == ["200", "Content-Length: 5"])
            #expect(await headers(.head, "/b") == ["200", "Transfer-Encoding: chunked"])
            #expect(await headers(.delete, "/c") == ["204"])
            #expect(await headers(.get, "/d") == ["200", "Content-Length: 0"])
        }
    }

    @Test("A Location at a recorded origin is rewritten to the server, and another one is unchanged")
    func redirects() async throws {
        try await withReplay(
            .text(Request("GET /a"), status: 302, headers: ["Location": "https://api.example.com/b?c=1#d"]),
            .text(Request("GET /b?c=1"), "arrived"),
            .text(Request("GET /e"), status: 302, headers: ["Location": "https://elsewhere.example/f"])
        ) { (server: MockServer, session: Session) async throws in
            #expect(try await session.text("GET \(server.url("/a").absoluteString)") == "arrived")
            let request = session.request(server.url("/e"))
            request.redirects(.doNotFollow)
            let head = await request.serializing(String.self).response.head
            #expect(head?.headers["Location"] == "https://elsewhere.example/f")
        }
    }

    @Test(
        "A recorded failure before the head is replayed as a closed connection, or as bytes that are not HTTP",
        arguments: [
            (.connectionLost, .connectionLost), (.emptyReply, .emptyReply), (.bodyEndedEarly, .connectionLost),
            (.badServerResponse, .badServerResponse), (.certificateExpired, .connectionLost),
        ] as [(AsyncNetError.Code, AsyncNetError.Code)])
    func failuresBeforeHead(_ recorded: AsyncNetError.Code, _ expected: AsyncNetError.Code) async throws {
        try await withReplay(.failing(Request("GET /a"), recorded), .failing(Request("GET /a"), recorded)) {
            (server: MockServer, session: Session) async throws in
            let code = await code(session, server.url("/a"))
            #expect(code == expected)
        }
    }

    @Test(
        "A recorded failure in a body follows its chunks, with recorded delays too",
        arguments: [AsyncNetError.Code.connectionLost, .bodyEndedEarly], [ReplayPace.immediate, .recorded])
    func failuresInBody(_ recorded: AsyncNetError.Code, _ pace: ReplayPace) async throws {
        var response = Response(
            200, chunks: ["one", "two"].map { .init(Data($0.utf8), delay: .milliseconds(5)) })
        response.failure = .init(recorded)
        try await withReplay(RecordedExchange(Request("GET /a"), .response(response)), pace: pace) {
            (server: MockServer, session: Session) async throws in
            var text = Data()
            do {
                for try await chunk in session.stream(server.url("/a")).chunks { text += chunk }
                Issue.record("The body was recorded with a failure")
            } catch AsyncNetError.Code.bodyEndedEarly {} catch AsyncNetError.Code.connectionLost {}
            #expect(String(decoding: text, as: UTF8.self) == "onetwo")
        }
    }

    @Test("Chunks are sent with their recorded delays")
    func pace() async throws {
        var response = Response(
            200, chunks: [100, 150, 200].map { .init(Data("\($0)".utf8), delay: .milliseconds($0)) })
        response.trailers = ["X": "1"]
        let exchange = RecordedExchange(Request("GET /a"), .response(response), latency: .milliseconds(40))
        let start = ContinuousClock.now
        try await withReplay(exchange, pace: .recorded) { (server: MockServer, session: Session) async throws in
            #expect(try await session.text("GET \(server.url("/a").absoluteString)") == "100150200")
        }
        #expect(ContinuousClock.now - start >= .milliseconds(490))
    }

    @Test("A server starts on the given port, also again after stop(), and an invalid port is an error")
    func port() async throws {
        // Below the ports that systems pick, which servers of other tests have.
        let port = Int.random(in: 20_000..<32_000)
        for _ in 0..<3 {
            try await withReplay(.text(Request("GET /a"), "x"), port: port) {
                (server: MockServer, session: Session) async throws in
                #expect(server.port == port)
                #expect(try await session.text("GET \(server.url("/a").absoluteString)") == "x")
            }
        }
        await #expect(throws: MockServer.Failure.self) { _ = try await MockServer.start(port: 65_536) }
        await #expect(throws: MockServer.Failure.self) { _ = try await MockServer.start(port: -1) }
    }

    @Test("A request with an absolute-form target is matched by that URL (RFC 9112 §3.2.2)")
    func wholeURLs() {
        let plan = ReplayPlan(
            Recording([.text(Request("GET /a?b=1"))]), RequestComparison(RequestMatcher.standard, .standard))
        let source = ReplaySource(plan, reusesLast: false)
        let replay = ServerReplay(source: source, pace: .immediate, isTLS: false, onReplay: nil)
        let request = RecordedRequest(
            method: .get, target: "https://api.example.com/a?b=1", headers: [:], body: Data(), connection: 1,
            httpVersion: "HTTP/1.1")
        #expect(replay.response(to: request).statusCode == 200)
    }

    @Test("Two hundred concurrent requests use each exchange once")
    func concurrency() async throws {
        let exchanges = (0..<200).map { RecordedExchange.text(Request("GET /\($0 % 4)"), "\($0)") }
        let server = try await MockServer.start(replaying: Recording(exchanges))
        let session = Session()
        let texts = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<200 {
                let url = server.url("/\(number % 4)").absoluteString
                group.addTask { Int(try await session.text("GET \(url)")) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts.compactMap(\.self).sorted() == Array(0..<200))
        try server.verify()
        await session.finish()
        await server.stop()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
