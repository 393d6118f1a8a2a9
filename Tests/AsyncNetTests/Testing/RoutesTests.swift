import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Routes", .timeLimit(.minutes(5)))
struct RoutesTests {
    @Test(
        "A route's pattern matches each segment of the path, and gives the decoded values of its parameters",
        arguments: [
            ("/users", "/users", [:]), ("/users", "/users/", nil), ("/users", "/Users", nil), ("users", "/users", [:]),
            ("/users/:id", "/users/1", ["id": "1"]), ("/users/:id", "/users/", nil), ("/users/:id", "/users/1/2", nil),
            ("/users/:id/posts/:post", "/users/a%2Fb/posts/%C3%A9", ["id": "a/b", "post": "é"]),
            ("/:", "/:", [:]), ("/a:b", "/a:b", [:]), ("/:id", "/%ZZ", ["id": "%ZZ"]),
            ("/*", "/", [:]), ("/*", "/a/b", [:]), ("*", "/a", [:]), ("/a*", "/abc/d", [:]), ("/a*", "/b", nil),
            ("/a/*", "/a", nil), ("/a/*", "/a/", [:]), ("/:id/*", "/x/y/z", ["id": "x"]), ("/", "/", [:]),
        ] as [(String, String, [String: String]?)])
    func patterns(_ pattern: String, _ path: String, _ parameters: [String: String]?) {
        #expect(RoutePattern(pattern).match(path) == parameters)
    }

    private struct Pet: Encodable, Sendable { var name: String }

    private func routes() -> Routes {
        var routes = Routes()
        routes.on(.get, "/users/:id") { request in .text(request.parameters["id"] ?? "") }
        routes.on(.post, "/users") { request in .json(try request.json, status: 201) }
        routes.on(.get, "/flaky", replies: .status(503), .text("fine"))
        routes.on(nil, "/any/*") { request in .text(request.method.rawValue) }
        routes.on(.get, "/users/me") { _ in .text("myself") }
        return routes
    }

    private func responses(_ base: String, _ session: Session) async throws -> [String] {
        var texts: [String] = []
        for (method, path) in [
            (.get, "/users/7?q=1"), (.get, "/users/me"), (.post, "/users"), (.get, "/flaky"), (.get, "/flaky"),
            (.get, "/flaky"), (.delete, "/any/thing"), (.head, "/users/1"), (.get, "/nothing"), (.delete, "/users"),
        ] as [(HTTPMethod, String)] {
            let request = session.request(
                base + path, method: method,
                options: RequestOptions(modifier: { if $0.httpMethod == "POST" { $0.httpBody = Data("[1]".utf8) } }))
            let response = await request.serializing(String.self).response
            let text = response.statusCode.map { $0 < 400 ? response.value ?? "" : "" } ?? ""
            texts.append("\(response.statusCode ?? 0) \(text) \(response.head?.headers["Allow"] ?? "")")
        }
        return texts
    }

    private static let expected = [
        "200 7 ", "200 myself ", "201 [1] ", "503  ", "200 fine ", "200 fine ", "200 DELETE ", "200  ", "404  ",
        "405  POST",
    ]

    @Test("The same routes give the same responses over a StubTransport and a MockServer")
    func both() async throws {
        let stub = StubTransport(routes: routes())
        #expect(try await responses("http://a", Session(transport: stub)) == Self.expected)
        let server = try await MockServer.start(routes: routes())
        let base = String(server.url("").absoluteString.dropLast())
        #expect(try await responses(base, Session()) == Self.expected)
        await server.stop()
        let differences = [
            "GET /nothing: received, but no route matches", "DELETE /users: received, but no route matches",
        ]
        for router in [stub, server] as [any MockRouter] {
            let error = #expect(throws: UnmetExpectations.self) { try router.verify() }
            #expect(error?.differences == differences)
        }
    }

    @Test("A stub's closure answers requests without a route, and verify() does not report them")
    func fallback() async throws {
        let stub = StubTransport { _ in .text("closure") }
        stub.on(.get, "/a") { _ in .text("route") }
        let session = Session(transport: stub)
        #expect(try await session.request("http://x/a").serializing(String.self).value == "route")
        #expect(try await session.request("http://x/b").serializing(String.self).value == "closure")
        try stub.verify()
    }

    @Test("verify() lists routes with a wrong number of requests, then requests without a route, and shows no query")
    func verifying() async throws {
        let stub = StubTransport()
        stub.on(.get, "/a", times: 2, replies: .text("a"))
        stub.on(.get, "/b", times: .once, replies: .text("b"))
        stub.on(nil, "/c", times: .never, replies: .text("c"))
        stub.on(.get, "/d", times: .between(1...3), replies: .text("d"))
        stub.on(.get, "/e", times: .atLeast(2), replies: .text("e"))
        stub.on(.get, "/f", times: .atMost(1), replies: .text("f"))
        stub.on(.get, "/g", replies: .text("g"))
        let session = Session(transport: stub)
        for path in ["a", "c", "d", "f", "f", "x?token=secret"] {
            _ = await session.request("http://a/\(path)").serializing(String.self).result
        }
        let error = #expect(throws: UnmetExpectations.self) { try stub.verify() }
        #expect(
            error?.description == """
                6 expectations are not met:
                - GET /a: expected 2 times, received once
                - GET /b: expected once, received never
                - any method /c: expected never, received once
                - GET /e: expected at least 2 times, received never
                - GET /f: expected at most once, received 2 times
                - GET /x: received, but no route matches
                """)
        for path in ["a", "b"] { _ = await session.request("http://a/\(path)").serializing(String.self).result }
        #expect(throws: UnmetExpectations.self) { try stub.verify() }
    }

    @Test("A route replaced before its first request is not expected by verify()")
    func replaced() async throws {
        var routes = Routes()
        routes.on(.get, "/a/:id", times: .once, replies: .text("first"))
        routes.on(.get, "/a/:name", times: .once, replies: .text("second"))
        routes.on(.get, "/a/*", times: .never, replies: .text("rest"))
        routes.on(.get, "/a/:id", times: .once, replies: .text("third"))
        routes.on(.post, "/a/:id", times: .once, replies: .text("other method"))
        let stub = StubTransport(routes: routes)
        let session = Session(transport: stub)
        #expect(try await session.request("http://a/a/1").serializing(String.self).value == "third")
        #expect(try await session.request("http://a/a/1", method: .post).serializing(String.self).value.count == 12)
        try stub.verify()
        stub.on(.get, "/a/:id", times: .never, replies: .text("fourth"))
        try stub.verify()
        #expect(try await session.request("http://a/a/1").serializing(String.self).value == "fourth")
        let error = #expect(throws: UnmetExpectations.self) { try stub.verify() }
        #expect(error?.differences == ["GET /a/:id: expected never, received once"])
    }

    @Test("verify() of a server reports enqueued responses that were not requested")
    func queue() async throws {
        try await withServer(.text("1"), .text("2")) { (server: MockServer) async throws in
            let error = #expect(throws: UnmetExpectations.self) { try server.verify() }
            #expect(error?.description == "1 expectation is not met:\n- 2 enqueued responses: not requested")
            for _ in 0..<2 { _ = try await Session().request(server.url()).serializing(String.self).value }
            try server.verify()
        }
    }

    @Test("An ExpectedCount has a description, and contains exactly the counts that it describes")
    func counts() {
        let counts: [(ExpectedCount, String, [Int])] = [
            (.any, "any number of times", [0, 1, 2, 3]), (.once, "once", [1]), (.never, "never", [0]),
            (2, "2 times", [2]), (.atLeast(1), "at least once", [1, 2, 3]), (.atMost(2), "at most 2 times", [0, 1, 2]),
            (.between(1...2), "1 to 2 times", [1, 2]), (.exactly(-1), "never", [0]), (.atMost(-1), "never", [0]),
        ]
        for (count, description, numbers) in counts {
            #expect(count.description == description)
            #expect((0...3).filter(count.contains) == numbers)
        }
    }

    @Test("A JSON response is made of an Encodable value, a literal or text")
    func json() throws {
        struct Unencodable: Encodable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        let pets = [Pet(name: "Rex")]
        let responses: [(MockResponse, String)] = [
            (.json(Pet(name: "Rex")), #"{"name":"Rex"}"#), (.json(pets), #"[{"name":"Rex"}]"#),
            (.json(["id": 1]), #"{"id":1}"#),
            (.json(["id": 1, "name": "x", "list": [1.5, nil]]), #"{"id":1,"list":[1.5,null],"name":"x"}"#),
            (.json(#"{"id": 1}"#), #"{"id": 1}"#), (.json([:]), "{}"), (.json([1, 2]), "[1,2]"),
            (.json(User.ada, status: 201, headers: ["X": "1"]), User.json),
        ]
        for (response, text) in responses {
            #expect(String(decoding: response.body, as: UTF8.self) == text)
            #expect(response.headers["Content-Type"] == "application/json")
        }
        #expect(responses.last?.0.statusCode == 201)
        let failed = MockResponse.json(Unencodable())
        #expect(failed.statusCode == 500)
        #expect(String(decoding: failed.body, as: UTF8.self).hasPrefix("Unencodable cannot be encoded: "))
    }
}
