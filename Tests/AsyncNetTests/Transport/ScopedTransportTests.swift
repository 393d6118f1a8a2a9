import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sessions over the automatic transport, in the scope of another transport.
@Suite("Scoped transport", .timeLimit(.minutes(5)))
struct ScopedTransportTests {
    /// Made outside of every scope.
    private static let session = Session()

    private func inScope<Result>(
        of site: TaggedSite, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let scoped = ScopedTransport(StubTransport(site.reply))
        return try await ScopedTransport.$current.withValue(scoped) { try await body() }
    }

    @Test(
        "A scope's transport carries each kind of request, with all hops, attempts, segments and pages",
        arguments: TaggedRequest.allCases)
    func kinds(_ request: TaggedRequest) async throws {
        let site = TaggedSite("site")
        let session = Session(configuration: request.configuration)
        let tag = try await inScope(of: site) { try await request.tag(over: session) }
        #expect(tag == request.expected(of: site))
        await session.finish()
    }

    @Test("Only a session over the automatic transport uses the scope's transport")
    func otherTransports() async throws {
        try await withServer(.text("server"), .text("server"), .text("server")) { (server: MockServer) async throws in
            let url = server.url()
            let texts = try await inScope(of: TaggedSite("scope")) {
                var texts: [String] = []
                for session in [Session(transport: .libcurl()), Session(transport: .urlSession), Session()] {
                    texts.append(try await session.request(url).serializing(String.self).value)
                    await session.finish()
                }
                return texts
            }
            #expect(texts == ["server", "server", "scope"])
        }
    }

    @Test("The scope in which a request is made decides its transport, not the scope in which it is awaited")
    func maker() async throws {
        try await withServer(.text("server")) { (server: MockServer) async throws in
            let outside = Self.session.request(server.url())
            let (inner, outer) = try await inScope(of: TaggedSite("scope")) {
                let inside = Self.session.request(server.url())
                let text = try await outside.serializing(String.self).value
                return (inside, text)
            }
            #expect(outer == "server")
            #expect(try await inner.serializing(String.self).value == "scope")
        }
    }

    @Test("Equal requests of two scopes do not share a transfer")
    func flights() async throws {
        let (isOpen, clock) = (Gate(), TestClock())
        let session = Session(configuration: .init(coalescesRequests: true, clock: clock))
        let scopes = ["a", "b"].map { text in
            ScopedTransport(
                StubTransport { _ in
                    await isOpen.wait()
                    return .text(text)
                })
        }
        let tasks = [0, 1, 0, 1].map { index in
            let request = ScopedTransport.$current.withValue(scopes[index]) { session.request(TaggedSite.base) }
            return clock.task { try await request.serializing(String.self).value }
        }
        let flights = session.environment.limits.flights
        await clock.settled()
        #expect(flights.all.map(\.waiterCount) == [2, 2])
        isOpen.open()
        var texts: [String] = []
        for task in tasks { texts.append(try await task.value) }
        #expect(texts == ["a", "b", "a", "b"])
    }

    @Test("A user's transport that wraps the automatic transport uses the scope's transport")
    func wrapped() async throws {
        struct Wrapper: Transport {
            let inner = AutomaticTransport()
            func send(_ request: TransportRequest) async throws -> TransportResponse { try await inner.send(request) }
        }
        let session = Session(transport: Wrapper())
        let text = try await inScope(of: TaggedSite("scope")) {
            try await session.request(TaggedSite.base).serializing(String.self).value
        }
        #expect(text == "scope")
    }

    @Test("A request that an adapter makes uses the transport of the scope in which the adapted request was made")
    func adapters() async throws {
        struct Asking: RequestAdapter {
            func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
                var request = request
                let token = try await ScopedTransportTests.session.request(TaggedSite.base).serializing(String.self)
                    .value
                request.setValue(token, forHTTPHeaderField: "Token")
                return request
            }
        }
        let session = Session(configuration: .init(interceptors: [Asking()]))
        let stub = StubTransport { .text($0.headers["Token"] ?? "token") }
        let request = ScopedTransport.$current.withValue(ScopedTransport(stub)) { session.request(TaggedSite.base) }
        let text = try await Task.detached { try await request.serializing(String.self).value }.value
        #expect(text == "token")
    }

    @Test("Requests that the scope's transport makes use the transport outside the scope")
    func outer() async throws {
        let inner = StubTransport { _ in
            let text = try await Self.session.request(TaggedSite.base).serializing(String.self).value
            return .text("inner, then \(text)")
        }
        let text = try await inScope(of: TaggedSite("outer")) {
            try await ScopedTransport.$current.withValue(ScopedTransport(inner)) {
                try await Self.session.request(TaggedSite.base).serializing(String.self).value
            }
        }
        #expect(text == "inner, then outer")
    }

    @Test("A request that was made in a scope fails with the scope's error after the scope's end")
    func end() async throws {
        let scoped = ScopedTransport(StubTransport(TaggedSite("scope").reply))
        let request = ScopedTransport.$current.withValue(scoped) { Self.session.request(TaggedSite.base) }
        scoped.close(AsyncNetError(.transportUnavailable, "over"))
        let error = await request.serializing(String.self).response.error
        #expect(error?.code == .transportUnavailable)
        #expect(error?.message == "over")
    }
}
