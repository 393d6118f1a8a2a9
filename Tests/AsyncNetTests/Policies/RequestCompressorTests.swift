import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server sends each body back as it was received, with its Content-Encoding, so that the transport's decoder
/// checks it.
@Suite("Request compression", .timeLimit(.minutes(5)))
struct RequestCompressorTests {
    private func echo(_ body: RequestBody, _ coding: ContentCoding, _ transport: TransportUnderTest) async throws -> (
        sent: Int, back: Data, request: RecordedRequest
    ) {
        let server = try await MockServer.start()
        await server.route("/*") {
            .init(200, headers: ["Content-Encoding": $0.headers["Content-Encoding"] ?? "identity"], body: $0.body)
        }
        let session = transport.session(.init(interceptors: [RequestCompressor(coding)]))
        let back = try await session.upload(body, to: server.url(), method: .put).serializing(Data.self).value
        let seen = try await server.takeRequest()
        await server.stop()
        return (seen.body.count, back, seen)
    }

    @Test(
        "Bodies of every kind are compressed with each coding, and decode to the original",
        arguments: [ContentCoding.gzip, .deflate],
        TransportUnderTest.allCases)
    func kinds(_ coding: ContentCoding, _ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let data = patternedData(1_000_000)
        let file = try folder.file("a", data)
        for body in [
            .data(data), .file(file),
            .stream {
                AsyncStream<Data> {
                    $0.yield(data)
                    $0.finish()
                }
            },
        ] as [RequestBody] {
            let (sent, back, request) = try await echo(body, coding, transport)
            #expect(back == data)
            #expect(sent < 100_000)
            #expect(request.headers["Content-Encoding"] == coding.name)
            // A body in memory is compressed before it is sent, so its length is known.
            #expect((request.headers["Content-Length"] == "\(sent)") == (body.data != nil || transport == .urlSession))
        }
        var form = Data()
        let multipart = RequestBody.multipart(boundary: "B") { $0.append(file, name: "f") }
        for try await chunk in multipart.chunks { form.append(chunk) }
        #expect(try await echo(multipart, coding, transport).back == form)
    }

    @Test(
        "A body is not compressed if a header such as Content-Digest describes it",
        arguments: ["Content-Range", "content-digest", "Repr-Digest", "Digest", "Content-MD5"])
    func described(_ name: String) async throws {
        var head = HTTPRequestHead(method: .put, url: try "http://a/".asURL())
        head.headers.add(name: name, value: "x")
        let request = TransportRequest(head: head, body: .data(Data("hello".utf8)))
        let context = RequestContext(id: RequestID(), attempt: 1)
        let adapted = try await RequestCompressor().adapt(request, context: context)
        #expect(adapted.body.data == Data("hello".utf8))
        #expect(!adapted.head.headers.contains(name: "Content-Encoding"))
    }

    @Test("Compressed bodies have the formats of RFC 1950 and RFC 1952, with any size of chunks")
    func formats() async throws {
        let data = patternedData(200_000)
        for (coding, start) in [(ContentCoding.gzip, [0x1F, 0x8B, 8] as [UInt8]), (.deflate, [0x78])] {
            let whole = try Compressor(coding).compress(data, isLast: true)
            #expect(Array(whole.prefix(start.count)) == start)
            let compressor = try Compressor(coding)
            var pieces = Data()
            for offset in stride(from: 0, to: data.count, by: 777) {
                pieces += try compressor.compress(data.dropFirst(offset).prefix(777))
            }
            pieces += try compressor.compress(Data(), isLast: true)
            #expect(pieces == whole)
        }
        #expect(try Compressor(.gzip).compress(Data(), isLast: true).count == 20)
        // The Adler-32 checksum of "Wikipedia", at the end of the zlib format.
        #expect(
            Array(try Compressor(.deflate).compress(Data("Wikipedia".utf8), isLast: true).suffix(4)) == [
                0x11, 0xE6, 0x03, 0x98,
            ])
    }

    @Test("An existing Content-Encoding is an error, replaced, or kept with its body, as duplicateHeader says")
    func duplicates() async {
        let stub = StubTransport {
            .json([
                "coding": JSON($0.headers.values(for: "Content-Encoding").joined(separator: "|")),
                "size": JSON($0.body.count),
            ])
        }
        for (behavior, coding, size) in [(.error, nil, nil), (.replace, "gzip", 24), (.skip, "br", 1000)]
            as [(RequestCompressor.DuplicateHeaderBehavior, String?, Int?)]
        {
            let session = Session(
                transport: stub, configuration: .init(interceptors: [RequestCompressor(duplicateHeader: behavior)]))
            let request = session.upload(.data(Data(count: 1000)), to: "http://a/", headers: ["content-encoding": "br"])
            let result = await request.serializing(JSON.self).result
            #expect(result.failure?.code == (coding == nil ? .adaptationFailed : nil))
            #expect((try? result.get())?.coding.string == coding)
            #expect((try? result.get())?["size"].int.map { $0 < 100 } == size.map { $0 < 100 })
        }
    }

    @Test("A body that is empty, absent or excluded is not compressed")
    func unchanged() async throws {
        let stub = StubTransport { .text("\($0.headers["Content-Encoding"] ?? "none") \($0.body.count)") }
        let compressor = RequestCompressor { ($0.length ?? .max) >= 100 }
        let session = Session(transport: stub, configuration: .init(interceptors: [compressor]))
        #expect(try await session.request("http://a/").serializing(String.self).value == "none 0")
        #expect(try await session.upload(.data(Data()), to: "http://a/").serializing(String.self).value == "none 0")
        #expect(
            try await session.upload(.data(Data(count: 99)), to: "http://a/").serializing(String.self).value
                == "none 99")
        #expect(
            try await session.upload(.data(Data(count: 100)), to: "http://a/").serializing(String.self).value.hasPrefix(
                "gzip"))
        #expect(
            try await session.request(
                "http://a/", method: .post, options: RequestOptions(modifier: { $0.httpBody = Data(count: 100) })
            )
            .serializing(String.self).value.hasPrefix("gzip"))
    }

    @Test("A compressed body is sent again after a 307 if the original body can be sent again")
    func redirects() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a", patternedData(300_000))
        let compressed = try await RequestCompressor().adapt(
            TransportRequest(head: HTTPRequestHead(method: .put, url: file), body: .stream(chunks("a"))),
            context: RequestContext(id: RequestID(), attempt: 1))
        #expect(compressed.body.replay == .once)
        #expect(compressed.body.length == nil)
        try await withServer(.redirect(to: "/b", status: 307), .text("end")) { (server: MockServer) async throws in
            let session = Session(configuration: .init(interceptors: [RequestCompressor()]))
            #expect(try await session.upload(.file(file), to: server.url()).serializing(String.self).value == "end")
            let (one, other) = (try await server.takeRequest(), try await server.takeRequest())
            #expect(one.body == other.body)
            #expect(other.headers.values(for: "Content-Encoding") == ["gzip"])
        }
    }

    @Test("An error of the original body ends the request")
    func failures() async {
        let session = Session(
            transport: StubTransport { _ in .status(200) }, configuration: .init(interceptors: [RequestCompressor()]))
        #expect(
            await session.upload(.file(URL(filePath: "/nowhere")), to: "http://a/").serializing(Data.self).result
                .failure?.code == .fileNotReadable)
        #expect(
            await session.upload(.stream(chunks("a"), length: 2), to: "http://a/").serializing(Data.self).result
                .failure?.code == .bodyLengthMismatch)
    }
}
