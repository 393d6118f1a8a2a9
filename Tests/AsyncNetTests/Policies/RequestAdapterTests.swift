import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Adds its name to a header.
private struct Signing: RequestAdapter {
    let name: String
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        var request = request
        let before = request.value(forHTTPHeaderField: "X-Path") ?? ""
        request.setValue(before + name + "\(context.attempt)", forHTTPHeaderField: "X-Path")
        return request
    }
}

private struct Changing: RequestAdapter {
    let change: @Sendable (inout URLRequest) throws -> Void
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        var request = request
        try change(&request)
        return request
    }
}

@Suite("Request adapters", .timeLimit(.minutes(5)))
struct RequestAdapterTests {
    private let stub = StubTransport { .text("\($0.method) \($0.target) \($0.headers["X-Path"] ?? "-") \($0.text)") }

    private func text(_ adapters: [any RequestPolicy] = [], own: (any RequestPolicy)? = nil, body: RequestBody = .none)
        async -> Result<String, AsyncNetError>
    {
        let session = Session(transport: stub, configuration: .init(interceptors: adapters))
        let request = session.upload(body, to: "http://a/b")
        if let own { request.interceptor(own) }
        return await request.serializing(String.self).result
    }

    @Test("An Interceptor calls its adapters and retriers in order, also the ones of a nested Interceptor")
    func combined() async throws {
        let calls = Locked<[String]>([])
        func retrier(_ name: String) -> Retrier {
            Retrier { _, _ in
                calls.withLock { $0.append(name) }
                return .doNotRetry
            }
        }
        let inner = Interceptor([Signing(name: "b"), retrier("b")])
        let policy = Interceptor([Signing(name: "a"), retrier("a"), inner])
        let failing = StubTransport { .status(500, body: $0.headers["X-Path"] ?? "") }
        let session = Session(transport: failing, configuration: .init(interceptors: [policy]))
        #expect(try await session.request("http://a/").serializing(String.self).value == "a1b1")
        #expect(calls.withLock { $0 } == ["a", "b"])
    }

    @Test("The session's adapters run before the request's, each on the result of the one before")
    func order() async throws {
        #expect(
            try await text([Signing(name: "a"), Signing(name: "b")], own: Signing(name: "c")).get() == "POST /b a1b1c1 "
        )
    }

    @Test("An adapter can change method, URL, headers and body; a streamed body stays unless the adapter sets one")
    func changes() async throws {
        let all = Changing { request in
            request.httpMethod = "PUT"
            request.url = URL(string: "http://b/c?d")
            request.httpBody = Data("new".utf8)
        }
        #expect(try await text([all], body: .data(Data("old".utf8))).get() == "PUT /c?d - new")
        #expect(try await text([all], body: .stream(chunks("old"))).get() == "PUT /c?d - new")
        #expect(try await text([Signing(name: "a")], body: .stream(chunks("old"))).get() == "POST /b a1 old")
        #expect(try await text([Changing { $0.httpBody = nil }], body: .data(Data("old".utf8))).get() == "POST /b - ")
    }

    @Test("Headers keep order and repetitions unless an adapter changes them")
    func headers() async throws {
        let session = Session(
            transport: stub,
            configuration: .init(defaultHeaders: [:], interceptors: [Changing { $0.httpMethod = "PUT" }]))
        _ = try await session.request(
            "http://a/",
            headers: [.init(name: "B", value: "1"), .init(name: "A", value: "2"), .init(name: "b", value: "3")]
        ).serializing(Data.self).value
        #expect(stub.requests.last?.headers.map { "\($0.name)=\($0.value)" } == ["B=1", "A=2", "b=3"])
    }

    @Test("An adapter's error ends the request, and so does an invalid adapted request")
    func failures() async {
        let asked = Counter()
        let later = Changing { _ in asked.add() }
        let thrown = await text([Changing { _ in throw CocoaError(.featureUnsupported) }, later]).failure
        #expect(thrown?.code == .adaptationFailed)
        #expect(thrown?.underlyingError is CocoaError)
        #expect(thrown?.attempts == 0)
        #expect(asked.value == 0)
        #expect(await text([Changing { _ in throw AsyncNetError(.timedOut) }]).failure?.code == .timedOut)
        #expect(await text([Changing { $0.url = URL(string: "ftp://a/") }]).failure?.code == .unsupportedScheme)
        #expect(await text([Changing { $0.httpMethod = "A B" }]).failure?.code == .invalidRequest)
        #expect(
            await text([Changing { $0.httpBodyStream = InputStream(data: Data()) }]).failure?.code == .invalidRequest)
        #expect(stub.requests.isEmpty)
    }

    @Test("Cancelling a request cancels the adapter that it waits for")
    func cancel() async {
        struct Waiting: RequestAdapter {
            let entered = Gate()
            let left = Gate()
            func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
                entered.open()
                await Gate().wait()
                left.open()
                return request
            }
        }
        let adapter = Waiting()
        let session = Session(transport: stub, configuration: .init(interceptors: [adapter]))
        let request = session.request("http://a/")
        let task = Task { await request.serializing(Data.self).result }
        await adapter.entered.wait()
        await request.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        await adapter.left.wait()
        await session.finish()
        #expect(stub.requests.isEmpty)
    }
}
