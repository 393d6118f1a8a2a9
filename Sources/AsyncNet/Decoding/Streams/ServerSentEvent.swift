/// An event that a server sent in a `text/event-stream` (WHATWG HTML §9.2).
public struct ServerSentEvent: Hashable, Sendable {
    /// The last event ID of the stream when the event came: its own, or that of an event before it.
    ///
    /// `nil` if the stream has set none, or has taken it back with an empty one; then no `Last-Event-ID` is sent on
    /// reconnection.
    public let id: String?

    /// The event's type; `message` if it names none.
    public let event: String

    /// The values of the event's `data` fields, joined by line feeds. It may be empty.
    public let data: String

    /// How long the stream has asked to wait before a reconnection, by this event or one before it; `nil` if it has
    /// not.
    ///
    /// Whole milliseconds, at most 2,147,483,647 of them.
    public let retry: Duration?

    public init(id: String? = nil, event: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}
