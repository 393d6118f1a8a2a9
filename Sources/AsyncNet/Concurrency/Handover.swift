/// Hands elements from one task to another, one at a time: `offer` returns when the element has been taken.
///
/// Either side may end the handover, and the first end counts: the giver by `finish`, the taker by `close` or by the
/// cancellation of its task. A cancelled giver withdraws its element. Continuations are resumed outside the lock.
final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var offered: Element?
        var giver: CheckedContinuation<Bool, Never>?
        var taker: CheckedContinuation<Void, Never>?
        var end: Result<Void, AsyncNetError>?
        var isClosed = false
    }

    private let state = Locked(State())

    init() {}

    /// Waits until the element is taken; `false` if the taker has closed or the task is cancelled.
    func offer(_ element: Element) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isRefused, taker) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                    guard !state.isClosed, state.end == nil, !Task.isCancelled else { return (true, nil) }
                    (state.offered, state.giver) = (element, continuation)
                    return (false, state.taker.take())
                }
                if isRefused { continuation.resume(returning: false) }
                taker?.resume()
            }
        } onCancel: {
            let giver = state.withLock { state in
                state.offered = nil
                return state.giver.take()
            }
            giver?.resume(returning: false)
        }
    }

    /// Ends the elements after those that have been taken.
    func finish(_ end: Result<Void, AsyncNetError>) {
        let taker = state.withLock { state in
            state.end = state.end ?? end
            return state.taker.take()
        }
        taker?.resume()
    }

    /// The next element, `nil` after an end without an error. Only one task may wait for elements at a time.
    func next() async throws(AsyncNetError) -> Element? {
        while true {
            await somethingToTake()
            let (element, giver, end, isClosed) = state.withLock { state in
                (state.offered.take(), state.giver.take(), state.end, state.isClosed)
            }
            giver?.resume(returning: true)
            if let element { return element }
            try end?.get()
            if end != nil { return nil }
            if isClosed { throw AsyncNetError(.cancelled) }
            // The task that offered the element was cancelled and has withdrawn it; wait for the next element.
        }
    }

    private func somethingToTake() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.offered != nil || state.end != nil || state.isClosed { return true }
                    state.taker = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }

    /// Ends taking; further offers are refused.
    func close() {
        let (giver, taker) = state.withLock { state in
            state.isClosed = true
            state.offered = nil
            return (state.giver.take(), state.taker.take())
        }
        giver?.resume(returning: false)
        taker?.resume()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
}
