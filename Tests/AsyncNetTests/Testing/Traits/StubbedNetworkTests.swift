import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

private let globalSession = Session()

/// Code under test that makes a session of its own.
private struct Service {
    func text(_ path: String = "text") async throws -> String {
        try await Session().request(TaggedSite.base + path).serializing(String.self).value
    }
}

private func text(_ path: String = "text", over session: Session = .shared) async throws -> String {
    try await session.request(TaggedSite.base + path).serializing(String.self).value
}

@Suite("Trait .stubbedNetwork", .stubbedNetwork { _ in .text("suite") }, .timeLimit(.minutes(5)))
struct StubbedNetworkTests {
    private let session = Session()
    private static let staticSession = Session()

    @Test("A suite's trait applies to each of its tests, and to sessions made anywhere")
    func suite() async throws {
        #expect(try await text(over: Session()) == "suite")
        #expect(try await text(over: session) == "suite")
        #expect(try await text(over: Self.staticSession) == "suite")
        #expect(try await text(over: globalSession) == "suite")
        #expect(try await text(over: .shared) == "suite")
        #expect(try await Service().text() == "suite")
        #expect(StubTransport.current?.requests.count == 6)
    }

    @Test(
        "The trait responds to every kind of request",
        .stubbedNetwork { await TaggedSite("trait").reply(to: $0) },
        arguments: TaggedRequest.allCases.filter { $0 != .retried })
    func kinds(_ request: TaggedRequest) async throws {
        let session = Session(configuration: request.configuration)
        let tag = try await request.tag(over: session)
        #expect(tag == request.expected(of: TaggedSite("trait")))
        await session.finish()
    }

    @Test(.stubbedNetwork { request in .json(["id": 1]) }) func sample() async throws {
        let json = try await Session().request(TaggedSite.base).serializing(JSON.self).value
        #expect(json.id.int == 1)
    }

    @Test("A test's trait overrides the suite's", .stubbedNetwork { _ in .text("test") })
    func test() async throws {
        #expect(try await text() == "test")
    }

    @Test(
        "The outer trait responds to requests without a route",
        .stubbedNetwork(.get, "/a", replies: .text("a1"), .text("a2")),
        .stubbedNetwork(.get, "/b", times: .once) { _ in .text("b") })
    func routes() async throws {
        #expect(try await text("b") == "b")
        #expect(try await text("a") == "a1")
        #expect(try await text("a") == "a2")
        #expect(try await text("c") == "suite")
        #expect(StubTransport.current?.requests.map(\.path) == ["/b"])
        let echo = Session.shared.upload(.data(Data("x".utf8)), to: TaggedSite.base + "b")
        #expect(try await echo.serializing(String.self).value == "suite")
    }

    @Suite("Nested suite", .stubbedNetwork { _ in .text("nested suite") })
    struct Nested {
        @Test("A nested suite's trait overrides the outer suite's")
        func nested() async throws {
            #expect(try await text() == "nested suite")
        }

        @Test(
            "The trait of a nested suite's test overrides the traits of both suites",
            .stubbedNetwork { _ in .text("nested test") })
        func test() async throws {
            #expect(try await text() == "nested test")
        }
    }

    // MARK: Tasks

    @Test("The trait responds to requests of child tasks and unstructured tasks")
    func tasks() async throws {
        async let child = text()
        #expect(try await child == "suite")
        #expect(try await Task { try await text() }.value == "suite")
    }

    @Test("The trait responds to requests of a detached task or thread if their session has Transport.current")
    func detached() async throws {
        let session = Session(transport: .current)
        #expect(try await Task.detached { try await text(over: session) }.value == "suite")
        let fromThread = await withCheckedContinuation { continuation in
            Thread {
                let request = session.request(TaggedSite.base).serializing(String.self)
                Task.detached { continuation.resume(returning: try? await request.value) }
            }.start()
        }
        #expect(fromThread == "suite")
        let current = await Task.detached { StubTransport.current == nil }.value
        #expect(current)
    }

    @Test("After a test, a request over the test's transport ends with transportUnavailable")
    func over() async throws {
        let kept = Locked<Session?>(nil)
        try await withTrait(.stubbedNetwork { _ in .text("kept") }) {
            kept.withLock { $0 = Session(transport: .current) }
        }
        let session = try #require(kept.withLock { $0 })
        let error = await session.request(TaggedSite.base).serializing(String.self).response.error
        #expect(error?.code == .transportUnavailable)
        #expect(error?.message.hasPrefix("The test that made the request has ended") == true)
    }
}

/// What a trait reports, each in a test that would fail.
@Suite("Issues of .stubbedNetwork", .timeLimit(.minutes(5)))
struct StubbedNetworkIssueTests {
    @Test("A wrong number of requests to a route, and a request without a route, are issues at the trait")
    func differences() async throws {
        var routes = Routes()
        routes.on(.get, "/a", times: 2) { _ in .text("a") }
        let place = #_sourceLocation
        let trait: StubbedNetwork = .stubbedNetwork(routes, sourceLocation: place)
        let found = try await issues {
            try await withTrait(trait) {
                _ = try await text("a")
                let response = await Session.shared.request(TaggedSite.base + "b?secret=1").serializing(Data.self)
                    .response
                #expect(response.head?.statusCode == 404)
            }
        }
        #expect(
            found.map(\.text) == [
                "The test's stubbed network: GET /a: expected 2 times, received once",
                "The test's stubbed network: GET /b: received, but no route matches",
            ])
        #expect(found.allSatisfy { $0.sourceLocation == place && $0.severity == .error })
    }

    @Test("An error thrown by the trait's closure is the error of the request, and no issue")
    func closure() async throws {
        try await withTrait(.stubbedNetwork { _ in throw AsyncNetError(.hostNotFound) }) {
            let error = await Session.shared.request(TaggedSite.base).serializing(Data.self).response.error
            #expect(error?.code == .hostNotFound)
        }
    }
}
