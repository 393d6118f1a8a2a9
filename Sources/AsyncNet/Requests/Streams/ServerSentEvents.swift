/// The events of a stream, over as many connections as it takes.
struct ServerSentEvents: AsyncSequence, Sendable {
    let request: StreamRequest
    let connection: EventConnection

    func makeAsyncIterator() -> Iterator { Iterator(reader: ResponseReader(request, as: .events(connection))) }

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
    /// A stream that can be gone on with, because it has set an `id` or a `retry`, is connected to again when its
    /// connection is lost or ends without a `Content-Length` that announced the end; `Last-Event-ID` asks for what came
    /// after the last event. A 204 ends it in good order.
    ///
    /// Only a response with status 200 and type `text/event-stream` is a stream of events. Another status ends it with
    /// `.unacceptableStatus`, another type, or none, with `.unacceptableContentType`, and nothing is sent again. (Once
    /// there was a stream, statuses that pass, such as 503, are waited out like a lost connection.) See
    /// ``serverSentEvents(reconnection:contentTypes:)`` to have it otherwise.
    public var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        serverSentEvents(reconnection: .ifResumable())
    }

    /// The events of a `text/event-stream`, connected to again as `reconnection` says: `.never`, `.ifResumable()`, or
    /// `.always()` as browsers do.
    ///
    /// - Parameters:
    ///   - reconnection: When the request is sent again after its connection ended.
    ///   - contentTypes: The media types that a response may have, which are also sent as `Accept`. `*/*` accepts any
    ///     type, and a response without one.
    public func serverSentEvents(
        reconnection: EventReconnection = .ifResumable(), contentTypes: [String] = ["text/event-stream"]
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        let connection = EventConnection(reconnection, contentTypes: contentTypes)
        return ErasedFailure(ServerSentEvents(request: self, connection: connection))
    }
}
