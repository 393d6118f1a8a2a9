import AsyncNet
import AsyncNetOpenAPI
import AsyncNetTesting
import Foundation
import HTTPTypes
import OpenAPIRuntime
import Testing

@Suite("A generated client of a pet store", .timeLimit(.minutes(1)))
struct PetstoreTests {
    /// Runs the calls over a real server, whose API has a path.
    private func withClient(
        _ middlewares: [any ClientMiddleware] = [], configuration: SessionConfiguration = SessionConfiguration(),
        _ calls: (Client, MockServer) async throws -> Void
    ) async throws {
        let server = try await MockServer.start()
        let transport = AsyncNetTransport(session: Session(configuration: configuration))
        try await calls(
            Client(serverURL: server.url("/api/v3"), transport: transport, middlewares: middlewares), server)
        await server.stop()
    }

    @Test("An operation's parameters become the query")
    func list() async throws {
        try await withClient { client, server in
            await server.enqueue(.json(#"[{"id":1,"name":"Fluffy"},{"id":2,"name":"Rex"}]"#))
            let output = try await client.listPets(.init(limit: 2, habitat: "land & water"))
            #expect(output == .ok([.init(id: 1, name: "Fluffy"), .init(id: 2, name: "Rex")]))
            let seen = try await server.takeRequest()
            #expect(seen.method == .get)
            #expect(seen.target == "/api/v3/pets?limit=2&habitat=land%20%26%20water")
            #expect(seen.headers.values(for: "Accept") == ["application/json"])
        }
    }

    @Test("A JSON body of an operation is sent with its length, together with the head")
    func create() async throws {
        try await withClient { client, server in
            await server.enqueue(.json(#"{"id":7,"name":"Ada"}"#, status: 201))
            let output = try await client.createPet(.init(body: .init(name: "Ada")))
            #expect(output == .created(.init(id: 7, name: "Ada")))
            let seen = try await server.takeRequest()
            #expect(seen.method == .post)
            #expect(seen.path == "/api/v3/pets")
            #expect(seen.headers.values(for: "Content-Type") == ["application/json; charset=utf-8"])
            #expect(seen.headers.values(for: "Content-Length") == ["\(seen.body.count)"])
            #expect(try seen.json == ["name": "Ada"])
        }
    }

    @Test("A path parameter is sent, and a documented 404 and an undocumented status are returned")
    func get() async throws {
        try await withClient { client, server in
            await server.enqueue(
                .json(#"{"id":1,"name":"Fluffy"}"#), .json(#"{"message":"no such pet"}"#, status: 404),
                .text("short and stout", status: 418))
            #expect(try await client.getPet(.init(petId: "a/b ü")) == .ok(.init(id: 1, name: "Fluffy")))
            #expect(try await server.takeRequest().target == "/api/v3/pets/a%2Fb%20%C3%BC")
            #expect(try await client.getPet(.init(petId: "2")) == .notFound(.init(message: "no such pet")))
            guard case .undocumented(418, let payload) = try await client.getPet(.init(petId: "3")) else {
                Issue.record("The status is documented")
                return
            }
            #expect(try await String(collecting: try #require(payload.body), upTo: 100) == "short and stout")
        }
    }

    @Test("The session's retries apply, and a JSON body is sent again")
    func retries() async throws {
        let policy = RetryPolicy(limit: 1, backoff: Backoff(scale: .zero), methods: [.post])
        try await withClient(configuration: .init(interceptors: [policy])) { client, server in
            await server.enqueue(.status(503), .json(#"{"id":7,"name":"Ada"}"#, status: 201))
            let output = try await client.createPet(.init(body: .init(name: "Ada")))
            #expect(output == .created(.init(id: 7, name: "Ada")))
            for _ in 0..<2 {
                let seen = try await server.takeRequest()
                #expect(try seen.json == ["name": "Ada"])
            }
        }
    }

    @Test("The client's error has AsyncNet's error underneath, or CancellationError")
    func errors() async throws {
        try await withClient { client, server in
            await server.enqueue(.fault(.closeBeforeHead))
            let error = await #expect(throws: ClientError.self) { try await client.listPets(.init()) }
            #expect((error?.underlyingError as? AsyncNetError)?.statusCode == nil)
            #expect(error?.underlyingError is AsyncNetError)
            await server.enqueue(.fault(.stall))
            _ = try await server.takeRequest()
            let task = Task { try await client.listPets(.init()) }
            _ = try await server.takeRequest()
            task.cancel()
            let cancel = await #expect(throws: ClientError.self) { try await task.value }
            #expect(cancel?.underlyingError is CancellationError)
        }
    }
}
