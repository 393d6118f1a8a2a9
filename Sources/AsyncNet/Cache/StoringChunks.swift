import Foundation

/// The chunks of a body, written as they are read.
private struct StoringChunks: AsyncSequence {
    typealias Element = Data

    let body: TransportBody
    let writer: CheckedWriter

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), writer: writer) }

    struct Iterator: AsyncIteratorProtocol {
        var body: TransportBody.AsyncIterator
        let writer: CheckedWriter

        mutating func next() async throws -> Data? {
            guard let chunk = try await body.next() else { return nil }
            await writer.append(chunk)
            return chunk
        }
    }
}

/// The chunks of a body, with a closure that is called once at its end, with the error of a body that breaks off; not if
/// the reader leaves early.
private struct EndingChunks: AsyncSequence {
    typealias Element = Data

    let body: TransportBody
    let end: @Sendable ((any Error)?) async -> Void

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), end: end) }

    struct Iterator: AsyncIteratorProtocol {
        var body: TransportBody.AsyncIterator
        /// `nil` once it has been called.
        var end: (@Sendable ((any Error)?) async -> Void)?

        mutating func next() async throws -> Data? {
            do {
                if let chunk = try await body.next() { return chunk }
            } catch {
                await end.take()?(error)
                throw error
            }
            await end.take()?(nil)
            return nil
        }
    }
}

extension TransportResponse {
    /// The response with a body that is stored as it is read, and that other requests get once it has been read to its
    /// end and was decoded; at once if it is in memory and has no content coding.
    func storing(in writer: CheckedWriter) async -> TransportResponse {
        if let data = body.data, !isCoded {
            await writer.append(data)
            await writer.commit()
            return self
        }
        var copy = self
        copy.body = TransportBody(StoringChunks(body: body, writer: writer))
        copy = copy.decoded
        copy.body = TransportBody(EndingChunks(body: copy.body) { if $0 == nil { await writer.commit() } })
        return copy
    }

    /// The response with a decoded body. Calls the closure if the body turns out not to decode.
    func decoded(otherwise remove: @escaping @Sendable () async -> Void) -> TransportResponse {
        guard isCoded else { return self }
        var copy = decoded
        copy.body = TransportBody(
            EndingChunks(body: copy.body) { error in
                if (error as? AsyncNetError)?.code == .badContentEncoding { await remove() }
            })
        return copy
    }

    /// Whether the body has a content coding that this library decodes.
    private var isCoded: Bool { !isContentDecoded && decoded.isContentDecoded }
}
