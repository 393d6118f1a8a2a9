public import AsyncNet
package import Foundation
public import NIOCore
import NIOFoundationEssentialsCompat

extension RequestBody {
    /// Bytes of a buffer that are readable, with their `Content-Length`. They are not copied.
    public static func byteBuffer(_ buffer: ByteBuffer) -> RequestBody { .data(buffer.data) }

    /// The buffers of a sequence, read as fast as the network accepts them; can be sent once.
    ///
    /// As the stream of `Data` that AsyncNet has, whose guarantees apply. The readable bytes of each buffer are sent;
    /// they are not copied.
    ///
    /// - Parameters:
    ///   - buffers: The bytes to send. The sequence is read on a thread that it may block.
    ///   - length: The number of bytes, sent as `Content-Length`; more or fewer end the request with
    ///     `.bodyLengthMismatch`. With `nil` HTTP/1.1 uses the chunked transfer coding (RFC 9112 §7.1).
    public static func stream<Buffers: AsyncSequence & Sendable>(
        _ buffers: Buffers, length: Int64? = nil
    ) -> RequestBody where Buffers.Element == ByteBuffer {
        .stream(DataChunks(buffers: buffers), length: length)
    }

    /// The buffers of a sequence that is created each time the body is sent, so that it can be sent again, after a
    /// redirect or for a retry.
    ///
    /// - Parameters:
    ///   - length: As for a body that can be sent once.
    ///   - makeBuffers: Creates the sequence; an error ends the request with `.bodyStreamFailed`.
    public static func stream<Buffers: AsyncSequence & Sendable>(
        length: Int64? = nil, _ makeBuffers: @escaping @Sendable () throws -> Buffers
    ) -> RequestBody where Buffers.Element == ByteBuffer {
        .stream(length: length) { DataChunks(buffers: try makeBuffers()) }
    }
}

extension ByteBuffer {
    /// The readable bytes, in the buffer's own memory: writing to a copy of the buffer does not change them.
    package var data: Data { peekData(length: readableBytes, byteTransferStrategy: .noCopy) ?? Data() }
}

/// Buffers as AsyncNet's chunks.
private struct DataChunks<Buffers: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Buffers.Element == ByteBuffer {
    let buffers: Buffers

    func makeAsyncIterator() -> Iterator { Iterator(buffers: buffers.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var buffers: Buffers.AsyncIterator

        mutating func next() async throws -> Data? { try await buffers.next(isolation: #isolation)?.data }
    }
}
