extension AsyncSequence where Self: Sendable, Element == ServerSentEvent {
    /// The events before the first event with this data, which ends the sequence without an error.
    ///
    ///     let events = session.stream(url, method: .post, parameters: prompt).serverSentEvents.ending(with: "[DONE]")
    ///     for try await chunk in events.decoding(Chunk.self) { print(chunk) }
    ///
    /// The end marker is not delivered, and the stream is not read any more: its request has succeeded for monitors and
    /// logs, its connection is closed, and it is not connected again. A stream that ends without the marker ends the
    /// sequence, too.
    ///
    /// - Parameter marker: The whole data of the event that is the end, such as `[DONE]`.
    public func ending(with marker: String) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        EndedEvents(base: self, marker: marker)
    }
}

private struct EndedEvents<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ServerSentEvent {
    let base: Base
    let marker: String

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), marker: marker) }

    struct Iterator: AsyncIteratorProtocol {
        /// `nil` after the end: releasing the base's iterator ends the stream, even if the program keeps this iterator.
        var base: Base.AsyncIterator?
        let marker: String

        mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ServerSentEvent? {
            let event = try await base?.next(isolation: actor)
            guard let event, event.data != marker else {
                // The request ends as read before the reader's release, which would cancel a running request.
                await event?.stream.end?()
                base = nil
                return nil
            }
            return event
        }
    }
}
