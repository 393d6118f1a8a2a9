/// The events that wait for an observer: at most `capacity`, of which a new event replaces the oldest.
struct EventBuffer {
    let capacity: Int
    /// The first `count` wait. The others have been received, see `EventBatch`; new events replace them.
    private var events: [SessionEvent] = []
    private(set) var count = 0
    /// Once full, a ring that begins here.
    private var start = 0
    /// How many events were replaced since the last take.
    private var lost = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var isEmpty: Bool { count == 0 }
    /// Whether the observer should take the events now, even if it has time to wait for more.
    var isBatch: Bool { count >= min(capacity / 2, EventBatch.size) }

    /// - Returns: The received or lost event in whose place the new one is. The caller frees it outside of its lock.
    @discardableResult
    mutating func append(_ event: consuming SessionEvent) -> SessionEvent? {
        guard count < capacity else { return replaceOldest(event) }
        count += 1
        guard count <= events.count else {
            events.append(event)
            return nil
        }
        swap(&event, &events[count - 1])
        return event
    }

    private mutating func replaceOldest(_ event: consuming SessionEvent) -> SessionEvent {
        swap(&event, &events[start])
        lost += event.lostBefore + 1
        start = (start + 1) % capacity
        return event
    }

    /// The waiting events in their order; the first has the number of lost events.
    mutating func takeAll() -> [SessionEvent] {
        var batch = EventBatch()
        takeAll(into: &batch)
        return batch.waiting
    }

    /// - Parameter batch: Its received events are those that new events replace.
    mutating func takeAll(into batch: inout EventBatch) {
        if start > 0 { events = Array(events[start...] + events[..<start]) }
        if lost > 0, count > 0 { events[0].lostBefore += lost }
        batch.exchange(&events, count)
        (count, start, lost) = (0, 0, 0)
    }
}
