import Foundation

extension AsyncSequence where Self: Sendable, Element == ServerSentEvent {
    /// The data of each event, decoded as it arrives.
    ///
    ///     for try await price in session.stream(url).serverSentEvents.decoding(Price.self) { }
    ///
    /// To leave out events that are not to be decoded, call `filter` or `ending(with:)` before this function.
    ///
    /// Events without data, which servers send to keep a connection open, are skipped. Data that cannot be decoded ends
    /// the sequence with `.decodingFailed`, whose message has the event's id; the stream is not connected again.
    /// Decoding runs on no actor, by default with the session's ``SessionConfiguration/decoder``.
    public func decoding<Value: Decodable & Sendable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        compactMap { event throws -> Value? in
            guard !event.data.isEmpty else { return nil }
            return try await StreamDecoding(event, decoder).value(type, in: event.subject) { Data(event.data.utf8) }
        }
    }
}

extension AsyncSequence where Element == ServerSentEvent {
    /// The data of each event, decoded on the actor of the loop, for a `Decodable` conformance isolated to it.
    @_disfavoredOverload
    public func decoding<Value: Decodable>(
        _ type: Value.Type, decoder: (any DataDecoder)? = nil
    ) -> ActorBoundValues<Value> {
        ActorBoundValues {
            var events = makeAsyncIterator()
            return {
                while let event = try await events.next(isolation: #isolation) {
                    guard !event.data.isEmpty else { continue }
                    return ActorBoundValues.Piece(decoding: StreamDecoding(event, decoder), subject: event.subject) {
                        Data(event.data.utf8)
                    }
                }
                return nil
            }
        }
    }
}

extension ServerSentEvent {
    /// The words for the event in an error's message. The id may be a hostile server's, so it is cut and escaped.
    fileprivate var subject: String {
        guard let id, !id.isEmpty else { return "The data of an event without id" }
        return "The data of event \"\(id.shownInMessage)\""
    }
}
