import Foundation

/// Events that an observer has taken from its buffer.
///
/// Received events stay in the batch, and go back to the buffer with the next take, where new events replace them: the
/// memory of an event, and of the heads and errors in it, is then freed by the threads that allocate such memory, and not
/// by the observer's thread. The latter costs several times as much.
struct EventBatch {
    /// How many events an observer takes at a time while a session is busy: so many that it is seldom woken, and so few
    /// that their memory stays in a processor's cache.
    static let size = 256

    /// A batch with more events, as of a slow observer, is freed instead of going back.
    private static let limit = 4 * size

    private var events: [SessionEvent] = []
    private(set) var count = 0

    /// In the place of an event while it is received.
    private static let placeholder = SessionEvent(requestID: RequestID(), date: .distantPast, event: .created)

    /// The events that have not been received.
    var waiting: [SessionEvent] { count == events.count ? events : Array(events[..<count]) }

    /// Calls `receive` with each event. An event is moved out of the batch and back, since a copy would change the
    /// reference counts of objects that other threads use.
    mutating func forEach(_ receive: (SessionEvent) async -> Void) async {
        var event = Self.placeholder
        for index in 0..<count {
            swap(&event, &events[index])
            await receive(event)
            swap(&event, &events[index])
        }
        count = 0
        if events.count > Self.limit { events = [] }
    }

    /// Frees the received events.
    mutating func removeReceived() { events.removeSubrange(count...) }

    /// Gives received events for others, the first `count` of which wait.
    mutating func exchange(_ others: inout [SessionEvent], _ count: Int) {
        swap(&events, &others)
        self.count = count
    }
}
