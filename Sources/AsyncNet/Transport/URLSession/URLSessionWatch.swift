import Dispatch

/// Checks the transfers of FoundationNetworking ten times a second, as long as there are transfers.
///
/// Each check lets the work run that waits for FoundationNetworking's thread (see `SocketQueues`), runs transfers that
/// may have lost their socket's events (see `QuietTransfer`), and delivers the heads of redirects whose bodies are
/// still arriving: FoundationNetworking delivers such a head only after the body, which it stores in memory.
enum URLSessionWatch {
    private struct Watched: Sendable {
        weak var exchange: URLSessionExchange?
    }

    private struct State {
        var watched: [Watched] = []
        var isTicking = false
    }

    private static let state = Locked(State())
    private static let interval = DispatchTimeInterval.milliseconds(100)

    /// Adds an exchange until it is over. This only appends to a list, so a short transfer costs little.
    static func add(_ exchange: URLSessionExchange) {
        guard !URLSessionLimits.canPause else { return }
        let startsTicking = state.withLock { state in
            state.watched.append(Watched(exchange: exchange))
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if startsTicking { tickLater() }
    }

    private static func tickLater() {
        URLSessionExchange.control.asyncAfter(deadline: .now() + interval) { tick() }
    }

    private static func tick() {
        let exchanges = running()
        guard !exchanges.isEmpty else { return }
        let isDone = SocketQueues.runAfterWaitingWork {
            for exchange in exchanges {
                exchange.deliverWithheldHead()
                exchange.runIfQuiet()
            }
        }
        if isDone { tickLater() } else { state.withLock { $0.isTicking = false } }
    }

    private static func running() -> [URLSessionExchange] {
        state.withLock { state in
            let running = state.watched.compactMap { watched in watched.exchange.flatMap { $0.isOver ? nil : $0 } }
            state.watched = running.map { Watched(exchange: $0) }
            state.isTicking = !running.isEmpty
            return running
        }
    }
}
