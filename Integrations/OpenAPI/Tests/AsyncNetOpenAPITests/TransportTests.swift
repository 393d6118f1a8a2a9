import AsyncNet
import AsyncNetOpenAPI
import AsyncNetTesting
import Foundation
import HTTPTypes
import OpenAPIRuntime
import Testing

@Suite("A client transport of swift-openapi-runtime", .timeLimit(.minutes(1)))
struct TransportTests {
    let session = Session()
    var transport: any ClientTransport { AsyncNetTransport(session: session) }

    @Test("Method, path, query, fields and body are sent; status, fields and body come back")
    func roundTrip() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text("👋", status: 201, headers: ["X-Mumble: 1", "X-Mumble: 2"]))
        var request = HTTPRequest(.post, "/hello%20world/Maria?greeting=Howdy")
        request.headerFields[.init("X-Mumble")!] = "mumble"
        let (response, body) = try await transport.send(
            request, body: "👋", baseURL: server.url("/api"), operationID: "postGreeting")
        #expect(response.status.code == 201)
        #expect(response.headerFields[values: .init("X-Mumble")!] == ["1", "2"])
        #expect(body?.length == .known(4))
        #expect(body?.iterationBehavior == .single)
        #expect(try await String(collecting: try #require(body), upTo: .max) == "👋")
        let seen = try await server.takeRequest()
        #expect(seen.method == .post)
        #expect(seen.target == "/api/hello%20world/Maria?greeting=Howdy")
        #expect(seen.headers.values(for: "X-Mumble") == ["mumble"])
        #expect(seen.text == "👋")
        await server.stop()
    }

    @Test("Without a body none is sent; HEAD, 204 and 304 have no body, and an empty body is not missing")
    func withoutBody() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text("unsent"), .status(204), .status(304), .status(200))
        for (method, status, hasBody) in [
            (HTTPRequest.Method.head, 200, false), (.delete, 204, false), (.get, 304, false), (.get, 200, true),
        ] {
            let (response, body) = try await transport.send(
                HTTPRequest(method, "/"), body: nil, baseURL: server.url(), operationID: "none")
            #expect(response.status.code == status)
            #expect((body != nil) == hasBody)
            if let body { #expect(try await String(collecting: body, upTo: .max) == "") }
            let seen = try await server.takeRequest()
            #expect(seen.headers["Content-Length"] == nil)
            #expect(seen.headers["Transfer-Encoding"] == nil)
        }
        await server.stop()
    }

    @Test(
        "A known length is sent as Content-Length, an unknown length in chunks",
        arguments: [
            (HTTPBody.Length.known(6), IterationBehavior.single, "6"), (.known(6), .multiple, "6"),
            (.unknown, .single, nil), (.unknown, .multiple, nil),
        ] as [(HTTPBody.Length, IterationBehavior, String?)])
    func lengths(length: HTTPBody.Length, behavior: IterationBehavior, header: String?) async throws {
        let server = try await MockServer.start()
        await server.enqueue(.status(200))
        let body = HTTPBody(Pieces(["abc", "def"]), length: length, iterationBehavior: behavior)
        _ = try await transport.send(HTTPRequest(.put, "/"), body: body, baseURL: server.url(), operationID: "put")
        let seen = try await server.takeRequest()
        #expect(seen.headers["Content-Length"] == header)
        #expect(seen.headers["Transfer-Encoding"] == (header == nil ? "chunked" : nil))
        #expect(seen.text == "abcdef")
        await server.stop()
    }

    @Test("An empty body is sent as an empty body")
    func emptyBody() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.status(200))
        _ = try await transport.send(
            HTTPRequest(.post, "/"), body: HTTPBody(), baseURL: server.url(), operationID: "post")
        #expect(try await server.takeRequest().headers["Content-Length"] == "0")
        await server.stop()
    }

    @Test("A body of another length than it has is refused", arguments: [IterationBehavior.single, .multiple])
    func wrongLength(behavior: IterationBehavior) async throws {
        let server = try await MockServer.start()
        for length: Int64 in [5, 7] {
            let body = HTTPBody(Pieces(["abc", "def"]), length: .known(length), iterationBehavior: behavior)
            let error = await #expect(throws: AsyncNetError.self) {
                try await transport.send(HTTPRequest(.put, "/"), body: body, baseURL: server.url(), operationID: "put")
            }
            #expect(error?.code == .bodyLengthMismatch)
        }
        await server.stop()
    }

    @Test("A body that can be iterated again is sent again to where a redirect leads; another body is not")
    func redirects() async throws {
        let server = try await MockServer.start()
        let long = String(repeating: "x", count: 100_000)
        for text in ["small", long] {
            await server.enqueue(.redirect(to: "/next", status: 307), .status(200))
            let body = HTTPBody(text)
            let (response, _) = try await transport.send(
                HTTPRequest(.post, "/"), body: body, baseURL: server.url(), operationID: "post")
            #expect(response.status.code == 200)
            for _ in 0..<2 { #expect(try await server.takeRequest().text == text) }
        }
        await server.enqueue(.redirect(to: "/next", status: 307))
        let single = HTTPBody(Pieces(["once"]), length: .known(4), iterationBehavior: .single)
        let outcome = try? await transport.send(
            HTTPRequest(.post, "/"), body: single, baseURL: server.url(), operationID: "post")
        #expect(outcome == nil || outcome?.0.status.code == 307)
        await server.stop()
    }

    @Test("A response's length is known only if its bytes are counted as the reader gets them")
    func responseLengths() async throws {
        let cases: [(HTTPHeaders, HTTPBody.Length)] = [
            (["Content-Length: 3"], .known(3)), ([:], .unknown),
            (["Content-Length: 3", "Content-Encoding: gzip"], .unknown),
            (["Content-Length: -1"], .unknown),
        ]
        for (headers, length) in cases {
            let session = Session(transport: Fixed(headers: headers))
            let (_, body) = try await AsyncNetTransport(session: session).send(
                HTTPRequest(.get, "/"), body: nil, baseURL: try "http://a".asURL(), operationID: "get")
            #expect(body?.length == length)
        }
    }

    @Test("The options of an operation are those for its identifier")
    func options() async throws {
        let stub = StubTransport { _ in .redirect(to: "/next") }
        let transport = AsyncNetTransport(session: Session(transport: stub)) { id in
            RequestOptions(redirects: id == "stay" ? .doNotFollow : nil)
        }
        let (response, _) = try await transport.send(
            HTTPRequest(.get, "/"), body: nil, baseURL: try "http://a".asURL(), operationID: "stay")
        #expect(response.status.code == 302)
        let error = await #expect(throws: AsyncNetError.self) {
            try await transport.send(
                HTTPRequest(.get, "/"), body: nil, baseURL: try "http://a".asURL(), operationID: "follow")
        }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test("A server URL without a host is resolved against the session's base URL")
    func relative() async throws {
        let stub = StubTransport { _ in .text("") }
        let session = Session(baseURL: "http://a/", transport: stub)
        _ = try await AsyncNetTransport(session: session).send(
            HTTPRequest(.get, "/pets?limit=1"), body: nil, baseURL: try #require(URL(string: "/")), operationID: "get")
        #expect(stub.requests.map(\.target) == ["/pets?limit=1"])
    }

    @Test("Bodies stream both ways at the same time, no faster than they are read")
    func bothWays() async throws {
        let source = Endless()
        let body = HTTPBody(source, length: .unknown, iterationBehavior: .single)
        let (_, echoed) = try await AsyncNetTransport(session: Session(transport: Echo())).send(
            HTTPRequest(.post, "/"), body: body, baseURL: try "http://a".asURL(), operationID: "post")
        var received = 0
        for try await chunk in try #require(echoed) {
            received += chunk.count
            #expect(source.made <= received / Endless.size + 8, "The body was read far ahead of the reader")
            if received >= 20 * Endless.size { break }
        }
        #expect(received >= 20 * Endless.size)
        await source.ended.wait()
    }
}
