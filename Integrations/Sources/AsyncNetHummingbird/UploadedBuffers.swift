import AsyncAlgorithms
import AsyncNet
import AsyncNetNIO
import Foundation
import NIOCore

/// The body of a request, read as the application reads it.
struct UploadedBuffers: AsyncSequence, Sendable {
    private let request: TransportRequest
    private let parts: ResponseParts

    /// - Parameter parts: Fail if the body does, since the request then ends with that error and not with a response.
    init(_ request: TransportRequest, noting parts: ResponseParts) { (self.request, self.parts) = (request, parts) }

    func makeAsyncIterator() -> Iterator { Iterator(request: request, parts: parts, read: Self.reader(request.body)) }

    private static func reader(_ body: AsyncNet.RequestBody) -> () async throws -> Data? {
        var chunks = body.chunks.makeAsyncIterator()
        return { try await chunks.next(isolation: #isolation) }
    }

    struct Iterator: AsyncIteratorProtocol {
        let request: TransportRequest
        let parts: ResponseParts
        let read: () async throws -> Data?
        var count: Int64 = 0

        mutating func next() async throws -> ByteBuffer? {
            do {
                guard let chunk = try await read() else { return nil }
                count += Int64(chunk.count)
                request.onEvent?(.sentBody(bytes: count, total: request.body.length))
                return ByteBuffer(bytes: chunk)
            } catch {
                parts.fail(error)
                throw error
            }
        }
    }
}
