import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests with templates and segments", .timeLimit(.minutes(5)))
struct URLTemplateRequestTests {
    private let transport = PageTransport { request in
        request.head.url.path.hasSuffix("old") ? (302, ["Location": "/new"], "") : (200, [:], "1")
    }

    private func session(_ interceptors: [any RequestPolicy] = []) -> Session {
        Session(
            baseURL: "http://a/v1/", transport: transport, configuration: .init(interceptors: interceptors))
    }

    @Test("URLs with segments and URL templates are escaped, and resolved against the base URL")
    func urls() async throws {
        let name = "a/../b c"
        _ = try await session().get("users/\(segment: name)").serializing(Int.self).value
        _ = try await session().get("users/\(segment: "..")/x").serializing(Int.self).value
        let template = URLTemplate("users/{name}{?page}", ["name": name, "page": 2])
        _ = try await session().get(template).serializing(Int.self).value
        _ = try await session().request(template, method: .post, parameters: ["a": 1], encoder: .json).serializing(
            Int.self
        ).value
        #expect(
            transport.urls == [
                "http://a/v1/users/a%2F..%2Fb%20c", "http://a/v1/users/%2E%2E/x",
                "http://a/v1/users/a%2F..%2Fb%20c?page=2", "http://a/v1/users/a%2F..%2Fb%20c?page=2",
            ])
    }

    @Test(
        "An escaped dot segment is sent unchanged, or unsupportedByTransport over URLSession",
        arguments: TransportUnderTest.allCases)
    func wire(_ transport: TransportUnderTest) async throws {
        try await withServer(.text("ok")) { (server: MockServer) async throws in
            let url = server.url("/a/\(segment: "..")/b")
            let error = await transport.session().get(url).serializing(Data.self).response.error
            if transport == .urlSession {
                #expect(await server.requestCount == 0)
                #expect(error?.code == .unsupportedByTransport)
            } else {
                #expect(try await server.takeRequest().target == "/a/%2E%2E/b")
                #expect(error == nil)
            }
        }
    }

    @Test(
        "Only a dot segment with a percent-encoded dot counts as an encoded dot segment",
        arguments: [
            ("%2E", true), ("%2e%2E", true), (".%2e", true), ("%2E.", true), ("..", false), (".", false),
            ("%2E%2E%2E", false), ("a%2E%2E", false), ("%2F", false), ("", false),
        ])
    func encodedDots(_ segment: String, _ isDots: Bool) {
        #expect(PercentEncoding.isEncodedDotSegment(segment) == isDots)
    }

    @Test("Adapters and transports see the request's URL template, after redirects too")
    func template() async throws {
        let seen = Locked<[String?]>([])
        let adapter = Adapter { request, context in
            seen.withLock { $0.append(context.request?.urlTemplate) }
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Adapted")
            return request
        }
        let session = session([adapter])
        _ = try await session.get(URLTemplate("{page}", ["page": "old"])).serializing(Int.self).value
        #expect(transport.requests.map(\.urlTemplate) == ["{page}", "{page}"])
        #expect(transport.urls == ["http://a/v1/old", "http://a/new"])
        #expect(seen.withLock { $0 } == ["{page}"])
        _ = try await session.get("old").serializing(Int.self).value
        #expect(transport.requests.last?.urlTemplate == nil)
    }

    @Test("A malformed template ends the request with malformedURL")
    func malformed() async throws {
        let error = await session().get(URLTemplate("users/{name")).serializing(Int.self).result.failure
        #expect(error?.code == .malformedURL && transport.requests.isEmpty)
    }
}
