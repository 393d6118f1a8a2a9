import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What `print` shows of requests, and the parts of a `URLRequest`.
@Suite("Descriptions of requests", .timeLimit(.minutes(5)))
struct RequestDescriptionTests {
    @Test("A request's description has method, URL without secrets, state and status")
    func descriptions() async throws {
        let session = Session(transport: StubTransport { _ in .status(204) })
        let request = session.request("http://u:secret@a/b?token=secret", method: .put)
        #expect("\(request)" == "PUT http://a/b (initialized)")
        #expect("\(session.request(CallSiteTests.Router.user(1)))" == "A data request (initialized)")
        try await request.serializing(NoContent.self).value
        #expect("\(request)" == "PUT http://a/b (finished, 204)")
        let cancelled = session.stream("http://a/")
        await cancelled.cancel()
        #expect("\(cancelled)" == "GET http://a/ (cancelled)")
        let download = session.download("http://a/c")
        try FileManager.default.removeItem(at: try await download.value)
        #expect("\(download)" == "GET http://a/c (finished, 204)")
    }

    @Test("A request's debugDescription is its curl command without secrets, before and after it is sent")
    func debugDescriptions() async throws {
        let session = Session(
            transport: StubTransport { _ in .status(204) }, configuration: .init(defaultHeaders: [:]))
        let request = session.request(
            "http://u:secret@a/b?token=secret", method: .put, headers: [.authorization(bearerToken: "secret")])
        let command = request.debugDescription
        #expect(command.hasPrefix("curl -v") && command.contains("-X 'PUT'"))
        #expect(command.hasSuffix("'http://a/b?<redacted>'") && !command.contains("secret"))
        try await request.serializing(NoContent.self).value
        #expect(request.debugDescription == command)
        #expect(await request.curlDescription() == command)
        for other in [session.download("http://a/c"), session.stream("http://a/c")] as [any Request] {
            #expect(String(reflecting: other).hasSuffix("'http://a/c'"))
        }
    }

    @Test("Until a router's request is sent, its debugDescription is its description")
    func routerDebugDescription() async throws {
        let session = Session(transport: StubTransport { _ in .status(204) })
        let request = session.request(CallSiteTests.Router.user(1))
        #expect(request.debugDescription == "A data request (initialized)")
        try await request.serializing(NoContent.self).value
        #expect(request.debugDescription.hasPrefix("curl -v"))
    }

    @Test("A body of more than 64 KiB is not part of debugDescription")
    func longDebugDescription() async throws {
        let session = Session(transport: StubTransport { _ in .status(204) })
        for (count, isShown) in [(64 * 1024, true), (64 * 1024 + 1, false)] {
            let body = Data(repeating: 0x61, count: count)
            for body in [RequestBody.data(body), .multipart { $0.append(body, name: "a") }] {
                let request = session.upload(body, to: "http://a/")
                _ = await request.serializing(Data.self).result
                #expect(request.debugDescription.contains("aaaa") == isShown)
                let comment = "# The body has \(count) bytes: pass it on standard input."
                #expect(request.debugDescription.hasPrefix(comment) == !isShown)
                #expect(await request.curlDescription().contains("aaaa"))
            }
        }
    }

    @Test("A URLRequest has the properties method and headers, and a curl command without secrets")
    func urlRequest() throws {
        var request = URLRequest(url: try "http://a/b?token=secret".asURL())
        request.method = .patch
        request.headers = [.authorization(bearerToken: "secret"), "X-A: 1"]
        #expect(request.httpMethod == "PATCH" && request.method == .patch && request.headers["x-a"] == "1")
        let command = request.curlDescription()
        #expect(command.contains("-X 'PATCH'") && command.contains("X-A: 1") && !command.contains("secret"))
        #expect(request.curlDescription(showsSecrets: true).contains("Bearer secret"))
    }

    @Test("A response can be made from its parts without a transfer")
    func response() throws {
        var request = URLRequest(url: try "http://a/b?token=secret".asURL())
        request.httpBody = Data("body".utf8)
        let head = HTTPResponseHead(statusCode: 201, url: try "http://a/b".asURL(), headers: ["X": "1"])
        var metrics = RequestMetrics()
        metrics.attempts = 2
        let response = DataResponse<Int, AsyncNetError>(
            .success(7), request: request, head: head, data: Data("7".utf8), metrics: metrics)
        #expect(response.value == 7 && response.statusCode == 201 && response.metrics.attempts == 2)
        #expect(response.request?.httpBody == Data("body".utf8) && response.data == Data("7".utf8))
        #expect(response.response?.value(forHTTPHeaderField: "X") == "1" && response.head?.value(for: "x") == "1")
        #expect("\(response)" == "GET http://a/b (201, 1 bytes): Int")
        let failed = DataResponse<Int, AsyncNetError>(.failure(AsyncNetError(.timedOut)))
        #expect(failed.error?.code == .timedOut && failed.request == nil && failed.statusCode == nil)
    }

    @Test("A response's result and error can be mapped")
    func transforms() async throws {
        struct Other: Error, Equatable { var code: AsyncNetError.Code }
        let session = Session(transport: StubTransport { _ in .json(User.json) })
        let good = await session.request("http://a/").serializing(User.self).response
        #expect(good.flatMap { .success($0.name) }.value == "Ada")
        #expect(
            good.flatMap { _ in Result<Int, AsyncNetError>.failure(AsyncNetError(.timedOut)) }.error?.code == .timedOut)
        let bad = await session.request("http://a/").serializing([Int].self).response
        #expect(bad.tryMapError { Other(code: $0.code) }.error as? Other == Other(code: .decodingFailed))
        #expect(bad.tryMapError { _ -> Other in throw CancellationError() }.error is CancellationError)
    }
}
