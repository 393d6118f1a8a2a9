import Foundation
import Synchronization

/// Sends the events of a session's requests to its monitors, and to loops over ``Session/events``.
///
/// Without observers a request reads one flag at each step, and makes no event.
final class EventHub: Sendable {
    private struct Sequences {
        var channels: [Int: EventChannel] = [:]
        var nextID = 0
        var isClosed = false
    }

    /// Monitors of this library, which receive events when they happen.
    private let immediate: [any ImmediateMonitor]
    /// The channels of all other monitors.
    private let monitors: [EventChannel]
    private let monitorInterests: EventInterests
    private let sequences = Locked(Sequences())
    private let observed: Atomic<Bool>
    /// Whether there are sequences, so that an event for monitors alone takes no lock for them.
    private let hasSequences = Atomic(false)
    private let time: TimeSource

    /// How many events wait for a monitor before it loses the oldest.
    private static let capacity = 10_000

    init(_ monitors: [any EventMonitor], _ time: TimeSource) {
        self.time = time
        immediate = monitors.compactMap { $0 as? any ImmediateMonitor }
        let others = monitors.filter { !($0 is any ImmediateMonitor) }
        self.monitors = others.map { Self.channel(to: $0) }
        monitorInterests = monitors.map(\.interests).reduce(.minimal) { $0.union($1) }
        observed = Atomic(!monitors.isEmpty)
    }

    deinit { close() }

    /// A channel whose events the monitor receives in a task of its own, on a thread that it may block. The task ends
    /// after the last event once the channel is closed.
    private static func channel(to monitor: any EventMonitor) -> EventChannel {
        let channel = EventChannel(capacity: capacity, interests: monitor.interests)
        // Detached: the task-locals of the task that makes the session are not the monitor's.
        Task.detached(executorPreference: UserCode.threads) {
            while let events = await channel.take() {
                for event in events { await monitor.receive(event) }
                channel.linger()
            }
        }
        return channel
    }

    /// Whether anybody observes all requests.
    var isObserved: Bool { observed.load(ordering: .acquiring) }

    /// What any of the observers needs.
    var interests: EventInterests {
        guard hasSequences.load(ordering: .acquiring) else { return monitorInterests }
        return sequences.withLock { $0.channels.values.reduce(monitorInterests) { $0.union($1.interests) } }
    }

    func send(
        _ event: RequestEvent, of id: RequestID, _ kind: RequestKind, attempt: Int, hop: Int,
        urlTemplate: String?, _ summary: RequestSummary? = nil
    ) {
        let event = SessionEvent(
            requestID: id, kind: kind, attempt: attempt, hop: hop, date: Date(), instant: time.now, event: event,
            summary: summary, urlTemplate: urlTemplate)
        for monitor in immediate { monitor.receiveNow(event) }
        for channel in monitors { channel.send(event) }
        guard hasSequences.load(ordering: .acquiring) else { return }
        let channels = sequences.withLock { $0.channels }
        for channel in channels.values { channel.send(event) }
    }

    /// Returns when every monitor has received all events sent so far, or when the task is cancelled.
    func drained() async {
        for channel in monitors { await channel.drained() }
    }

    /// Waits for the monitors as `drained()`, but not for slow monitors.
    func drainedSoon() async {
        guard !monitors.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.drained() }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// No event is sent from now on: loops over ``Session/events`` end.
    func close() {
        for channel in monitors { channel.close() }
        let channels = sequences.withLock { sequences in
            sequences.isClosed = true
            defer { sequences.channels = [:] }
            return sequences.channels
        }
        for channel in channels.values { channel.close() }
    }

    // MARK: Sequences

    func observe(_ interests: EventInterests, capacity: Int) -> SessionEvents {
        let channel = EventChannel(capacity: capacity, interests: interests)
        let id = sequences.withLock { sequences -> Int? in
            guard !sequences.isClosed else { return nil }
            sequences.nextID += 1
            sequences.channels[sequences.nextID] = channel
            return sequences.nextID
        }
        guard let id else {
            channel.close()
            return SessionEvents(channel) {}
        }
        hasSequences.store(true, ordering: .releasing)
        observed.store(true, ordering: .releasing)
        return SessionEvents(channel) { [weak self] in self?.endObserving(id) }
    }

    private func endObserving(_ id: Int) {
        let (channel, isLast) = sequences.withLock { sequences in
            (sequences.channels.removeValue(forKey: id), sequences.channels.isEmpty)
        }
        channel?.close()
        if isLast { stopUnlessObserved() }
    }

    /// Another observer may have begun meanwhile.
    private func stopUnlessObserved() {
        sequences.withLock { sequences in
            guard sequences.channels.isEmpty else { return }
            hasSequences.store(false, ordering: .releasing)
            if monitors.isEmpty, immediate.isEmpty { observed.store(false, ordering: .releasing) }
        }
    }
}

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

    fileprivate init(_ channel: EventChannel, onEnd end: @escaping @Sendable () -> Void) {
        lease = Lease(channel, end)
    }

    func makeAsyncIterator() -> Iterator { Iterator(lease) }
}

/// Where the steps of a request are sent to.
protocol EventTarget: AnyObject, Sendable {
    var isObserved: Bool { get }
    /// What observers need; `nil` if nobody observes.
    var interests: EventInterests? { get }
    /// A hop begins, and gets this number.
    func beginHop() -> Int
    func send(_ event: RequestEvent, hop: Int)
}
