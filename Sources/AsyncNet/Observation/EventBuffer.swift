/// The events that wait for an observer: at most `capacity`, of which a new event replaces the oldest.
struct EventBuffer {
    let capacity: Int
    /// Once full, a ring that begins at `start`.
    private var events: [SessionEvent] = []
    private var start = 0
    /// How many events were replaced since the last take.
    private var lost = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var isEmpty: Bool { events.isEmpty }
    var count: Int { events.count }

    /// Adds the event, in place of the oldest if the buffer is full.
    ///
    /// - Parameter event: Is `none` or the replaced event afterwards. The caller releases that outside of its lock, as
    ///   the code of a user's error may run then.
    mutating func append(_ event: inout SessionEvent) {
        if events.count < capacity {
            var moved = SessionEvent.none
            swap(&moved, &event)
            return events.append(consume moved)
        }
        lost += events[start].lostBefore + 1
        swap(&events[start], &event)
        start = (start + 1) % capacity
    }

    /// The waiting events in their order; the first has the number of lost events.
    mutating func takeAll() -> [SessionEvent] {
        var taken: [SessionEvent] = []
        takeAll(into: &taken)
        return taken
    }

    /// - Parameter taken: An empty array, whose memory is used for the next events.
    mutating func takeAll(into taken: inout [SessionEvent]) {
        if start > 0 { events = Array(events[start...] + events[..<start]) }
        swap(&events, &taken)
        if lost > 0, !taken.isEmpty { taken[0].lostBefore += lost }
        (start, lost) = (0, 0)
    }
}
