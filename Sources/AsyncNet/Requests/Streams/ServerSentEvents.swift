/// The events of a stream, over as many connections as it takes.
struct ServerSentEvents: AsyncSequence, Sendable {
    let request: StreamRequest
    let reconnection: EventReconnection

    func makeAsyncIterator() -> Iterator { Iterator(reader: ResponseReader(request, as: .events(reconnection))) }

    struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader
        private var found: ArraySlice<ServerSentEvent> = []

        init(reader: ResponseReader) { self.reader = reader }

        mutating func next() async throws(AsyncNetError) -> ServerSentEvent? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> ServerSentEvent? {
            while found.isEmpty {
                guard let more = try await reader.next(of: \.events) else { return nil }
                found = more[...]
            }
            return found.popFirst()
        }
    }
}

extension StreamRequest {
    /// The events of a `text/event-stream` (WHATWG HTML §9.2), as they arrive.
    ///
    /// A stream that can be gone on with, because it has set an `id` or a `retry`, is connected to again when its connection is lost or ends
    /// without a `Content-Length` that announced the end; `Last-Event-ID` asks for what came after the last event. A 204 ends it in good order.
    /// See ``serverSentEvents(reconnection:)`` to have it otherwise.
    ///
    /// A response that is no success, or whose type is HTML or JSON, ends it with `.unacceptableStatus` or `.unacceptableContentType`.
    public nonisolated var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable { serverSentEvents(reconnection: .ifResumable()) }

    /// The events of a `text/event-stream`, connected to again as `reconnection` says: `.never`, `.ifResumable()`, or `.always()` as browsers do.
    public nonisolated func serverSentEvents(reconnection: EventReconnection) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        ErasedFailure(ServerSentEvents(request: self, reconnection: reconnection))
    }
}
