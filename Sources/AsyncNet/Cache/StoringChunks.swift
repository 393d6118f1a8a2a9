import Foundation

/// The chunks of a body, stored as they are read: other requests get the body once it has been read to its end.
///
/// A body that breaks off, or that its reader leaves early, is not stored.
struct StoringChunks: AsyncSequence {
    typealias Element = Data

    let body: TransportBody
    let writer: any CacheWriter

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), writer: writer) }

    struct Iterator: AsyncIteratorProtocol {
        var body: TransportBody.AsyncIterator
        /// `nil` once the body cannot be stored, or is.
        var writer: (any CacheWriter)?

        mutating func next() async throws -> Data? {
            guard let chunk = try await body.next() else {
                await writer.take()?.commit()
                return nil
            }
            if let writer, await !writer.append(chunk) { self.writer = nil }
            return chunk
        }
    }
}

extension TransportResponse {
    /// The response with a body that is stored as it is read; at once if it is in memory.
    func storing(in writer: any CacheWriter) async -> TransportResponse {
        var copy = self
        if let data = body.data {
            if await writer.append(data) { await writer.commit() }
        } else {
            copy.body = TransportBody(StoringChunks(body: body, writer: writer))
        }
        return copy
    }
}
