/// An event of a `text/event-stream` (WHATWG HTML §9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The last event ID of the stream at this event: its own `id`, or that of an earlier event.
    ///
    /// `nil` if the stream has set no ID, or has reset the ID to the empty text; a reconnection then sends no
    /// `Last-Event-ID`.
    public let id: String?

    /// The event's type; `message` without an `event` field.
    public let event: String

    /// The values of the event's `data` fields, joined by line feeds; may be empty.
    public let data: String

    /// The delay before a reconnection that this or an earlier event set; `nil` if none did.
    ///
    /// In whole milliseconds, at most 2,147,483,647.
    public let retry: Duration?

    /// The stream that the event came from; not part of the event's value.
    var stream = SourceStream()

    /// Creates an event, for tests.
    public init(id: String? = nil, event: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}

extension ServerSentEvent: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self, children: ["id": id as Any, "event": event, "data": data, "retry": retry as Any],
            displayStyle: .struct)
    }
}

/// What an event knows of its stream, even behind a `filter`. All values are equal, so that events compare by fields.
struct SourceStream: Hashable, Sendable {
    /// The session's decoder; `nil` for an event that no session has received.
    var decoder: (any DataDecoder)?
    /// The event's request, for errors.
    var context: (@Sendable () -> AsyncNetError.Context)?
    /// Ends the stream's request successfully: its reader needs no more events.
    var end: (@Sendable () async -> Void)?

    static func == (one: SourceStream, other: SourceStream) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
