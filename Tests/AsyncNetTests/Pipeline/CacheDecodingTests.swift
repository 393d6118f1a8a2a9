import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Delivers bodies with a content coding in order, whole or in chunks; the last one again and again.
private final class CodedTransport: Transport {
    private let bodies: Locked<[Data]>
    private let isWhole: Bool

    init(_ bodies: [Data], isWhole: Bool) {
        self.bodies = Locked(bodies)
        self.isWhole = isWhole
    }

    static let headers: HTTPHeaders = ["Content-Encoding": "gzip", "Cache-Control": "max-age=600"]

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let body = bodies.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? Data() }
        let head = HTTPResponseHead(statusCode: 200, url: request.head.url, headers: Self.headers)
        let (chunks, stream) = AsyncStream.makeStream(of: Data.self)
        for start in stride(from: 0, to: body.count, by: 7) { stream.yield(Data(body.dropFirst(start).prefix(7))) }
        stream.finish()
        return TransportResponse(
            head: head, body: isWhole ? TransportBody(body) : TransportBody(chunks), isContentDecoded: false)
    }
}

@Suite("Caching of bodies that do not decode", .timeLimit(.minutes(5)))
struct CacheDecodingTests {
    enum Damage: CaseIterable { case truncated, flipped, checksum }

    private let cache = HTTPCache()

    private func gzip(_ text: String) throws -> Data {
        try #require(try RequestBody.data(Data(text.utf8)).compressed(with: .gzip).data)
    }

    private func damaged(_ damage: Damage) throws -> Data {
        var data = try gzip(String(repeating: "bad ", count: 100))
        switch damage {
        case .truncated: data.removeLast(9)
        case .flipped: data[data.count / 2] ^= 0xFF
        case .checksum: data[data.count - 6] ^= 0xFF
        }
        return data
    }

    private func summary(_ transport: some Transport) async -> String {
        let session = Session(transport: transport, configuration: .init(cache: cache))
        return await session.request("http://a/").serializing(String.self).response.summary
    }

    @Test("A body that does not decode is not stored", arguments: Damage.allCases, [true, false])
    func unstored(_ damage: Damage, _ isWhole: Bool) async throws {
        let transport = CodedTransport([try damaged(damage), try gzip("good")], isWhole: isWhole)
        #expect(await summary(transport) == "miss badContentEncoding")
        #expect(await cache.statistics.entries == 0)
        #expect(await summary(transport) == "miss good")
        #expect(await summary(transport) == "hit good")
    }

    @Test(
        "A stored body that does not decode is removed after the first request that fails", arguments: Damage.allCases)
    func removed(_ damage: Damage) async throws {
        let transport = CodedTransport([try gzip("good")], isWhole: true)
        let head = HTTPRequestHead(url: try "http://a/".asURL())
        let request = CacheRequest(head, mode: .standard, trust: transport.trust(for: head))
        let variant = try #require(CacheVariant(of: CodedTransport.headers, to: request))
        let response = StoredResponse(
            statusCode: 200, httpVersion: nil, reasonPhrase: nil, headers: CodedTransport.headers, requested: Date(),
            received: Date(), variant: variant, isContentDecoded: false)
        #expect(await cache.store.put(CacheKey(url: request.key), response, [try damaged(damage)]))
        #expect(await summary(transport) == "hit badContentEncoding")
        #expect(await summary(transport) == "miss good")
        #expect(await summary(transport) == "hit good")
    }
}
