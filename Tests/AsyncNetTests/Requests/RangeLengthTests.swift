import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Lengths of 206 responses", .timeLimit(.minutes(5)))
struct RangeLengthTests {
    private static let mebi = 1 << 20

    /// A resource of 6 MiB whose parts are longer or shorter than their Content-Range, from some part on.
    private static func parts(_ data: Data, from wrong: Int, extra: Int)
        -> @Sendable (RecordedRequest) async -> MockResponse
    {
        { request in
            guard let range = RangeStub.range(request) else { return .data(data) }
            let last = min(range.last ?? .max, data.count - 1)
            let headers: HTTPHeaders = ["ETag": "\"1\"", "Content-Range": "bytes \(range.first)-\(last)/\(data.count)"]
            var body = Data(data[range.first...last])
            if range.first >= wrong {
                body = extra < 0 ? body.dropLast(-extra) : Data(repeating: 0xEE, count: extra) + body
            }
            var reply = MockResponse(206, headers: headers)
            reply.chunks = [body.prefix(body.count / 2), body.dropFirst(body.count / 2)]
            return reply
        }
    }

    @Test(
        "A first segment of the wrong length ends the download, and no wrong bytes are kept", arguments: [5, -5],
        TransportUnderTest.allCases)
    func firstPart(_ extra: Int, _ transport: TransportUnderTest) async throws {
        let (folder, data) = (try TemporaryFolder(), patternedData(6 * Self.mebi))
        let server = try await MockServer.start()
        await server.route("/*", Self.parts(data, from: 0, extra: extra))
        let session = transport.session()
        let left = await {
            let download = session.download(
                server.url("/file"), to: .file(folder.url.appending(path: "file")), segments: 4)
            #expect(await download.result.failure?.code == (extra > 0 ? .badServerResponse : .bodyEndedEarly))
            return await download.resumeData
        }()
        #expect((left?.offset ?? 0) == (extra > 0 ? 0 : Int64(Self.mebi + extra)))
        if let left { #expect(try Data(contentsOf: left.partialFile) == data.prefix(Int(left.offset))) }
        left?.discard()
        await session.finish()
        await server.stop()
        #expect(folder.contents.isEmpty)
    }

    @Test(
        "A later segment that is too long ends the download, and only complete segments are kept",
        arguments: [true, false],
        TransportUnderTest.allCases)
    func laterParts(_ isRetried: Bool, _ transport: TransportUnderTest) async throws {
        let (folder, data) = (try TemporaryFolder(), patternedData(6 * Self.mebi))
        let server = try await MockServer.start()
        await server.route("/*", Self.parts(data, from: 2 * Self.mebi, extra: 5))
        let session = transport.session()
        let download = session.download(server.url("/file"), to: .file(folder.url.appending(path: "file")), segments: 2)
        if isRetried {
            download.interceptor(Retrier { _, context in context.attempt < 3 ? .retry : .doNotRetry })
        }
        #expect(await download.result.failure?.code == .badServerResponse)
        let left = try #require(await download.resumeData)
        #expect(left.offset <= 2 * Int64(Self.mebi) && left.offset >= Int64(Self.mebi))
        #expect(try Data(contentsOf: left.partialFile) == data.prefix(Int(left.offset)))
        left.discard()
        await session.finish()
        await server.stop()
        #expect(folder.contents.isEmpty)
    }

    @Test(
        "A continued download succeeds with a body of the length in Content-Range, and fails with another length",
        arguments: [("10", 2), ("10", 6), ("10", 11), ("*", 2), ("*", 6), ("*", 11)], TransportUnderTest.allCases)
    func rest(_ said: (total: String, count: Int), _ transport: TransportUnderTest) async throws {
        let (total, count) = said
        let folder = try TemporaryFolder()
        let server = try await MockServer.start()
        await server.route("/*") { request in
            guard request.headers["Range"] != nil else {
                return MockResponse(200, headers: ["ETag": "\"1\"", "Content-Length": "10"], body: Data("0123".utf8))
                    .with(.truncate(after: 4))
            }
            var reply = MockResponse(206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/\(total)"])
            reply.chunks = [Data("456789abcde".utf8.prefix(count))]
            return reply
        }
        let session = transport.session()
        let resumeData = try folder.resumeData(server.url("/file"), Data("0123".utf8))
        let target = folder.url.appending(path: "file")
        let download = session.download(resumingWith: resumeData, to: .file(target))
        #expect(
            await download.result.failure?.code == (count == 6 ? nil : count < 6 ? .bodyEndedEarly : .badServerResponse)
        )
        let left = await download.resumeData
        let kept = try Data(contentsOf: left?.partialFile ?? target)
        #expect(String(decoding: kept, as: UTF8.self) == (count == 6 ? "0123456789" : count < 6 ? "012345" : "0123"))
        #expect(FileManager.default.fileExists(atPath: target.path) == (count == 6))
        await session.finish()
        await server.stop()
    }

    @Test(
        "A 206 body that is longer or shorter than its Content-Range is an error",
        arguments: [0, 2, 6, 11], TransportUnderTest.allCases)
    func others(_ count: Int, _ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { _ in
            var reply = MockResponse(206, headers: ["Content-Range": "bytes 4-9/10"])
            reply.chunks = count == 0 ? [] : [Data("456789abcde".utf8.prefix(count))]
            return reply
        }
        let (session, url) = (transport.session(), server.url("/file"))
        let expected: AsyncNetError.Code? = count == 6 ? nil : count < 6 ? .bodyEndedEarly : .badServerResponse
        let headers: HTTPHeaders = ["Range": "bytes=4-9"]
        #expect(await session.request(url, headers: headers).serializing(Data.self).result.failure?.code == expected)
        let stream = session.stream(url, headers: headers)
        await #expect(throws: Never.self) {
            do { for try await _ in stream.chunks {} } catch let error as AsyncNetError where error.code == expected {}
        }
        await session.finish()
        await server.stop()
    }

    @Test(
        "The length is not checked for several ranges, another range unit, an unknown coding, or a 200",
        arguments: [
            MockResponse(206, headers: ["Content-Type": "multipart/byteranges; boundary=x"], body: Data("--x--".utf8)),
            MockResponse(
                206, headers: ["Content-Range": "bytes 4-9/10", "Content-Encoding": "unknown"], body: Data("abc".utf8)),
            MockResponse(206, headers: ["Content-Range": "lines 4-9/10"], body: Data("abc".utf8)),
            MockResponse(200, headers: ["Content-Range": "bytes 4-9/10"], body: Data("abc".utf8)),
        ])
    func exempt(_ reply: MockResponse) async throws {
        let session = Session(transport: StubTransport { _ in reply })
        #expect(await session.request("http://a/").serializing(Data.self).result.failure == nil)
        let head = session.request("http://a/", method: .head)
        #expect(await head.serializing(Data.self).result.failure?.code != .bodyEndedEarly)
    }

    @Test("Received bytes beyond the expected length are not counted")
    func counted() throws {
        var received = ReceivedBytes(count: 0)
        received.expected = 6
        try received.add(4)
        #expect(AsyncNetError.code { _ = try received.checkEnd() } == .bodyEndedEarly)
        #expect(AsyncNetError.code { _ = try received.add(3) } == .badServerResponse)
        #expect(received.count == 4 && received.isExceeded)
        try received.add(2)
        try received.checkEnd()
    }
}
