/// The events of a stream, over one connection after another.
struct ServerSentEvents: AsyncSequence, Sendable {
    let request: StreamRequest
    let connection: EventConnection

    func makeAsyncIterator() -> Iterator {
        let engine = request.engine
        let decoding = EventDecoding(decoder: engine.decoder(nil)) { [record = engine.record] in
            record.outcome(nil).errorContext
        }
        return Iterator(reader: ResponseReader(request, as: .events(connection)), decoding: decoding)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader
        let decoding: EventDecoding
        private var found: ArraySlice<ServerSentEvent> = []

        init(reader: ResponseReader, decoding: EventDecoding) { (self.reader, self.decoding) = (reader, decoding) }

        mutating func next() async throws(AsyncNetError) -> ServerSentEvent? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> ServerSentEvent? {
            while found.isEmpty {
                guard let more = try await reader.next(of: \.events) else { return nil }
                found = more[...]
            }
            var event = found.popFirst()
            event?.decoding = decoding
            return event
        }
    }
}

extension StreamRequest {
    /// The events of a `text/event-stream` (WHATWG HTML §9.2), as they arrive.
    ///
    /// A stream that has set an `id` or a `retry` is resumable: the request is sent again when its connection is lost,
    /// or when its response ends without having had a `Content-Length`. `Last-Event-ID` requests the events after the
    /// last received event. A 204 response ends the stream without an error.
    ///
    /// A response is a stream of events only with status 200 and type `text/event-stream`. Another status ends the
    /// stream with `.unacceptableStatus`; another type, or no type, ends it with `.unacceptableContentType`; the
    /// request is not sent again. After a first stream, however, a transient status such as 503 counts as a lost
    /// connection. To change this, use ``serverSentEvents(reconnection:contentTypes:maximumLength:)``.
    public var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        serverSentEvents(reconnection: .ifResumable())
    }

    /// The events of a `text/event-stream`, with the given reconnection: `.never`, `.ifResumable()`, or `.always()` as
    /// browsers do.
    ///
    /// - Parameters:
    ///   - reconnection: When the request is sent again after its connection ended.
    ///   - contentTypes: The accepted media types, which are also sent as `Accept`. `*/*` accepts any type, and a
    ///     response without a type.
    ///   - maximumLength: How many bytes an event's data may have, and each line of it, such as an id or a comment; by
    ///     default 16 MiB. More end the stream with `.lineTooLong`. Memory is used for the event that arrives, not for
    ///     the limit.
    public func serverSentEvents(
        reconnection: EventReconnection = .ifResumable(), contentTypes: [String] = ["text/event-stream"],
        maximumLength: Int = 16 << 20
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        let connection = EventConnection(reconnection, contentTypes: contentTypes, maximumLength: maximumLength)
        return ErasedFailure(ServerSentEvents(request: self, connection: connection))
    }
}
