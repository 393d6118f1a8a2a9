import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One value of options, for requests of every kind.
@Suite("Request options")
struct RequestOptionsTests {
    private static let options = RequestOptions(
        interceptors: [
            Adapter { request, _ in
                var request = request
                request.setValue("1", forHTTPHeaderField: "X-Options")
                return request
            }
        ], timeout: .seconds(7), redirects: .doNotFollow, maximumBodySize: 5)

    /// A session whose server responds with a redirect to a request that has the options' header, and fails others.
    private static func session(body: String = "12345") -> Session {
        Session(
            transport: StubTransport { request in
                guard request.headers["X-Options"] == "1" else { return .status(500) }
                return .status(302, headers: ["Location": "/elsewhere"], body: body)
            })
    }

    @Test("Options given when a request is made apply to data, upload, stream and download requests")
    func atCreation() async throws {
        let (session, options) = (Self.session(), Self.options)
        #expect(await session.request("http://a/", options: options).serializing(Data.self).response.statusCode == 302)
        let upload = session.upload(.data(Data(count: 3)), to: "http://a/", options: options)
        #expect(await upload.serializing(Data.self).response.statusCode == 302)
        #expect(try await session.stream("http://a/", options: options).head.statusCode == 302)
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let download = session.download("http://a/", to: .file(file), options: options)
        #expect(await download.response.statusCode == 302)
    }

    @Test(
        "maximumBodySize of the options, if set, replaces the session's",
        arguments: [(nil, false), (5, true), (4, false), (.max, true)] as [(Int64?, Bool)])
    func maximumBodySize(_ limit: Int64?, _ isAccepted: Bool) async {
        let session = Session(
            transport: StubTransport { _ in .text("12345") }, configuration: .init(maximumBodySize: 3))
        let result = await session.request("http://a/", options: .init(maximumBodySize: limit)).serializing(String.self)
            .result
        #expect(result.failure?.code == (isAccepted ? nil : .bodyTooLarge))
    }

    @Test("The description and the dump of options do not show a password")
    func secrets() {
        let options = RequestOptions(credential: PasswordCredential(username: "ada", password: "secret"))
        var text = "\(options)"
        dump(options, to: &text)
        #expect(!text.contains("secret"))
    }
}
