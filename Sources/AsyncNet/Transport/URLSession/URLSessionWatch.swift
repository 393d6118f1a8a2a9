import Dispatch

/// Looks after the transfers that FoundationNetworking carries, ten times a second for as long as there are any.
///
/// Each time everything that waits for FoundationNetworking's thread gets it (see ``SocketQueues``), and the head of a
/// redirect whose body lasts is delivered: FoundationNetworking itself withholds the head, and keeps the body in
/// memory, until the body has ended.
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

    /// Costs an entry in a list; an exchange that is over before the next look is only removed from it.
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
        let isDone = SocketQueues.giveWay { for exchange in exchanges { exchange.lookForHead() } }
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
