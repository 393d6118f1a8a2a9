import Foundation
import Testing

@testable import AsyncNet

@Suite("Decoding of whole bodies")
struct WholeBodyDecodingTests {
    private func gzip(_ data: Data) throws -> Data { try Compressor(.gzip).compress(data, isLast: true) }

    @Test("A body in memory with no, one or two content codings is decoded")
    func codings() throws {
        let body = Data("hello".utf8)
        #expect(try gzip(body).decoded(from: ["gzip"], limit: 5) == body)
        #expect(try gzip(gzip(body)).decoded(from: ["gzip, gzip"], limit: 100) == body)
        #expect(body.decoded(from: ["identity"], limit: 5) == body)
        #expect(body.decoded(from: [], limit: 5) == body)
        #expect(Data().decoded(from: ["gzip"], limit: 5) == Data())
    }

    @Test("A body in memory that is invalid, cut, too long, or has an unknown coding gives nil")
    func invalid() throws {
        let encoded = try gzip(Data(repeating: 0, count: 300_000))
        #expect(encoded.decoded(from: ["x-mine"], limit: 1_000_000) == nil)
        #expect(Data("hello".utf8).decoded(from: ["gzip"], limit: 5) == nil)
        #expect(encoded.dropLast(4).decoded(from: ["gzip"], limit: 1_000_000) == nil)
        #expect(encoded.decoded(from: ["gzip"], limit: 299_999) == nil)
    }
}
