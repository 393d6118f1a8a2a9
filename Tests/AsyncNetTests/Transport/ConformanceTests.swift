import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What every transport does alike, over real sockets: what servers do, right and wrong, and what comes of it.
@Suite("Conformance of transports", .timeLimit(.minutes(5)))
struct ConformanceTests {
    private func result(_ reply: MockResponse, _ transport: TransportUnderTest) async throws -> DataResponse<
        String, AsyncNetError
    > {
        try await withServer(reply) { (server: MockServer) async throws in
            await transport.session().request(server.url("/x")).serializing(String.self).response
        }
    }

    @Test(
        "Each response of the table, right or faulty, ends the request with the value or error beside it",
        arguments: Exchange.onEveryTransport)
    func exchange(_ exchange: Exchange, _ transport: TransportUnderTest) async throws {
        try await withServer(exchange.reply) { (server: MockServer) async throws in
            let request = transport.session().request(server.url("/x"), method: exchange.method)
            let response = await request.serializing(String.self).response
            switch exchange.end {
            case .value(let status, let body):
                #expect(response.statusCode == status, "\(response)")
                #expect(response.value == body, "\(response)")
            case .error(let codes):
                #expect(response.error.map { codes.contains($0.code) } == true, "\(response)")
                #expect(response.error?.attempts == 1)
                #expect(response.error?.request != nil)
            }
        }
    }

    @Test(
        "A request whose connection is reset at once ends with .cannotConnect or .connectionLost",
        arguments: TransportUnderTest.withHTTP2)
    func resetAtOnce(_ transport: TransportUnderTest) async throws {
        let code = try await result(.fault(.refuse), transport).error?.code
        #expect(code == .cannotConnect || code == .connectionLost)
    }

    @Test("timeToResponse is shorter than the total time if the body drips", arguments: TransportUnderTest.withHTTP2)
    func timeToResponse(_ transport: TransportUnderTest) async throws {
        let response = try await result(.text("hello world").with(.drip(bytes: 1, every: .milliseconds(5))), transport)
        #expect(try #require(response.metrics.timeToResponse) < response.metrics.total)
    }

    @Test(
        "A closed port, an unknown host, an unknown scheme and a malformed URL have an error code each",
        arguments: TransportUnderTest.withHTTP2)
    func unreachable(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        let refusing = try await MockServer.start(isRefusing: true)
        for (url, code) in [
            (refusing.url().absoluteString, .cannotConnect), ("http://nowhere.invalid/", .hostNotFound),
            ("gopher://a/", .unsupportedScheme), ("nonsense", .malformedURL),
        ] as [(String, AsyncNetError.Code)] {
            let error = await session.request(url).serializing(Data.self).result.failure
            #expect(error?.code == code, "\(url): \(error.map { "\($0)" } ?? "no error")")
        }
        await refusing.stop()
    }

    @Test(
        "A server that sends nothing more, before the head or within the body, leads to .timedOut",
        arguments: [MockResponse.Fault.stall, .stallMidBody(after: 3)], TransportUnderTest.withHTTP2)
    func silence(_ fault: MockResponse.Fault, _ transport: TransportUnderTest) async throws {
        let clock = TestClock()
        let session = transport.session(.init(timeout: .seconds(5), clock: clock))
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

    @Test(
        "Redirects to relative references (RFC 3986 §5) are followed and listed in the metrics",
        arguments: TransportUnderTest.withHTTP2)
    func redirects(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.redirect(to: "../c?x=1#f", status: 301), .redirect(to: "d", status: 307), .text("end")) {
            (server: MockServer) async throws in
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

    @Test(
        "A POST with a body that gets a 307 or 308 is repeated, one that gets a 302 or 303 becomes a GET without it",
        arguments: [(307, "POST", "body"), (308, "POST", "body"), (303, "GET", ""), (302, "GET", "")],
        TransportUnderTest.withHTTP2)
    func redirectedBody(_ redirect: (status: Int, method: String, body: String), _ transport: TransportUnderTest)
        async throws
    {
        let session = transport.session()
        try await withServer(.redirect(to: "/b", status: redirect.status), .text("end")) {
            (server: MockServer) async throws in
            let request = session.request(
                server.url("/a"), method: .post, options: RequestOptions(modifier: { $0.httpBody = Data("body".utf8) }))
            #expect(try await request.serializing(String.self).value == "end")
            #expect(try await server.takeRequest().text == "body")
            let second = try await server.takeRequest()
            #expect(second.method.rawValue == redirect.method)
            #expect(second.text == redirect.body)
        }
    }

    @Test(
        "Authorization and Cookie of the caller are not sent in a redirect to another origin",
        arguments: TransportUnderTest.withHTTP2
    )
    func redirectedCredentials(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.text("other")) { (other: MockServer) async throws in
            try await withServer(.redirect(to: "/b"), .redirect(to: other.url("/c").absoluteString)) {
                (server: MockServer) async throws in
                let request = session.request(
                    server.url("/a"),
                    headers: [
                        .authorization(bearerToken: "t"), .init(name: "Cookie", value: "c=1"),
                        .init(name: "X", value: "1"),
                    ])
                #expect(try await request.serializing(String.self).value == "other")
                for _ in 0..<2 { #expect(try await server.takeRequest().headers["Authorization"] == "Bearer t") }
                let last = try await other.takeRequest()
                #expect(last.headers["Authorization"] == nil)
                #expect(last.headers["Cookie"] == nil)
                #expect(last.headers["X"] == "1")
            }
        }
    }

    @Test("A loop of redirects ends with .tooManyRedirects after twenty", arguments: TransportUnderTest.withHTTP2)
    func redirectLoop(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        let server = try await MockServer.start(speaks: .both)
        await server.route("/loop") { _ in .redirect(to: "/loop") }
        let error = await session.request(server.url("/loop")).serializing(Data.self).result.failure
        #expect(error?.code == .tooManyRedirects)
        #expect(await server.requestCount == 21)
        let once = transport.session(.init(maximumRedirects: 0))
        #expect(await once.request(server.url("/loop")).serializing(Data.self).response.statusCode == 302)
        await server.stop()
    }

    @Test(
        "A request's body is sent unchanged with Content-Length, without Transfer-Encoding or Content-Type",
        arguments: [1, 70_000, 3_000_000],
        TransportUnderTest.withHTTP2)
    func upload(_ size: Int, _ transport: TransportUnderTest) async throws {
        let session = transport.session()
        var random = SeededRandom(state: UInt64(size))
        let body = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
        try await withServer(.text("thanks")) { (server: MockServer) async throws in
            let request = session.request(
                server.url(), method: .post, options: RequestOptions(modifier: { $0.httpBody = body }))
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

    @Test(
        "A response's large body is received unchanged, and its progress reaches 1",
        arguments: TransportUnderTest.withHTTP2)
    func download(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
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

    @Test(
        "A 413 that arrives before the request's whole body is sent is delivered",
        arguments: TransportUnderTest.withHTTP2)
    func earlyResponse(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.status(413, body: "too large").with(.earlyResponse)) {
            (server: MockServer) async throws in
            let request = session.request(
                server.url(), method: .put, options: RequestOptions(modifier: { $0.httpBody = Data(count: 2_000_000) }))
            let response = await request.serializing(String.self).response
            #expect(response.statusCode == 413, "\(response)")
            #expect(response.value == "too large")
        }
    }

    /// libcurl sends a request again by itself when a connection it had kept dies before the first byte of an answer;
    /// FoundationNetworking sends it without its body then, unless it is given a new stream.
    @Test(
        "A PUT whose kept connection is closed by the server is sent again with its whole body",
        arguments: TransportUnderTest.withHTTP2)
    func staleConnection(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.text("first"), .fault(.closeBeforeHead), .text("second")) {
            (server: MockServer) async throws in
            for body in ["one", "two"] {
                let request = session.request(
                    server.url(), method: .put, options: RequestOptions(modifier: { $0.httpBody = Data(body.utf8) }))
                _ = try await request.serializing(String.self).value
            }
            var seen: [String] = []
            for _ in 0..<3 { seen.append(try await server.takeRequest().text) }
            #expect(seen == ["one", "two", "two"])
        }
    }

    @Test(
        "A request with an invalid header or method ends with .invalidRequest, and nothing is sent",
        arguments: TransportUnderTest.withHTTP2)
    func injection(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer { (server: MockServer) async throws in
            for request in [
                session.request(server.url(), headers: ["X": "a\r\nInjected: 1"]),
                session.request(server.url(), headers: ["X\r\nInjected": "1"]),
                session.request(server.url(), method: "GET / HTTP/1.1\r\nInjected: 1\r\n\r\n"),
                session.request(server.url(), method: ""),
            ] {
                #expect(await request.serializing(Data.self).result.failure?.code == .invalidRequest)
            }
            #expect(await server.requestCount == 0)
        }
    }

    @Test(
        "A transport keeps no cookies, and sends a request whose response could be cached",
        arguments: TransportUnderTest.withHTTP2)
    func stateless(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(
            .status(200, headers: ["Set-Cookie": "a=1", "Cache-Control": "max-age=1000"]), .status(200)
        ) { (server: MockServer) async throws in
            for _ in 0..<2 { _ = try await session.request(server.url()).serializing(Data.self).value }
            _ = try await server.takeRequest()
            #expect(try await server.takeRequest().headers["Cookie"] == nil)
        }
    }

    @Test(
        "A 103 response is reported as an event, and the final response is delivered",
        arguments: TransportUnderTest.withHTTP2)
    func informational(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        try await withServer(.text("x").after(informational: 103, headers: ["Link": "</a>"])) {
            (server: MockServer) async throws in
            let request = session.request(server.url())
            let events = request.events
            #expect(try await request.serializing(String.self).value == "x")
            var told: [String] = []
            for await event in events { told.append("\(event)") }
            #expect(told.contains("informational 103"))
        }
    }

    @Test(
        "Five hundred requests at once all succeed, and requests after finish() end with .sessionFinished",
        arguments: TransportUnderTest.withHTTP2)
    func many(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        await server.route("/*") { .text($0.path) }
        let session = transport.session()
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

    @Test(
        "A hundred sessions, each released after one request, all get their responses",
        arguments: TransportUnderTest.withHTTP2)
    func sessions(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start(speaks: .both)
        await server.route("/*") { _ in .text("x") }
        for round in 0..<100 {
            let session = transport.session()
            #expect(try await session.request(server.url()).serializing(String.self).value == "x")
            if round % 2 == 0 { await session.finish() }
        }
        await server.stop()
    }

    @Test(
        "Six hundred requests, most of them cancelled, succeed or end with .cancelled, and none remains",
        arguments: TransportUnderTest.withHTTP2)
    func storm(_ transport: TransportUnderTest) async throws {
        let session = transport.session()
        let server = try await MockServer.start(speaks: .both)
        await server.route("/redirect") { _ in .redirect(to: "/slow") }
        await server.route("/slow") { _ in .text("x").delayed(by: .milliseconds(5)) }
        await server.route("/denied") { _ in
            .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""], body: "no")
        }
        let paths = ["/redirect", "/slow", "/denied"]
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
