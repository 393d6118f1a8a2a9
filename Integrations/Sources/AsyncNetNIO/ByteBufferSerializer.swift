public import AsyncNet
public import NIOCore
import NIOFoundationEssentialsCompat

/// Makes a buffer of a response's body.
///
///     let buffer = try await session.get(url).serializing(using: .byteBuffer).value
///
/// The bytes are copied once. For large bodies, `StreamChunks.byteBuffers` needs less memory.
public struct ByteBufferSerializer: ResponseSerializer {
    /// A serializer.
    public init() {}

    /// The body's bytes; an empty buffer without a body.
    public func serialize(_ response: RawResponse) async throws -> ByteBuffer { ByteBuffer(data: response.data) }
}

extension ResponseSerializer where Self == ByteBufferSerializer {
    /// Makes a buffer of the body.
    public static var byteBuffer: Self { ByteBufferSerializer() }
}

extension StreamChunks {
    /// The chunks as buffers, as they arrive. The bytes are copied once.
    ///
    ///     for try await buffer in session.stream(url).chunks.byteBuffers { }
    ///
    /// As with the chunks themselves, the body is received as fast as it is read, only the first loop can read it, and
    /// leaving the loop cancels the request.
    public var byteBuffers: some AsyncSequence<ByteBuffer, AsyncNetError> & Sendable { ByteBuffers(chunks: self) }
}

/// A response's body in buffers.
private struct ByteBuffers: AsyncSequence, Sendable {
    let chunks: StreamChunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: StreamChunks.Iterator

        mutating func next() async throws(AsyncNetError) -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> ByteBuffer? {
            try await chunks.next(isolation: actor).map { ByteBuffer(data: $0) }
        }
    }
}
