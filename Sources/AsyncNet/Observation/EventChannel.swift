import Foundation

/// Passes events from requests to one observer, which takes them when it has time.
final class EventChannel: Sendable {
    private struct State {
        var buffer: EventBuffer
        var isClosed = false
        var takers: [Int: UnsafeContinuation<[SessionEvent]?, Never>] = [:]
        /// Tasks that wait until the observer has received everything.
        var idlers: [Int: UnsafeContinuation<Void, Never>] = [:]
        var nextID = 0
        /// Whether the observer waits for events, and so has received all earlier ones.
        var isIdle: Bool { buffer.isEmpty && (!takers.isEmpty || isClosed) }
    }

    let interests: EventInterests
    private let state: Locked<State>

    init(capacity: Int, interests: EventInterests) {
        self.interests = interests
        state = Locked(State(buffer: EventBuffer(capacity: capacity)))
    }

    func send(_ event: SessionEvent) {
        let taker = state.withLock { state -> UnsafeContinuation<[SessionEvent]?, Never>? in
            guard !state.isClosed else { return nil }
            state.buffer.append(event)
            guard let (id, taker) = state.takers.first else { return nil }
            state.takers[id] = nil
            return taker
        }
        taker?.resume(returning: [])
    }

    /// No event is added from now on; the observer takes the rest.
    func close() {
        let (takers, idlers) = state.withLock { state in
            state.isClosed = true
            defer { (state.takers, state.idlers) = ([:], [:]) }
            return (Array(state.takers.values), Array(state.idlers.values))
        }
        for taker in takers { taker.resume(returning: nil) }
        for idler in idlers { idler.resume() }
    }

    /// The waiting events, at least one; `nil` at the end, or when the task is cancelled.
    func take() async -> [SessionEvent]? {
        while true {
            if let taken = takeNow() { return taken }
            guard let id = newID(), !Task.isCancelled else { return nil }
            let woken = await withTaskCancellationHandler {
                await withUnsafeContinuation { wait(id, $0) }
            } onCancel: {
                state.withLock { $0.takers.removeValue(forKey: id) }?.resume(returning: nil)
            }
            if woken == nil { return takeNow() }
        }
    }

    /// Waits for more events for some milliseconds, on a thread that may be blocked, so that the requests of a busy
    /// session do not wake the observer for each event.
    func linger() {
        for _ in 0..<5 where state.withLock({ $0.buffer.isEmpty && !$0.isClosed && $0.idlers.isEmpty }) {
            usleep(1_000)
        }
    }

    private func takeNow() -> [SessionEvent]? {
        state.withLock { $0.buffer.isEmpty ? nil : $0.buffer.takeAll() }
    }

    /// - Returns: `nil` if the channel is closed.
    private func newID() -> Int? {
        state.withLock { state in
            state.nextID += 1
            return state.isClosed ? nil : state.nextID
        }
    }

    private func wait(_ id: Int, _ taker: UnsafeContinuation<[SessionEvent]?, Never>) {
        let (isOver, idlers) = state.withLock { state -> (Bool, [UnsafeContinuation<Void, Never>]) in
            guard state.buffer.isEmpty, !state.isClosed, !Task.isCancelled else { return (true, []) }
            state.takers[id] = taker
            defer { state.idlers = [:] }
            return (false, Array(state.idlers.values))
        }
        if isOver { taker.resume(returning: []) }
        for idler in idlers { idler.resume() }
    }

    /// Returns when the observer has received all events sent so far, or when the task is cancelled.
    func drained() async {
        guard let id = newID() else { return }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isIdle = state.withLock { state in
                    guard !state.isIdle, !Task.isCancelled else { return true }
                    state.idlers[id] = continuation
                    return false
                }
                if isIdle { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.idlers.removeValue(forKey: id) }?.resume()
        }
    }
}
