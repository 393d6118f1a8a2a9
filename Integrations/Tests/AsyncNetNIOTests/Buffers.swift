import AsyncNet
import Foundation
import NIOCore
import Synchronization

/// These buffers.
struct Buffers: AsyncSequence, Sendable {
    private let buffers: [ByteBuffer]

    init(_ buffers: [ByteBuffer]) { self.buffers = buffers }

    func makeAsyncIterator() -> Iterator { Iterator(buffers: buffers[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var buffers: ArraySlice<ByteBuffer>

        mutating func next() async -> ByteBuffer? { buffers.popFirst() }
    }
}

/// How many buffers a sequence has made.
final class Made: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// Buffers without end.
struct Endless: AsyncSequence, Sendable {
    static let size = 64 * 1024
    private let made: Made

    init(_ made: Made) { self.made = made }

    func makeAsyncIterator() -> Iterator { Iterator(made: made) }

    struct Iterator: AsyncIteratorProtocol {
        let made: Made

        mutating func next() async -> ByteBuffer? {
            made.add()
            return ByteBuffer(repeating: 0x61, count: Endless.size)
        }
    }
}

/// Responds with the first chunk of the request's body, and reads no further.
struct FirstChunk: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var chunks = request.body.chunks.makeAsyncIterator()
        let first = try await chunks.next() ?? Data()
        return TransportResponse(
            head: HTTPResponseHead(statusCode: 200, url: request.head.url), body: TransportBody(first))
    }
}
