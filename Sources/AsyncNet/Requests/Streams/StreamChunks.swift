public import Foundation

/// A response's body as it arrives, in chunks; see ``StreamRequest/chunks``.
public struct StreamChunks: AsyncSequence, Sendable {
    let request: StreamRequest
    let isCancelling: Bool

    public func makeAsyncIterator() -> Iterator { Iterator(request, isCancelling) }

    /// Reads the chunks. Only the first iterator of a stream can; others throw `.bodyAlreadyRead`.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: ResponseReader

        init(_ request: StreamRequest, _ isCancelling: Bool) {
            reader = ResponseReader(request, as: .chunks, isCancelling)
        }

        /// The next chunk, never empty; `nil` at the end.
        public mutating func next() async throws(AsyncNetError) -> Data? { try await reader.next(of: \.chunks) }

        /// The next chunk; `for await` calls this function.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> Data? {
            try await reader.next(of: \.chunks)
        }
    }
}

/// The reader of a stream. Its release cancels the request, or, if `isCancelling` is false, drops the rest of the body.
final class ResponseReader: Sendable {
    private let request: StreamRequest
    private let isFirst: Bool
    private let isCancelling: Bool

    init(_ request: StreamRequest, as form: StreamSink.Form, _ isCancelling: Bool = true) {
        (self.request, self.isCancelling) = (request, isCancelling)
        isFirst = request.sink.beginReading(as: form, droppingRest: !isCancelling)
    }

    deinit {
        guard isFirst else { return }
        request.sink.close()
        if isCancelling { request.engine.soon { await $0.cancel() } }
    }

    func next<Piece>(of pieces: any KeyPath<StreamSink, Handover<Piece>> & Sendable) async throws(AsyncNetError)
        -> Piece?
    {
        guard isFirst else { throw AsyncNetError(.bodyAlreadyRead) }
        await request.engine.startIfNeeded()
        return try await request.sink[keyPath: pieces].next()
    }
}

extension StreamRequest {
    /// The body in chunks as they arrive, after decoding of its `Content-Encoding`.
    ///
    /// Only the first loop over a stream can read the body; others throw `.bodyAlreadyRead`.
    public var chunks: StreamChunks { chunks(automaticallyCancelling: true) }

    /// The body in chunks as they arrive, after decoding of its `Content-Encoding`.
    ///
    /// - Parameter automaticallyCancelling: Whether leaving the loop cancels the request. With `false`, the rest of the
    ///   body is received and dropped, and the request ends as if it had been read; a request that has not started is
    ///   not sent.
    public func chunks(automaticallyCancelling: Bool) -> StreamChunks {
        StreamChunks(request: self, isCancelling: automaticallyCancelling)
    }

    /// The body byte by byte, as it arrives.
    public var bytes: some AsyncSequence<UInt8, AsyncNetError> & Sendable {
        ResponseBytes(chunks: StreamChunks(request: self, isCancelling: true))
    }
}

/// A response's body byte by byte; most calls of `next` return without waiting.
private struct ResponseBytes: AsyncSequence, Sendable {
    let chunks: StreamChunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: StreamChunks.Iterator
        private var current = Data()[...]

        fileprivate init(chunks: StreamChunks.Iterator) { self.chunks = chunks }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> UInt8? {
            if let byte = current.popFirst() { return byte }
            guard let chunk = try await chunks.next(isolation: actor) else { return nil }
            current = chunk[...]
            return current.popFirst()
        }
    }
}
