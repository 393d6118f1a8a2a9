import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A URLSession transport with the caller's configuration, or over the caller's session.
@Suite("URLSession and configuration of the caller", .timeLimit(.minutes(5)))
struct URLSessionConfigurationTests {
    /// Responds to every request without a network.
    private final class Mock: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let text = request.value(forHTTPHeaderField: "X-Extra") ?? "none"
            guard let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 201, httpVersion: "HTTP/1.1", headerFields: ["X-Mock": "1"])
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(text.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Mock.self]
        return configuration
    }

    private func expectMock(_ session: Session) async throws {
        for _ in 0..<3 {
            let response = await session.request("http://mock.invalid/").serializing(String.self).response
            #expect(response.statusCode == 201 && response.head?.value(for: "X-Mock") == "1")
            #expect(try response.result.get() == "none")
        }
        await session.finish()
    }

    @Test("A URLProtocol of the caller's configuration responds to a request")
    func protocolClasses() async throws {
        try await expectMock(Session(transport: .urlSession(configuration: Self.configuration)))
    }

    @Test("Two sessions in turn can use a URLSession of the caller")
    func existing() async throws {
        let urlSession = URLSession(configuration: Self.configuration)
        try await expectMock(Session(transport: .urlSession(urlSession)))
        try await expectMock(Session(transport: .urlSession(urlSession)))
        urlSession.invalidateAndCancel()
    }

    @Test("httpAdditionalHeaders of the caller's configuration are sent")
    func additionalHeaders() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Extra": "yes"]
        let server = try await MockServer.start()
        await server.enqueue(.text("ok"))
        let session = Session(transport: .urlSession(configuration: configuration))
        #expect(try await session.request(server.url()).serializing(String.self).value == "ok")
        #expect(try await server.takeRequest().headers["X-Extra"] == "yes")
        await session.finish()
        await server.stop()
    }
}
