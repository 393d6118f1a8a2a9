package import Foundation

/// Hands a response's body to whoever reads the stream, chunk by chunk, as fast as they are read.
package final class StreamSink: ResponseSink {
    package let chunks = Handover<Data>()
    package let head = Promise<HTTPResponseHead>()
    private let isRead = Locked(false)

    package init() {}

    package func receive(_ body: WatchedBody, of head: HTTPResponseHead) async throws -> SinkVerdict {
        self.head.fulfil(.success(head))
        while let chunk = try await body.next() {
            guard await chunks.offer(chunk) else { throw AsyncNetError(.cancelled, "The stream was left before its end") }
        }
        return .done
    }

    package func requestEnded(_ error: AsyncNetError?) {
        let end: Result<Void, AsyncNetError> = error.map { .failure($0) } ?? .success(())
        head.fulfil(.failure(error ?? AsyncNetError(.badServerResponse)))
        chunks.finish(end)
    }

    /// Whether this reader is the first: chunks cannot be read twice.
    package func beginReading() -> Bool {
        isRead.withLock { isRead in
            defer { isRead = true }
            return !isRead
        }
    }
}
