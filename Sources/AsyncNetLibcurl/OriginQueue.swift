import AsyncNet

/// The transfers to one origin: how many are running, and those that wait in order for a permit.
///
/// libcurl has a queue of its own for transfers above its connection limits, but visits each queued transfer in every
/// call.
final class OriginQueue<Transfer: QueuedTransfer> {
    private let ownLimit: Int
    private var limit: Int
    private(set) var isHTTP2 = false
    private var running = 0
    /// Entries before `first` are empty.
    private var waiting: [Transfer?] = []
    private var first = 0
    /// How many transfers in `waiting` were withdrawn.
    private var withdrawn = 0

    /// - Parameter limit: How many transfers may run at the same time.
    init(limit: Int) { (ownLimit, self.limit) = (limit, limit) }

    var hasWaiting: Bool { waiting.count - first > withdrawn }
    var canStartWaiting: Bool { hasWaiting && running < limit }
    var isEmpty: Bool { running == 0 && !hasWaiting }

    /// How many connections the running transfers use at most: over HTTP/2 they share a connection.
    var connections: Int { isHTTP2 ? min(1, running) : running }

    /// Called when the origin's connections are HTTP/2 and carry up to this many transfers each.
    func shareConnections(_ streams: Int) {
        guard !isHTTP2 else { return }
        isHTTP2 = true
        limit *= streams
    }

    /// Called when a response has arrived over HTTP/1: each transfer needs a connection of its own.
    func noteHTTP1() {
        isHTTP2 = false
        limit = ownLimit
    }

    /// Takes a permit; `false` if all are taken.
    func takePermit() -> Bool {
        guard running < limit else { return false }
        running += 1
        return true
    }

    func releasePermit() { running -= 1 }

    func append(_ transfer: Transfer) {
        transfer.isWaiting = true
        waiting.append(transfer)
    }

    /// Takes a permit for the transfer that has waited longest, and returns that transfer; `nil` if none waits or no
    /// permit is left.
    func next() -> Transfer? {
        guard running < limit else { return nil }
        while first < waiting.count {
            let transfer = waiting[first]
            waiting[first] = nil
            first += 1
            if let transfer, transfer.isWaiting {
                transfer.isWaiting = false
                running += 1
                compact()
                return transfer
            }
            withdrawn -= 1
        }
        waiting.removeAll(keepingCapacity: true)
        first = 0
        return nil
    }

    /// Takes a waiting transfer out of the queue. Its entry is removed when it comes first, or together with others
    /// when more than half of the entries are withdrawn.
    func withdraw(_ transfer: Transfer) {
        transfer.isWaiting = false
        withdrawn += 1
        guard withdrawn > 32, withdrawn * 2 > waiting.count - first else { return }
        waiting = waiting[first...].filter { $0?.isWaiting == true }
        (first, withdrawn) = (0, 0)
    }

    private func compact() {
        guard first > 256, first * 2 > waiting.count else { return }
        waiting.removeFirst(first)
        first = 0
    }
}
