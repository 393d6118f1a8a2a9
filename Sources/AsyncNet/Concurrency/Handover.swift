/// Hands elements from one task to another, one at a time: who offers one waits until it is taken.
///
/// Either side may end it, the first end counts: the giver by `finish`, the taker by `close`, which also happens when
/// its task is cancelled. A giver whose task is cancelled takes back what it offered. Continuations are resumed outside
/// the lock.
package final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var offered: Element?
        var giver: CheckedContinuation<Bool, Never>?
        var taker: CheckedContinuation<Void, Never>?
        var end: Result<Void, AsyncNetError>?
        var isClosed = false
    }

    private let state = Locked(State())

    package init() {}

    /// Waits until the element is taken; `false` if nobody takes any more, or the task is cancelled.
    package func offer(_ element: Element) async -> Bool {
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

    /// There is no more; what was offered before has been taken.
    package func finish(_ end: Result<Void, AsyncNetError>) {
        let taker = state.withLock { state in
            state.end = state.end ?? end
            return state.taker.take()
        }
        taker?.resume()
    }

    /// The next element, `nil` at the good end. One task at a time.
    package func next() async throws(AsyncNetError) -> Element? {
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
            // A giver that was cancelled has taken it back; the next one may come.
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

    /// Nothing more is taken.
    package func close() {
        let (giver, taker) = state.withLock { state in
            state.isClosed = true
            state.offered = nil
            return (state.giver.take(), state.taker.take())
        }
        giver?.resume(returning: false)
        taker?.resume()
    }

    package var isClosed: Bool { state.withLock { $0.isClosed } }
}
