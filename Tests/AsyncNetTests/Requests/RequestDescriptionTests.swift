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
    @Test("A request shows method, URL without secrets, state and status")
    func descriptions() async throws {
        let session = Session(transport: StubTransport { _ in .status(204) })
        let request = session.request("http://u:secret@a/b?token=secret", method: .put)
        #expect("\(request)" == "PUT http://a/b (initialized)")
        #expect("\(session.request(CallSiteTests.Router.user(1)))" == "A data request (initialized)")
        try await request.serializing(Empty.self).value
        #expect("\(request)" == "PUT http://a/b (finished, 204)")
        let cancelled = session.stream("http://a/")
        await cancelled.cancel()
        #expect("\(cancelled)" == "GET http://a/ (cancelled)")
        let download = session.download("http://a/c")
        try FileManager.default.removeItem(at: try await download.value)
        #expect("\(download)" == "GET http://a/c (finished, 204)")
    }

    @Test("A URLRequest has AsyncNet's method and headers, and a curl command without secrets")
    func urlRequest() throws {
        var request = URLRequest(url: try "http://a/b?token=secret".asURL())
        request.method = .patch
        request.headers = [.authorization(bearerToken: "secret"), "X-A: 1"]
        #expect(request.httpMethod == "PATCH" && request.method == .patch && request.headers["x-a"] == "1")
        let command = request.curlDescription()
        #expect(command.contains("-X 'PATCH'") && command.contains("X-A: 1") && !command.contains("secret"))
        #expect(request.curlDescription(showsSecrets: true).contains("Bearer secret"))
    }

    @Test("A response's result and error can be replaced")
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
