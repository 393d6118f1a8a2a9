import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Content codings (RFC 9110 §8.4.1) are decoded from bytes in memory: whole, cut, followed by other bytes, stacked.
@Suite("Content decoder")
struct ContentDecoderTests {
    private static let text = Data((0..<200).map { "line \($0) of a text that compresses\n" }.joined().utf8)

    /// `text` as Python's brotli and zstandard compress it.
    private static let brotli = """
        G+kaABwJNo52TXoWlkpnpAO8vG0N1wogZW8SxGwOI3YA0vBQEo0sSsIHD9n6M0mS2OrlfefvIPQdXD+NiUAkkSlUGlq6IeKcAaPJbLHa2NI1Po\
        PRZLZYbWzpmp7BaDJbrDa2dM3PYDSZLVYbW7qWZzCazBarjS1d6zMYTWaL1caWrs0zGE1mi9XGlq7tMxhNZovVxpau3TMYTWaL1cb2t/cPHwgk\
        Co3B4uDaRTwEEoXGYHFw7SIfAolCY7A4uHZRD4FEoTFYHFy76IdAotAYLA6uXcxDIFFoDBYH1y72IZAoNAaLg2sX5yGQKDQGi4NrF/chkCg0Bo\
        uDaxfvIZAoNAaLg7t6
        """
    private static let zstd = """
        KLUv/WDqGe0HAHKOIxiAKWkDgNUX8YjA+yFk4iOyd0qZPL3ymMJ3d3d3d2ZmZmZmVVVVVVVERERERP///79t27bdtm3bkiRJkjMzMzMjIiIiIj\
        J3d3d3d2ZmZmZmVVVVVVVERERERP///79t27bdtm3bkiRJkjMzMzNzVnSXA3AgDgdCIcEAIWAUhoFiFAtEMQxDAGHIIA4ICgKAyKgh+Pb/DMAz\
        qtUSSBD4/xEEPOh+A03PNnrSp3TFc75iGz3r02nDltGqMoASgOJ/0n+if5J/cn9CfyJ/0sWfyjMHa1mfWbRNe9akddrVeLVbrapFtaaW1Ba1oV\
        b3tJ1SNtmkSRbkbgigVQE=
        """

    private static func compressed(_ data: Data, _ coding: ContentCoding) throws -> Data {
        try Compressor(coding).compress(data, isLast: true)
    }

    /// `text` in each coding.
    private static func encoded(_ coding: ContentDecoding) throws -> Data {
        switch coding {
        case .gzip: try compressed(text, .gzip)
        case .deflate: try compressed(text, .deflate)
        case .brotli: try #require(Data(base64Encoded: brotli))
        case .zstd: try #require(Data(base64Encoded: zstd))
        }
    }

    private func decode(_ codings: [ContentDecoding], _ chunks: [Data]) async throws -> Data {
        try await decode(.success(codings), chunks)
    }

    private func decode(_ codings: Result<[ContentDecoding], AsyncNetError>, _ chunks: [Data]) async throws -> Data {
        var decoded = Data()
        var rest = chunks[...]
        let next = ContentDecoder.reading(codings) { rest.popFirst() }
        while let chunk = try await next() { decoded += chunk }
        return decoded
    }

    private func failure(_ work: () async throws -> Data) async -> AsyncNetError.Code? {
        do { _ = try await work() } catch { return (error as? AsyncNetError)?.code }
        return nil
    }

    @Test("Each content coding is decoded, in one chunk and byte by byte", arguments: ContentDecoding.allCases)
    func whole(_ coding: ContentDecoding) async throws {
        let encoded = try Self.encoded(coding)
        #expect(coding.isAvailable)
        #expect(try await decode([coding], [encoded]) == Self.text)
        #expect(try await decode([coding], encoded.map { Data([$0]) }) == Self.text)
        #expect(try await decode([coding], []).isEmpty)
    }

    @Test("A compressed body cut at any byte is an error", arguments: ContentDecoding.allCases)
    func truncated(_ coding: ContentDecoding) async throws {
        let encoded = try Self.encoded(coding)
        for count in 1..<encoded.count {
            #expect(
                await failure { try await decode([coding], [encoded.prefix(count)]) } == .badContentEncoding, "\(count)"
            )
        }
    }

    /// Padding, text, the first bytes of a further stream, and bytes that resemble them.
    private static let trailers: [[UInt8]] = [
        [0], [UInt8](repeating: 0, count: 20), Array("junk".utf8), [0x1F], [0x1F, 0], [0x1F, 0x1F, 0x8B],
        [0x28, 0xB5, 0x2F],
        [0x28, 0xB5, 0x2F, 0], [0x60, 0x2A, 0x4D, 0x18], [0x50, 0x2A, 0x4D],
    ]

    @Test(
        "Bytes after the compressed stream are ignored, in one chunk and byte by byte",
        arguments: ContentDecoding.allCases, trailers)
    func trailing(_ coding: ContentDecoding, _ trailer: [UInt8]) async throws {
        let body = try Self.encoded(coding) + Data(trailer)
        #expect(try await decode([coding], [body]) == Self.text)
        #expect(try await decode([coding], body.map { Data([$0]) }) == Self.text)
        #expect(body.decoded(from: [coding.rawValue], limit: .max) == Self.text)
    }

    @Test(
        "A second gzip member or zstd frame is decoded only if it directly follows the first",
        arguments: ContentDecoding.allCases)
    func members(_ coding: ContentDecoding) async throws {
        let encoded = try Self.encoded(coding)
        let repeats = coding == .gzip || coding == .zstd
        #expect(try await decode([coding], [encoded + encoded]) == (repeats ? Self.text + Self.text : Self.text))
        #expect(
            try await decode([coding], (encoded + encoded).map { Data([$0]) })
                == (repeats ? Self.text + Self.text : Self.text))
        #expect(try await decode([coding], [encoded + Data([0]) + encoded]) == Self.text)
    }

    @Test("A second gzip member or zstd frame that is cut is an error", arguments: [ContentDecoding.gzip, .zstd])
    func cutMember(_ coding: ContentDecoding) async throws {
        let encoded = try Self.encoded(coding)
        for count in [4, 10, encoded.count - 1] {
            #expect(
                await failure { try await decode([coding], [encoded + encoded.prefix(count)]) } == .badContentEncoding)
        }
    }

    @Test("A skippable zstd frame before or after a frame is skipped (RFC 8878 §3.1.2)")
    func skippable() async throws {
        let encoded = try Self.encoded(.zstd)
        for first in UInt8(0x50)...0x5F {
            let frame = Data([first, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
            #expect(try await decode([.zstd], [frame + encoded + frame + encoded]) == Self.text + Self.text)
            #expect(await failure { try await decode([.zstd], [encoded + frame.dropLast()]) } == .badContentEncoding)
        }
    }

    @Test("An endless body after the compressed stream is read only up to a limit")
    func endlessTrailer() async throws {
        let encoded = try Self.encoded(.gzip)
        var (isFirst, read) = (true, 0)
        let decoder = ContentDecoder(.gzip) {
            defer { isFirst = false }
            read += 1
            return isFirst ? encoded : Data(count: 64 * 1024)
        }
        var decoded = Data()
        while let chunk = try await decoder.next() { decoded += chunk }
        #expect(decoded == Self.text)
        #expect(read < 30)
    }

    @Test(
        "More than a thousand empty gzip members or zstd frames end with badContentEncoding",
        arguments: [
            (ContentDecoding.gzip, "H4sIAAAAAAACAwMAAAAAAAAAAAA="), (.zstd, "KLUv/SAAAQAA"),
        ])
    func emptyStreams(_ coding: ContentDecoding, _ empty: String) async throws {
        let (encoded, empty) = (try Self.encoded(coding), try #require(Data(base64Encoded: empty)))
        let streams = { (count: Int) in Data(repeatElement(empty, count: count).joined()) }
        #expect(try await decode([coding], [streams(1000) + encoded]) == Self.text)
        #expect(await failure { try await decode([coding], [streams(1001) + encoded]) } == .badContentEncoding)
    }

    @Test("A cancel ends the decoding of input in memory")
    func cancelled() async throws {
        let encoded = try Self.compressed(Data(count: 1 << 20), .gzip)
        let task = Task {
            var chunks = [encoded][...]
            let decoder = ContentDecoder(.gzip) { chunks.popFirst() }
            _ = try await decoder.next()
            withUnsafeCurrentTask { $0?.cancel() }
            while (try await decoder.next()) != nil {}
        }
        await #expect {
            try await task.value
        } throws: {
            ($0 as? AsyncNetError)?.code == .cancelled
        }
    }

    @Test(
        "A changed byte ends in badContentEncoding or other output, and never in a trap",
        arguments: ContentDecoding.allCases)
    func damaged(_ coding: ContentDecoding) async throws {
        let encoded = try Self.encoded(coding)
        for index in encoded.indices {
            var damaged = encoded
            damaged[index] ^= 0x55
            let code = await failure { try await decode([coding], [damaged]) }
            #expect(code == nil || code == .badContentEncoding)
        }
    }

    @Test("deflate without a zlib header is decoded")
    func bareDeflate() async throws {
        let encoded = try #require(Data(base64Encoded: "S0osSlVISU3LSSxJBQA="))
        #expect(try await decode([.deflate], [encoded]) == Data("bare deflate".utf8))
        #expect(try await decode([.deflate], encoded.map { Data([$0]) }) == Data("bare deflate".utf8))
    }

    @Test("A zstd frame with a window of more than 8 MiB is refused (RFC 9659)")
    func largeWindow() async throws {
        let encoded = try #require(Data(base64Encoded: "KLUv/QBwRQAAEHh4AQA/ASw="))
        #expect(await failure { try await decode([.zstd], [encoded]) } == .badContentEncoding)
    }

    @Test("Several content codings are decoded in reverse order of their listing")
    func stacked() async throws {
        let encoded = try Self.compressed(Self.encoded(.zstd), .gzip)
        #expect(try await decode(ContentDecoding.codings(in: ["zstd", " X-GZIP , identity"]), [encoded]) == Self.text)
    }

    @Test("More than five content codings lead to badContentEncoding unless the body is empty")
    func tooMany() async throws {
        let fields = [Array(repeating: "gzip", count: 6).joined(separator: ",")]
        let codings = Result { () throws(AsyncNetError) in try ContentDecoding.codings(in: fields) }
        #expect(await failure { try await decode(codings, [Data("x".utf8)]) } == .badContentEncoding)
        #expect(try await decode(codings, []).isEmpty)
    }

    @Test(
        "Unregistered names in Content-Encoding are ignored, and an undecodable coding keeps the body as sent",
        arguments: [
            (["", "identity, ,"], []), (["aws-chunked"], []), (["UTF-8"], []), (["binary"], []), (["none"], []),
            (["nonsense"], []), (["gzip;q=1"], []), (["\"gzip\""], []), (["aws-chunked, gzip"], [.gzip]),
            (["gzip,aws-chunked"], [.gzip]), (["gzip", "utf-8"], [.gzip]), (["none, BR, zstd"], [.brotli, .zstd]),
            (["compress"], []), (["x-compress, gzip"], []), (["gzip, aes128gcm"], []), (["dcb"], []),
            (["gzip", "DCZ"], []),
            (["exi"], []), (["pack200-gzip"], []), (["x-gzip"], [.gzip]), (["deflate"], [.deflate]),
        ] as [([String], [ContentDecoding])])
    func names(_ fields: [String], _ codings: [ContentDecoding]) throws {
        #expect(try ContentDecoding.codings(in: fields) == codings)
    }

    @Test("Output is delivered in chunks of at most 64 KiB, and input is read only when chunks are taken")
    func bounded() async throws {
        let bomb = try Self.compressed(Self.compressed(Data(count: 64 << 20), .gzip), .gzip)
        var (chunks, asked) = ([bomb][...], 0)
        let inner = ContentDecoder(.gzip) {
            asked += 1
            return chunks.popFirst()
        }
        let decoder = ContentDecoder(.gzip) { try await inner.next() }
        for _ in 0..<100 { #expect(try #require(try await decoder.next()).count <= 64 * 1024) }
        #expect(asked == 1)
    }

    // MARK: Over a transport

    @Test("A body that a transport delivers encoded is decoded by the session")
    func aboveTransport() async throws {
        let encoded = try Self.encoded(.gzip)
        let session = Session(transport: EncodedTransport(body: encoded))
        let response = await session.request("http://a/").serializing(Data.self).response
        #expect(response.value == Self.text)
        #expect(response.metrics.receivedBytes == Int64(Self.text.count))
        let cut = Session(transport: EncodedTransport(body: encoded.dropLast(9)))
        #expect(await cut.request("http://a/").serializing(Data.self).response.error?.code == .badContentEncoding)
    }

    @Test("Over libcurl a truncated compressed body is an error, and a body beyond the limit ends early")
    func overLibcurl() async throws {
        let session = Session(transport: LibcurlTransport(), configuration: .init(maximumBodySize: 1 << 20))
        let bomb = try Self.compressed(Data(count: 16 << 20), .gzip)
        let text = try Self.encoded(.brotli)
        try await withServer(
            MockResponse(headers: ["Content-Encoding": "br"], body: text),
            MockResponse(headers: ["Content-Encoding": "br"], body: text.dropLast(3)),
            MockResponse(headers: ["Content-Encoding": "gzip"], body: bomb)
        ) { (server: MockServer) async throws in
            #expect(try await session.request(server.url()).serializing(Data.self).value == Self.text)
            #expect(
                await session.request(server.url()).serializing(Data.self).response.error?.code == .badContentEncoding)
            #expect(await session.request(server.url()).serializing(Data.self).response.error?.code == .bodyTooLarge)
            let seen = try await server.takeRequest()
            #expect(seen.headers["Accept-Encoding"] == "gzip, deflate, br, zstd")
        }
    }
}

private struct EncodedTransport: Transport {
    let body: Data

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let head = HTTPResponseHead(statusCode: 200, url: request.head.url, headers: ["Content-Encoding": "gzip"])
        return TransportResponse(head: head, body: TransportBody(body), isContentDecoded: false)
    }
}
