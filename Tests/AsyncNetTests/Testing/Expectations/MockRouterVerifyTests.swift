import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

/// Expectations whose differences are issues of the test.
@Suite("Verifying requests", .timeLimit(.minutes(5)))
struct MockRouterVerifyTests {
    private func send(_ methodsAndPaths: [(HTTPMethod, String)], over session: Session, _ base: String) async {
        for (method, path) in methodsAndPaths {
            _ = await session.request(base + path, method: method).serializing(Data.self).response
        }
    }

    @Test("verify records no issue if the requests are as expected")
    func met() async throws {
        let stub = StubTransport { _ in .text("a") }
        await send(
            [(.post, "/login"), (.get, "/users/1"), (.get, "/users/2")], over: Session(transport: stub), "http://a")
        stub.verify(order: .asListed) {
            ExpectedRequest(.post, "/login")
            for id in 1...2 { ExpectedRequest(.get, "/users/\(id)") }
        }
        stub.verify(others: .allow) {
            if stub.requests.count == 3 { ExpectedRequest(.post, "/login") }
        }
        stub.verify { ExpectedRequest(nil, "/*", times: 3) }
    }

    @Test("verify records each difference as an issue at the line of its expectation")
    func unmet() async throws {
        let stub = StubTransport()
        stub.on(.get, "/users/:id", times: 2) { _ in .text("a") }
        await send(
            [(.get, "/users/1"), (.get, "/a?secret=1"), (.get, "/users/3")], over: Session(transport: stub), "http://a")
        let line = #_sourceLocation.line
        let found = try await issues {
            stub.verify(order: .asListed) {
                ExpectedRequest(.get, "/users/3")
                ExpectedRequest(.get, "/users/1")
                ExpectedRequest(.post, "/login")
            }
        }
        let all = "received were GET /users/1, GET /a, GET /users/3"
        #expect(
            found.map(\.text) == [
                "POST /login: expected once, received never; \(all)",
                "GET /users/3 was received after GET /users/1, but is expected before; \(all)",
                "GET /a: received, but no route matches",
            ])
        #expect(found.map { $0.sourceLocation?.line } == [line + 5, line + 3, line + 2])
    }

    @Test("verify of a MockServer counts all requests, even those taken before")
    func server() async throws {
        try await withServer(.text("1"), .text("2")) { (server: MockServer) async throws in
            await send(
                [(.get, "/1"), (.get, "/2")], over: Session(transport: .libcurl()), "http://127.0.0.1:\(server.port)")
            _ = try await server.takeRequest()
            #expect(server.requests.map(\.path) == ["/1", "/2"])
            server.verify(order: .asListed) {
                ExpectedRequest(.get, "/1")
                ExpectedRequest(.get, "/2")
            }
            let found = try await issues { server.verify { ExpectedRequest(.get, "/1") } }
            #expect(found.map(\.text) == ["GET /2 was received, but is not expected"])
        }
    }
}
