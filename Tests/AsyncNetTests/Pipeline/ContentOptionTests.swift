import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// `RequestOptions.decodesContent`.
@Suite("The option decodesContent")
struct ContentOptionTests {
    private static let text = Data((0..<200).map { "line \($0)\n" }.joined().utf8)
    private let coded: Data
    private let transport: LabelledTransport

    init() throws {
        coded = try Compressor(.gzip).compress(Self.text, isLast: true)
        transport = LabelledTransport(reply: MockResponse(headers: ["Content-Encoding": "gzip"], body: coded))
    }

    @Test(
        "With decodesContent false the body is delivered as it was sent, and identity is requested",
        arguments: TransportUnderTest.withoutURLSession)
    func overTransports(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { [coded] _ in MockResponse(headers: ["Content-Encoding": "gzip"], body: coded) }
        let (session, options) = (transport.session(), RequestOptions(decodesContent: false))
        let response = await session.request(server.url(), options: options).serializing(Data.self).response
        #expect(response.value == coded)
        #expect(response.head?.headers["Content-Encoding"] == "gzip")
        #expect(try await server.takeRequest().headers["Accept-Encoding"] == "identity")
        let own = session.request(server.url(), headers: ["Accept-Encoding": "gzip"], options: options)
        #expect(try await own.serializing(Data.self).value == coded)
        #expect(try await server.takeRequest().headers["Accept-Encoding"] == "gzip")
        await session.finish()
        await server.stop()
    }

    @Test("With decodesContent false maximumBodySize counts the bytes as they were sent")
    func limit() async throws {
        let options = RequestOptions(maximumBodySize: Int64(coded.count), decodesContent: false)
        let session = Session(transport: transport)
        #expect(try await session.request("http://a/", options: options).serializing(Data.self).value == coded)
        let decoded = RequestOptions(maximumBodySize: Int64(coded.count))
        let response = await session.request("http://a/", options: decoded).serializing(Data.self).response
        #expect(response.error?.code == .bodyTooLarge)
    }

    @Test("Requests that differ in decodesContent do not share a transfer")
    func coalescing() async throws {
        let session = Session(transport: transport, configuration: .init(coalescesRequests: true))
        let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
        let kept = session.request("http://a/", headers: headers, options: RequestOptions(decodesContent: false))
        let decoded = session.request("http://a/", headers: headers)
        async let both = (kept.serializing(Data.self).value, decoded.serializing(Data.self).value)
        let (first, second) = try await both
        #expect(first == coded && second == Self.text)
    }

    @Test("A stored response is delivered decoded or as it was sent, as the request's decodesContent says")
    func cached() async throws {
        var reply = transport.reply
        reply.headers.add(name: "Cache-Control", value: "max-age=60")
        let session = Session(transport: LabelledTransport(reply: reply), configuration: .init(cache: HTTPCache()))
        let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
        for isDecoded in [false, true, false] {
            let options = RequestOptions(decodesContent: isDecoded)
            let response = await session.request("http://a/", headers: headers, options: options)
                .serializing(Data.self).response
            #expect(response.value == (isDecoded ? Self.text : coded))
        }
    }

    @Test("A recording has the body as it was sent if the request has decodesContent: false, and decoded otherwise")
    func recorded() async throws {
        let recording = RecordingTransport(over: transport)
        let session = Session(transport: recording)
        let options = RequestOptions(decodesContent: false)
        #expect(try await session.request("http://a/", options: options).serializing(Data.self).value == coded)
        #expect(try await session.request("http://a/").serializing(Data.self).value == Self.text)
        let responses = recording.recording.exchanges.compactMap(\.response)
        #expect(responses.map { $0.headers["Content-Encoding"] } == ["gzip", nil])
        #expect(responses.map { $0.chunks.map(\.data).reduce(Data(), +) } == [coded, Self.text])
    }
}
