import Synchronization

/// Passes events from requests to one observer, which takes them when it has time. If `capacity` events wait, a new
/// event replaces the oldest.
final class EventChannel: Sendable {
    fileprivate enum Item: Sendable {
        case event(SessionEvent)
        /// A promise that is fulfilled when the observer has received all events before it.
        case marker(Promise<Void>)
    }

    let interests: EventInterests
    private let items: AsyncStream<Item>.Continuation
    /// How many events were replaced since the observer took an event.
    private let lost = Atomic(0)

    /// - Parameter end: Called when the channel is closed, or when the observer has released the events.
    /// - Returns: The channel, and its events for the observer.
    static func make(
        capacity: Int, interests: EventInterests, onEnd end: @escaping @Sendable () -> Void = {}
    ) -> (EventChannel, SessionEvents) {
        let (stream, items) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingNewest(max(1, capacity)))
        items.onTermination = { _ in end() }
        let channel = EventChannel(interests, items)
        return (channel, SessionEvents(channel, stream))
    }

    private init(_ interests: EventInterests, _ items: AsyncStream<Item>.Continuation) {
        self.interests = interests
        self.items = items
    }

    /// Sends an event, unless it is of an expensive kind that the observer does not need.
    func send(_ event: SessionEvent) {
        if event.event.isNeeded(for: interests) { yield(.event(event)) }
    }

    /// Closes the channel: later events are ignored, and the observer still takes the waiting ones.
    func close() { items.finish() }

    /// Returns when the observer has received all events sent so far, or when the task is cancelled.
    func drained() async {
        let marker = Promise<Void>()
        yield(.marker(marker))
        try? await marker.value()
    }

    private func yield(_ item: Item) {
        switch items.yield(item) {
        case .dropped(.event(let event)): lost.add(event.lostBefore + 1, ordering: .relaxed)
        case .dropped(.marker(let marker)): marker.fulfil(.success(()))
        case .terminated: if case .marker(let marker) = item { marker.fulfil(.success(())) }
        default: break
        }
    }

    fileprivate func event(_ item: Item) -> SessionEvent? {
        switch item {
        case .event(var event):
            event.lostBefore += lost.exchange(0, ordering: .relaxed)
            return event
        case .marker(let marker):
            marker.fulfil(.success(()))
            return nil
        }
    }
}

/// The events of a session's requests, see ``Session/events``.
struct SessionEvents: AsyncSequence, Sendable {
    typealias Element = SessionEvent
    typealias Failure = Never

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: EventChannel
        fileprivate var items: AsyncStream<EventChannel.Item>.Iterator

        mutating func next(isolation: isolated (any Actor)?) async -> SessionEvent? {
            while !Task.isCancelled, let item = await items.next(isolation: isolation) {
                if let event = channel.event(item) { return event }
            }
            return nil
        }
    }

    private let channel: EventChannel
    private let stream: AsyncStream<EventChannel.Item>

    fileprivate init(_ channel: EventChannel, _ stream: AsyncStream<EventChannel.Item>) {
        self.channel = channel
        self.stream = stream
    }

    func makeAsyncIterator() -> Iterator { Iterator(channel: channel, items: stream.makeAsyncIterator()) }
}

extension RequestEvent {
    /// Whether an observer with these interests receives the event.
    fileprivate func isNeeded(for interests: EventInterests) -> Bool {
        switch self {
        case .sent: interests.sentHeads
        case .sentBody, .receivedBody: interests.bodyBytes
        case .requestBody, .responseBody: interests.bodyLimit > 0
        case .connection(let event): interests.bodyBytes || !event.isFrequent
        default: true
        }
    }
}
