import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@Suite("Smoke", .timeLimit(.minutes(1)))
struct SmokeTests {
    struct User: Decodable, Equatable { let id: Int; let name: String }

    @Test func json() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.json(#"{"id":1,"name":"Ada"}"#), .json(#"{"id":1,"name":"Ada"}"#))
        let session = Session()
        let user = try await session.request(server.url("/users/1")).serializing(JSON.self).value
        #expect(user.name.string == "Ada")
        let u = try await session.request(server.url("/users/1")).serializing(User.self).value
        #expect(u == User(id: 1, name: "Ada"))
        let seen = try await server.takeRequest()
        #expect(seen.path == "/users/1")
        print(seen.headers)
        await server.stop()
    }

    @Test func stub() async throws {
        let stub = StubTransport { request in .json(["id": 1]) }
        let session = Session(transport: stub)
        #expect(try await session.request("http://x/").serializing(JSON.self).value.id.int == 1)
        let r = await session.request("http://x/").validate().serializing(JSON.self).response
        print(r, r.metrics)
    }

    @Test func post() async throws {
        let server = try await MockServer.start()
        await server.route("/echo") { .data($0.body) }
        let session = Session()
        let user = try await session.request(server.url("/echo"), method: .post, parameters: ["a": 1], encoder: .json, headers: ["X-Trace": "1"]).serializing(JSON.self).value
        #expect(user == ["a": 1])
        let seen = try await server.takeRequest()
        print(seen.headers)
        await server.stop()
    }

    @Test func refused() async throws {
        let server = try await MockServer.start(isRefusing: true)
        let r = await Session().request(server.url("/echo?secret=1")).serializing(JSON.self).response
        print(r, r.metrics)
        #expect(r.error?.code == .cannotConnect)
        await server.stop()
    }
    @Test func basic401() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""], body: "denied"), .status(200, body: "fine"))
        let s = Session()
        let r = await s.request(server.url("/echo?secret=1")).serializing(String.self).response
        #expect(r.value == "denied")
        #expect(r.statusCode == 401)
        let r2 = await s.request(server.url("/echo?secret=1")).serializing(String.self).response
        #expect(r2.value == "fine")
        await server.stop()
    }
    @Test func redirect() async throws {
        let server = try await MockServer.start()
        await server.enqueue(.redirect(to: "b?x=1"), .status(200, body: "fine"))
        let s = Session()
        let r = await s.request(server.url("/a/c")).serializing(String.self).response
        #expect(r.value == "fine")
        #expect(r.head?.url == server.url("/a/b?x=1"))
        await server.stop()
    }
}
