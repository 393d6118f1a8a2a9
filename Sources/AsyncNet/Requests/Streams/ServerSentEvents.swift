/// The events of a stream, over one connection after another.
struct ServerSentEvents: AsyncSequence, Sendable {
    let request: StreamRequest
    let connection: EventConnection
    let timeouts: EventTimeouts

    func makeAsyncIterator() -> Iterator {
        let engine = request.engine
        let stream = SourceStream(
            decoder: engine.environment.configuration.decoder,
            context: { [record = engine.record] in record.outcome(nil).errorContext },
            end: { [weak engine] in await engine?.endAsRead() })
        return Iterator(
            reader: ResponseReader(request, as: .events(connection)), stream: stream, engine: engine,
            timeouts: timeouts)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader
        let stream: SourceStream
        let engine: RequestEngine
        let timeouts: EventTimeouts
        private var found: ArraySlice<ServerSentEvent> = []
        private var isFirst = true

        init(reader: ResponseReader, stream: SourceStream, engine: RequestEngine, timeouts: EventTimeouts) {
            (self.reader, self.stream, self.engine, self.timeouts) = (reader, stream, engine, timeouts)
        }

        mutating func next() async throws(AsyncNetError) -> ServerSentEvent? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(AsyncNetError) -> ServerSentEvent? {
            while found.isEmpty {
                let timer = timeouts.start(isFirst: isFirst, engine)
                defer { timer.map(engine.environment.timers.cancel) }
                guard let more = try await reader.next(of: \.events) else { return nil }
                (found, isFirst) = (more[...], false)
            }
            var event = found.popFirst()
            event?.stream = stream
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
    /// connection. To change this, use
    /// ``serverSentEvents(reconnection:contentTypes:maximumLength:firstEventTimeout:eventTimeout:)``.
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
    ///     default 16 MiB. More bytes end the stream with `.lineTooLong`. Memory is used for the event that arrives,
    ///     not for the limit.
    ///   - firstEventTimeout: How long the loop waits for its first event, from the start of the request: with
    ///     connecting, retries and reconnections. A longer wait ends the stream with `.eventTimedOut`, and no retrier
    ///     is asked. By default there is no limit.
    ///   - eventTimeout: How long the loop waits for each later event; the rest as for `firstEventTimeout`.
    ///
    /// Comments are not events: servers send them to keep a connection open, and they count for
    /// ``EventReconnection/heartbeatTimeout`` and the request's timeout only.
    public func serverSentEvents(
        reconnection: EventReconnection = .ifResumable(), contentTypes: [String] = ["text/event-stream"],
        maximumLength: Int = 16 << 20, firstEventTimeout: Duration? = nil, eventTimeout: Duration? = nil
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        let connection = EventConnection(reconnection, contentTypes: contentTypes, maximumLength: maximumLength)
        let timeouts = EventTimeouts(first: firstEventTimeout, next: eventTimeout)
        return ServerSentEvents(request: self, connection: connection, timeouts: timeouts).map { event throws in event }
    }
}
