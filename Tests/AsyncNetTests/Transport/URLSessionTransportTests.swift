import AsyncNet
import AsyncNetTesting
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

/// Over real sockets: what servers do, right and wrong, and what comes of it.
@Suite("URLSession transport", .timeLimit(.minutes(1)))
struct URLSessionTransportTests {
    let session = Session(transport: .urlSession)

    private func result(
        _ reply: MockResponse, method: HTTPMethod = .get
    ) async throws -> DataResponse<String, AsyncNetError> {
        try await withServer(reply) { (server: MockServer) async throws in
            await session.request(server.url("/x"), method: method).serializing(String.self).response
        }
    }

    @Test("Good responses, odd ones among them, give their value", arguments: [
        (MockResponse.text("hello"), HTTPMethod.get, 200, "hello"), (.chunked(["he", "llo"]), .get, 200, "hello"), (.status(204), .get, 204, ""),
        (.status(205), .get, 205, ""), (.status(304), .get, 304, ""), (.text("hello"), .head, 200, ""), (.text("hello").after(informational: 103), .get, 200, "hello"),
        (.text("hello").after(informational: 100).after(informational: 102), .get, 200, "hello"), (.status(599, body: "x"), .get, 599, "x"),
        (.status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: "no"), .get, 401, "no"),
        (.status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]), .get, 401, ""), (.status(401, body: "no"), .get, 401, "no"),
        (.status(401, headers: ["WWW-Authenticate": "Basic"], body: "no"), .get, 401, "no"),
        (.status(401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\""], body: "no"), .get, 401, "no"),
        (.status(401, headers: ["WWW-Authenticate": "Bearer"], body: "no"), .get, 401, "no"), (.status(407, headers: ["Proxy-Authenticate": "Basic realm=\"r\""], body: "no"), .get, 407, "no"),
        (.text("hello").with(.drip(bytes: 1, every: .milliseconds(1))), .get, 200, "hello"), (.status(300, body: "several"), .get, 300, "several"),
        (.raw("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), .get, 204, ""), (.raw("HTTP/1.0 200 OK\r\n\r\nuntil the end"), .get, 200, "until the end"),
        (.raw("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"), .get, 200, "ok"),
    ] as [(MockResponse, HTTPMethod, Int, String)])
    func values(_ reply: MockResponse, _ method: HTTPMethod, _ status: Int, _ body: String) async throws {
        let response = try await result(reply, method: method)
        #expect(response.statusCode == status, "\(response)")
        #expect(response.value == body, "\(response)")
    }

    @Test("Bad responses give the right error", arguments: [
        (MockResponse.fault(.closeBeforeHead), .emptyReply), (.fault(.resetBeforeHead), .connectionLost), (.fault(.resetAfterHead), .connectionLost),
        (.fault(.resetMidBody(after: 10)), .connectionLost), (.fault(.truncate(after: 10)), .bodyEndedEarly), (.fault(.garbage), .badServerResponse),
        (.raw("HTTP/1.1 99 X\r\nContent-Length: 0\r\n\r\n"), .badServerResponse),
        (.raw("HTTP/1.1 1000 X\r\nContent-Length: 0\r\n\r\n"), .badServerResponse), (.raw("HTTP/1.1 abc X\r\n\r\n"), .badServerResponse),
        (.raw("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"), .badServerResponse), (.raw("HTTP/1.1 200 OK\r\nContent-Encoding: klingon\r\nContent-Length: 1\r\n\r\nx"), .badContentEncoding),
        (.raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"), .badContentEncoding),
        (.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx"), .badServerResponse),
        (.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"), .bodyEndedEarly), (.raw("HTTP/1.1 200 OK\r\nX: \u{0}\r\n\r\n"), .badServerResponse),
        (.raw("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n"), .badServerResponse), (.redirect(to: "mailto:a@b"), .redirectFailed),
        (.raw("HTTP/1.1 200 OK\r\n" + String(repeating: "X: \(String(repeating: "x", count: 1000))\r\n", count: 1049) + "Content-Length: 0\r\n\r\n"), .badServerResponse),
    ] as [(MockResponse, AsyncNetError.Code)])
    func errors(_ reply: MockResponse, _ code: AsyncNetError.Code) async throws {
        let response = try await result(reply)
        #expect(response.error?.code == code, "\(response)")
        #expect(response.error?.attempts == 1)
        #expect(response.error?.request != nil)
    }

    /// FoundationNetworking loses the body of a redirect without a target; the rest is there.
    @Test("A redirect without a target is the answer")
    func redirectToNowhere() async throws {
        let response = try await result(.status(302, body: "nowhere"))
        #expect(response.statusCode == 302)
        #expect(response.error == nil)
    }

    @Test("A connection that is reset as soon as it is made is either refused or lost")
    func resetAtOnce() async throws {
        let code = try await result(.fault(.refuse)).error?.code
        #expect(code == .cannotConnect || code == .connectionLost)
    }

    @Test("A body that drips is timed from its head")
    func timeToResponse() async throws {
        let response = try await result(.text("hello world").with(.drip(bytes: 1, every: .milliseconds(5))))
        #expect(try #require(response.metrics.timeToResponse) < response.metrics.total)
    }

    @Test("Nobody there, no such host, no such scheme")
    func unreachable() async throws {
        let refusing = try await MockServer.start(isRefusing: true)
        for (url, code) in [
            (refusing.url().absoluteString, .cannotConnect), ("http://nowhere.invalid/", .hostNotFound), ("gopher://a/", .unsupportedScheme), ("nonsense", .malformedURL),
        ] as [(String, AsyncNetError.Code)] {
            let error = await session.request(url).serializing(Data.self).result.failure
            #expect(error?.code == code, "\(url): \(error.map { "\($0)" } ?? "no error")")
        }
        await refusing.stop()
    }

    @Test("A server that never answers ends in a timeout, in the head and in the body", arguments: [MockResponse.Fault.stall, .stallMidBody(after: 3)])
    func silence(_ fault: MockResponse.Fault) async throws {
        let clock = TestClock()
        let session = Session(transport: .urlSession, configuration: .init(timeout: .seconds(5), clock: clock))
        try await withServer(.fault(fault)) { (server: MockServer) async throws in
            let task = Task { await session.request(server.url()).serializing(Data.self).result }
            _ = try await server.takeRequest()
            clock.advance(by: .seconds(4))
            // Activity moves the timer on, so more than one advance may be needed, but no time passes by itself.
            let end = Task {
                while !Task.isCancelled {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(5))
                    await Task.yield()
                }
            }
            #expect(await task.value.failure?.code == .timedOut)
            end.cancel()
            clock.advance(by: .seconds(1000))
        }
    }

    @Test("Redirects are followed with RFC 3986 targets, and the history is told")
    func redirects() async throws {
        try await withServer(.redirect(to: "../c?x=1#f", status: 301), .redirect(to: "d", status: 307), .text("end")) { (server: MockServer) async throws in
            let response = await session.request(server.url("/a/b"), method: .put).serializing(String.self).response
            #expect(response.value == "end")
            #expect(response.metrics.redirects.map(\.relativePath) == ["/c", "/d"])
            var seen: [String] = []
            for _ in 0..<3 { seen.append(try await server.takeRequest().target) }
            #expect(seen == ["/a/b", "/c?x=1", "/d"])
            #expect(response.request?.url?.path() == "/d")
            #expect(await server.connectionCount == 1)
        }
    }

    @Test("307 and 308 send the body again, 303 does not", arguments: [(307, "POST", "body"), (308, "POST", "body"), (303, "GET", ""), (302, "GET", "")])
    func redirectedBody(_ status: Int, _ method: String, _ body: String) async throws {
        try await withServer(.redirect(to: "/b", status: status), .text("end")) { (server: MockServer) async throws in
            let request = session.request(server.url("/a"), method: .post, modifier: { $0.httpBody = Data("body".utf8) })
            #expect(try await request.serializing(String.self).value == "end")
            #expect(try await server.takeRequest().text == "body")
            let second = try await server.takeRequest()
            #expect(second.method.rawValue == method)
            #expect(second.text == body)
        }
    }

    @Test("Credentials do not follow to another origin, they do within one")
    func redirectedCredentials() async throws {
        try await withServer(.text("other")) { (other: MockServer) async throws in
            try await withServer(.redirect(to: "/b"), .redirect(to: other.url("/c").absoluteString)) { (server: MockServer) async throws in
                let request = session.request(server.url("/a"), headers: [.authorization(bearerToken: "t"), .init(name: "Cookie", value: "c=1"), .init(name: "X", value: "1")])
                #expect(try await request.serializing(String.self).value == "other")
                for _ in 0..<2 { #expect(try await server.takeRequest().headers["Authorization"] == "Bearer t") }
                let last = try await other.takeRequest()
                #expect(last.headers["Authorization"] == nil)
                #expect(last.headers["Cookie"] == nil)
                #expect(last.headers["X"] == "1")
            }
        }
    }

    @Test("A circle of redirects ends after twenty")
    func redirectLoop() async throws {
        let server = try await MockServer.start()
        await server.route("/loop") { _ in .redirect(to: "/loop") }
        let error = await session.request(server.url("/loop")).serializing(Data.self).result.failure
        #expect(error?.code == .tooManyRedirects)
        #expect(await server.requestCount == 21)
        let once = Session(transport: .urlSession, configuration: .init(maximumRedirects: 0))
        #expect(await once.request(server.url("/loop")).serializing(Data.self).response.statusCode == 302)
        await server.stop()
    }

    @Test("A body arrives byte for byte, with its length and nothing added", arguments: [1, 70_000, 3_000_000])
    func upload(_ size: Int) async throws {
        var random = SeededRandom(state: UInt64(size))
        let body = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
        try await withServer(.text("thanks")) { (server: MockServer) async throws in
            let request = session.request(server.url(), method: .post, modifier: { $0.httpBody = body })
            let response = await request.serializing(String.self).response
            #expect(response.value == "thanks")
            let seen = try await server.takeRequest()
            #expect(seen.body == body)
            #expect(seen.headers["Content-Length"] == "\(size)")
            #expect(!seen.headers.contains(name: "Transfer-Encoding"))
            #expect(!seen.headers.contains(name: "Content-Type"))
            #expect(response.metrics.sentBytes == Int64(size))
        }
    }

    @Test("A large body arrives byte for byte, and its progress reaches the end")
    func download() async throws {
        let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withServer(.data(body)) { (server: MockServer) async throws in
            let request = session.request(server.url())
            let progress = request.downloadProgress
            #expect(try await request.serializing(Data.self).value == body)
            var last: TransferProgress?
            for await value in progress { last = value }
            #expect(last?.fractionCompleted == 1)
            #expect(last?.totalBytes == 5_000_000)
        }
    }

    @Test("An answer before the whole body was sent is the answer")
    func earlyResponse() async throws {
        try await withServer(.status(413, body: "too large").with(.earlyResponse)) { (server: MockServer) async throws in
            let request = session.request(server.url(), method: .put, modifier: { $0.httpBody = Data(count: 2_000_000) })
            let response = await request.serializing(String.self).response
            #expect(response.statusCode == 413, "\(response)")
            #expect(response.value == "too large")
        }
    }

    /// libcurl sends a request again by itself when a connection it had kept dies before the first byte of an answer;
    /// FoundationNetworking sends it without its body then, unless it is given a new stream.
    @Test("A POST on a connection that dies under it is sent again whole, not empty")
    func staleConnection() async throws {
        try await withServer(.text("first"), .fault(.closeBeforeHead), .text("second")) { (server: MockServer) async throws in
            for body in ["one", "two"] {
                let request = session.request(server.url(), method: .post, modifier: { $0.httpBody = Data(body.utf8) })
                _ = try await request.serializing(String.self).value
            }
            var seen: [String] = []
            for _ in 0..<3 { seen.append(try await server.takeRequest().text) }
            #expect(seen == ["one", "two", "two"])
        }
    }

    @Test("What URLSession cannot do on this platform is said, not tried")
    func unsupported() async throws {
        let get = session.request("http://127.0.0.1/", modifier: { $0.httpBody = Data("x".utf8) })
        #expect(await get.serializing(Data.self).result.failure?.code == .unsupportedByTransport)
        #if os(Linux)
        #expect(await session.request("http://[::1]/").serializing(Data.self).result.failure?.code == .unsupportedByTransport)
        #endif
    }

    @Test("Invalid headers and methods are refused before anything is sent")
    func injection() async throws {
        try await withServer { (server: MockServer) async throws in
            for request in [
                session.request(server.url(), headers: ["X": "a\r\nInjected: 1"]), session.request(server.url(), headers: ["X\r\nInjected": "1"]),
                session.request(server.url(), method: "GET / HTTP/1.1\r\nInjected: 1\r\n\r\n"), session.request(server.url(), method: ""),
            ] {
                #expect(await request.serializing(Data.self).result.failure?.code == .invalidRequest)
            }
            #expect(await server.requestCount == 0)
        }
    }

    @Test("Cookies are neither kept nor sent, and nothing is cached")
    func stateless() async throws {
        try await withServer(.status(200, headers: ["Set-Cookie": "a=1", "Cache-Control": "max-age=1000"]), .status(200)) { (server: MockServer) async throws in
            for _ in 0..<2 { _ = try await session.request(server.url()).serializing(Data.self).value }
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().headers["Cookie"] == nil)
        }
    }

    @Test("1xx responses are told, the final one is the response")
    func informational() async throws {
        try await withServer(.text("x").after(informational: 103, headers: ["Link": "</a>"])) { (server: MockServer) async throws in
            let request = session.request(server.url())
            let events = request.events
            #expect(try await request.serializing(String.self).value == "x")
            var told: [String] = []
            for await event in events { told.append("\(event)") }
            #expect(told.contains("informational 103"))
        }
    }

    @Test("Five hundred requests at once all succeed, and the session ends in good order")
    func many() async throws {
        let server = try await MockServer.start()
        await server.route("/*") { .text($0.path) }
        let session = Session(transport: .urlSession)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let text = try await session.request(server.url("/\(index)")).serializing(String.self).value
                    #expect(text == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        await session.finish()
        #expect(await session.request(server.url()).serializing(Data.self).result.failure?.code == .sessionFinished)
        await server.stop()
    }

    @Test("Sessions come and go, a hundred of them, without a crash")
    func sessions() async throws {
        let server = try await MockServer.start()
        await server.route("/*") { _ in .text("x") }
        for round in 0..<100 {
            let session = Session(transport: .urlSession)
            #expect(try await session.request(server.url()).serializing(String.self).value == "x")
            if round % 2 == 0 { await session.finish() }
        }
        await server.stop()
    }

    @Test("A storm of cancels in every way leaves one outcome each and nothing running")
    func storm() async throws {
        let server = try await MockServer.start()
        await server.route("/redirect") { _ in .redirect(to: "/slow") }
        await server.route("/slow") { _ in .text("x").delayed(by: .milliseconds(5)) }
        await server.route("/denied") { _ in .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: "no") }
        let (session, paths) = (session, ["/redirect", "/slow", "/denied"])
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<600 {
                group.addTask {
                    let request = session.request(server.url(paths[index % 3]))
                    let task = Task { await request.serializing(Data.self).result }
                    for _ in 0..<(index % 50) { await Task.yield() }
                    switch index % 4 {
                    case 0: task.cancel()
                    case 1: await request.cancel()
                    case 2: await session.cancelAll()
                    default: break
                    }
                    let failure = await task.value.failure
                    #expect(failure == nil || failure?.code == .cancelled)
                }
            }
        }
        #expect(await session.requests.isEmpty)
        await session.finish()
        await server.stop()
    }
}
