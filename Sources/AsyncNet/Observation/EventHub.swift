import Synchronization

/// Sends the events of a session's requests to its monitors, and to loops over ``Session/events``. Without observers,
/// requests make no events; they only read a flag at each step.
final class EventHub: Sendable {
    private struct Sequences {
        var channels: [Int: EventChannel] = [:]
        var nextID = 0
        var isClosed = false
        /// The WebSockets and raw streams that end with the session.
        var connections: [RequestID: ConnectionEvents] = [:]
    }

    /// Monitors of this library, which receive events at once, on the thread that sends them.
    private let immediate: [any ImmediateMonitor]
    /// The channels of all other monitors.
    private let monitors: [EventChannel]
    private let monitorInterests: EventInterests
    /// The monitors that learn of the transport's connections.
    let connectionObservers: [any ConnectionObserver]
    private let sequences = Locked(Sequences())
    private let observed: Atomic<Bool>
    /// Whether there are loops over ``Session/events``. Without loops, sending an event does not lock `sequences`.
    private let hasSequences = Atomic(false)
    private let time: TimeSource

    /// How many events wait for a monitor before it loses the oldest.
    private static let capacity = 10_000

    init(_ monitors: [any EventMonitor], _ time: TimeSource) {
        self.time = time
        immediate = monitors.compactMap { $0 as? any ImmediateMonitor }
        let others = monitors.filter { !($0 is any ImmediateMonitor) }
        self.monitors = others.map { Self.channel(to: $0) }
        connectionObservers = immediate.compactMap { $0 as? any ConnectionObserver }
        monitorInterests = monitors.map(\.interests).reduce(.minimal) { $0.union($1) }
        observed = Atomic(!monitors.isEmpty)
    }

    deinit { close() }

    /// A channel whose events the monitor receives in a task of its own, on a thread that the monitor may block. The
    /// task ends after the last event once the channel is closed.
    private static func channel(to monitor: any EventMonitor) -> EventChannel {
        let (channel, events) = EventChannel.make(capacity: capacity, interests: monitor.interests)
        // Detached: a monitor does not inherit the task-locals of the task that makes the session.
        // ConcurrencyGuarantees.md lists this task: monitor
        Task.detached(executorPreference: UserCode.threads) { await deliver(events, to: monitor) }
        return channel
    }

    /// Passes events to a monitor until the channel is closed.
    ///
    /// This function runs on its caller's executor. The closure of a detached task would return to its executor after
    /// each event, which takes longer than most monitors need for an event.
    nonisolated(nonsending) private static func deliver(_ events: SessionEvents, to monitor: some EventMonitor) async {
        for await event in events { await monitor.receive(event) }
    }

    var isObserved: Bool { observed.load(ordering: .acquiring) }

    var interests: EventInterests {
        guard hasSequences.load(ordering: .acquiring) else { return monitorInterests }
        return sequences.withLock { $0.channels.values.reduce(monitorInterests) { $0.union($1.interests) } }
    }

    var instant: Duration { time.now }

    func send(_ event: SessionEvent) {
        for monitor in immediate { monitor.receiveNow(event) }
        let channels = hasSequences.load(ordering: .acquiring) ? sequences.withLock { $0.channels } : [:]
        if channels.isEmpty, monitors.count == 1 { return monitors[0].send(event) }
        // Monitors first: a program that has an event from a loop may wait until the monitors have received it too.
        for channel in monitors { channel.send(event) }
        for channel in channels.values { channel.send(event) }
    }

    /// Returns when every monitor has received all events sent so far, or when the task is cancelled.
    func drained() async {
        for channel in monitors { await channel.drained() }
    }

    /// Waits for the monitors as `drained()` does, but for at most a second.
    func drainedSoon() async {
        guard !monitors.isEmpty else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.drained() }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    func add(_ connection: ConnectionEvents) {
        let isClosed = sequences.withLock { sequences in
            if !sequences.isClosed { sequences.connections[connection.id] = connection }
            return sequences.isClosed
        }
        if isClosed { connection.end(AsyncNetError(.sessionFinished)) }
    }

    func remove(_ connection: ConnectionEvents) {
        sequences.withLock { _ = $0.connections.removeValue(forKey: connection.id) }
    }

    /// Ends the WebSockets and raw streams, when the session ends.
    func endConnections() {
        for connection in sequences.withLock({ $0.connections }).values {
            connection.endWithSession()
        }
    }

    /// Closes the hub: later events are ignored, and loops over ``Session/events`` end.
    func close() {
        for channel in monitors { channel.close() }
        let channels = sequences.withLock { sequences in
            sequences.isClosed = true
            defer { sequences.channels = [:] }
            return sequences.channels
        }
        for channel in channels.values { channel.close() }
    }

    func observe(_ interests: EventInterests, capacity: Int) -> SessionEvents {
        let id = sequences.withLock { sequences in
            sequences.nextID += 1
            return sequences.nextID
        }
        let (channel, events) = EventChannel.make(capacity: capacity, interests: interests) { [weak self] in
            self?.endObserving(id)
        }
        let isClosed = sequences.withLock { sequences in
            if !sequences.isClosed { sequences.channels[id] = channel }
            return sequences.isClosed
        }
        guard !isClosed else {
            channel.close()
            return events
        }
        hasSequences.store(true, ordering: .releasing)
        observed.store(true, ordering: .releasing)
        return events
    }

    private func endObserving(_ id: Int) {
        sequences.withLock { sequences in
            sequences.channels[id] = nil
            guard sequences.channels.isEmpty else { return }
            hasSequences.store(false, ordering: .releasing)
            if monitors.isEmpty, immediate.isEmpty { observed.store(false, ordering: .releasing) }
        }
    }
}
