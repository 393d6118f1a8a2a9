/// The events of a session's requests, see ``Session/events``.
struct SessionEvents: AsyncSequence, Sendable {
    typealias Element = SessionEvent
    typealias Failure = Never

    /// Ends the observation when neither the sequence nor an iterator of it exists any more.
    fileprivate final class Lease: Sendable {
        let channel: EventChannel
        let end: @Sendable () -> Void
        init(_ channel: EventChannel, _ end: @escaping @Sendable () -> Void) {
            (self.channel, self.end) = (channel, end)
        }
        deinit { end() }
    }

    struct Iterator: AsyncIteratorProtocol {
        private let lease: Lease
        private var events: ArraySlice<SessionEvent> = []

        fileprivate init(_ lease: Lease) { self.lease = lease }

        mutating func next() async -> SessionEvent? { await next(isolation: #isolation) }

        mutating func next(isolation: isolated (any Actor)?) async -> SessionEvent? {
            if Task.isCancelled { events = [] }
            if events.isEmpty, let taken = await lease.channel.take() { events = taken[...] }
            return events.popFirst()
        }
    }

    private let lease: Lease

    init(_ channel: EventChannel, onEnd end: @escaping @Sendable () -> Void) {
        lease = Lease(channel, end)
    }

    func makeAsyncIterator() -> Iterator { Iterator(lease) }
}
