/// Passes events from requests to one observer, which takes them when it has time.
final class EventChannel: Sendable {
    private struct State {
        var buffer: EventBuffer
        var isClosed = false
        var takers: [Int: UnsafeContinuation<Void, Never>] = [:]
        /// How many events were sent, and how many of those the observer has received or lost.
        var sent = 0
        var received = 0
        /// Tasks that wait until the observer has received so many events.
        var waiters: [Int: (count: Int, continuation: UnsafeContinuation<Void, Never>)] = [:]
        var nextID = 0

        /// Called when the observer has received all that it has taken.
        mutating func receivedTaken() -> [UnsafeContinuation<Void, Never>] {
            received = sent - buffer.count
            let ready = waiters.filter { $0.value.count <= received }
            for id in ready.keys { waiters[id] = nil }
            return ready.values.map(\.continuation)
        }
    }

    let interests: EventInterests
    private let state: Locked<State>

    init(capacity: Int, interests: EventInterests) {
        self.interests = interests
        state = Locked(State(buffer: EventBuffer(capacity: capacity)))
    }

    /// How many tasks wait in `drained()`.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Sends an event, unless it is one of those that cost time and that the observer does not need.
    func send(_ event: consuming SessionEvent) {
        guard event.event.isNeeded(for: interests) else { return }
        var event = event
        let taker = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard !state.isClosed else { return nil }
            state.buffer.append(&event)
            state.sent += 1
            guard let (id, taker) = state.takers.first else { return nil }
            state.takers[id] = nil
            return taker
        }
        taker?.resume()
    }

    /// No event is added from now on; the observer takes the rest.
    func close() {
        let (takers, waiters) = state.withLock { state in
            state.isClosed = true
            defer { (state.takers, state.waiters) = ([:], [:]) }
            return (Array(state.takers.values), Array(state.waiters.values))
        }
        for taker in takers { taker.resume() }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The waiting events, at least one; `nil` at the end, or when the task is cancelled.
    func take() async -> [SessionEvent]? {
        var taken: [SessionEvent] = []
        return await take(into: &taken) ? taken : nil
    }

    /// Takes the waiting events, at least one.
    ///
    /// - Parameter taken: An empty array, whose memory is used for the next events.
    /// - Returns: `false` at the end, or when the task is cancelled.
    func take(into taken: inout [SessionEvent]) async -> Bool {
        while !Task.isCancelled {
            if takeNow(&taken) { return true }
            guard let id = newID() else { return takeNow(&taken) }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { wait(id, $0) }
            } onCancel: {
                state.withLock { $0.takers.removeValue(forKey: id) }?.resume()
            }
        }
        return false
    }

    private func takeNow(_ taken: inout [SessionEvent]) -> Bool {
        let waiters = state.withLock { state in
            defer { state.buffer.takeAll(into: &taken) }
            return state.receivedTaken()
        }
        for waiter in waiters { waiter.resume() }
        return !taken.isEmpty
    }

    /// - Returns: `nil` if the channel is closed.
    private func newID() -> Int? {
        state.withLock { state in
            state.nextID += 1
            return state.isClosed ? nil : state.nextID
        }
    }

    private func wait(_ id: Int, _ taker: UnsafeContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            guard state.buffer.isEmpty, !state.isClosed, !Task.isCancelled else { return true }
            state.takers[id] = taker
            return false
        }
        if isOver { taker.resume() }
    }

    /// Returns when the observer has received all events sent so far, or when the task is cancelled.
    func drained() async {
        guard let id = newID() else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.received < state.sent, !state.isClosed, !Task.isCancelled else { return true }
                    state.waiters[id] = (state.sent, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }
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
