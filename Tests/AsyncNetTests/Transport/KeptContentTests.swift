import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Bodies with a `Content-Encoding` that is not decoded, or not to be decoded. URLSession on Linux is left out: its libcurl decodes.
@Suite("Content codings over transports", .timeLimit(.minutes(5)))
struct KeptContentTests {
    private static let text = Data((0..<200).map { "line \($0)\n" }.joined().utf8)

    private static func gzip(_ data: Data = text) throws -> Data { try Compressor(.gzip).compress(data, isLast: true) }

    private func run(
        _ transport: TransportUnderTest, _ reply: MockResponse, _ configuration: SessionConfiguration = .init(),
        _ body: (Session, URL, MockServer) async throws -> Void
    ) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { _ in reply }
        let session = transport.session(configuration)
        try await body(session, server.url("/file"), server)
        await session.finish()
        await server.stop()
    }

    private func chunks(_ stream: StreamRequest) async throws -> Data {
        var received = Data()
        for try await chunk in stream.chunks { received += chunk }
        return received
    }

    @Test(
        "A body is delivered as it was sent if a name in Content-Encoding is no coding, or a coding that is not supported",
        arguments: ["aws-chunked", "UTF-8", "binary", "none", "", "compress, gzip"],
        TransportUnderTest.withoutURLSession)
    func noCoding(_ coding: String, _ transport: TransportUnderTest) async throws {
        let headers: HTTPHeaders = ["Content-Encoding": coding]
        try await run(transport, MockResponse(headers: headers, body: Self.text)) {
            (session: Session, url: URL, _: MockServer) async throws in
            let response = await session.request(url).serializing(Data.self).response
            #expect(response.value == Self.text)
            #expect(response.head?.headers["Content-Encoding"] == coding)
            #expect(try await chunks(session.stream(url)) == Self.text)
            #expect(try await session.download(url).serializing(Data.self).value == Self.text)
            #expect(await session.request(url, method: .head).serializing(Data.self).response.statusCode == 200)
        }
        try await run(transport, MockResponse(404, headers: headers, body: Self.text)) {
            (session: Session, url: URL, _: MockServer) async throws in
            let request = session.request(url)
            request.validate()
            let response = await request.serializing(Data.self).response
            #expect(response.error?.code == .unacceptableStatus)
            #expect(response.error?.data == Self.text)
        }
    }

    @Test(
        "Of a body with Content-Encoding: aws-chunked, gzip only the gzip coding is decoded",
        arguments: TransportUnderTest.withoutURLSession)
    func list(_ transport: TransportUnderTest) async throws {
        let reply = MockResponse(headers: ["Content-Encoding": "aws-chunked, gzip"], body: try Self.gzip())
        try await run(transport, reply) { (session: Session, url: URL, _: MockServer) async throws in
            #expect(try await session.request(url).serializing(Data.self).value == Self.text)
        }
    }

    @Test(
        "A gzip body with bytes after its end is decoded, and a cut body ends the request with .badContentEncoding",
        arguments: TransportUnderTest.withoutURLSession)
    func known(_ transport: TransportUnderTest) async throws {
        let (whole, headers): (Data, HTTPHeaders) = (try Self.gzip(), ["Content-Encoding": "gzip"])
        try await run(transport, MockResponse(headers: headers, body: whole + Data(count: 20))) {
            (session: Session, url: URL, server: MockServer) async throws in
            for _ in 0..<3 { #expect(try await session.request(url).serializing(Data.self).value == Self.text) }
            #expect(try await chunks(session.stream(url)) == Self.text)
        }
        try await run(transport, MockResponse(headers: headers, body: whole.dropLast(9))) {
            (session: Session, url: URL, _: MockServer) async throws in
            #expect(await session.request(url).serializing(Data.self).response.error?.code == .badContentEncoding)
        }
    }

    @Test(
        "A request with Accept-Encoding: identity gets a gzip body as it was sent",
        arguments: TransportUnderTest.withoutURLSession
    )
    func identity(_ transport: TransportUnderTest) async throws {
        let coded = try Self.gzip()
        let headers: HTTPHeaders = ["Accept-Encoding": "identity"]
        try await run(transport, MockResponse(headers: ["Content-Encoding": "gzip"], body: coded)) {
            (session: Session, url: URL, _: MockServer) async throws in
            let response = await session.request(url, headers: headers).serializing(Data.self).response
            #expect(response.value == coded)
            #expect(response.head?.headers["Content-Encoding"] == "gzip")
            #expect(response.metrics.receivedBytes == Int64(coded.count))
            #expect(try await chunks(session.stream(url, headers: headers)) == coded)
            #expect(try await session.request(url).serializing(Data.self).value == Self.text)
        }
    }

    @Test(
        "A download with Content-Encoding: x-gzip is saved as it was sent, and its checksums match",
        arguments: TransportUnderTest.withoutURLSession)
    func download(_ transport: TransportUnderTest) async throws {
        let archive = try Self.gzip(Data(count: 100_000))
        let digest = Data(MessageDigest.of(archive, algorithm: .sha256))
        let field = "sha-256=:\(digest.base64EncodedString()):"
        let reply = MockResponse(
            headers: ["Content-Encoding": "x-gzip", "Repr-Digest": field, "Content-Digest": field], body: archive)
        let checksum = Checksum.sha256(digest.map { String(format: "%02x", $0) }.joined())
        try await run(transport, reply) { (session: Session, url: URL, _: MockServer) async throws in
            let request = session.download(url, checksum: checksum)
            let file = try await request.value
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Data(contentsOf: file) == archive)
            #expect(await request.response.metrics.receivedBytes == Int64(archive.count))
            #expect(
                try await session.download(url, segments: 4, checksum: checksum).serializing(Data.self).value == archive
            )
        }
    }

    @Test("A download that is saved as it was sent ends with .checksumMismatch if its Repr-Digest is wrong")
    func wrongDigest() async throws {
        let reply = MockResponse(
            headers: ["Content-Encoding": "gzip", "Repr-Digest": "sha-256=:\(Data(count: 32).base64EncodedString()):"],
            body: try Self.gzip())
        let session = Session(transport: LabelledTransport(reply: reply))
        #expect(await session.download("http://a/").result.failure?.code == .checksumMismatch)
        let decoded = session.download("http://a/", headers: ["Accept-Encoding": "gzip"])
        #expect(try await decoded.serializing(Data.self).value == Self.text)
    }
}

/// Leaves bodies coded, as libcurl does.
struct LabelledTransport: Transport {
    let reply: MockResponse

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let head = HTTPResponseHead(statusCode: reply.statusCode, url: request.head.url, headers: reply.headers)
        let body = TransportBody(reply.body)
        return TransportResponse(head: head, body: body, isContentDecoded: false)
    }
}
