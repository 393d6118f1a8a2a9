/// The tasks that wait for a request's outcome.
///
/// Most requests have one waiter, for which nothing is allocated. The continuations are unchecked, as a checked one is
/// an allocation: each is removed by whoever resumes it.
struct OutcomeWaiters {
    typealias Continuation = UnsafeContinuation<TransferOutcome, Never>

    private var first: (id: Int, continuation: Continuation)?
    private var others: [Int: Continuation] = [:]
    private var lastID = 0
    /// How many tasks start the request and are about to wait: they count as waiting.
    var arriving = 0

    var count: Int { others.count + (first == nil ? 0 : 1) }
    var isEmpty: Bool { first == nil && others.isEmpty && arriving == 0 }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ id: Int, _ continuation: Continuation) {
        if first == nil { first = (id, continuation) } else { others[id] = continuation }
    }

    /// Removes a waiter; `nil` if it has been removed or resumed.
    mutating func remove(_ id: Int) -> Continuation? {
        guard let waiter = first, waiter.id == id else { return others.removeValue(forKey: id) }
        first = nil
        return waiter.continuation
    }

    mutating func resumeAll(returning outcome: TransferOutcome) {
        first.take()?.continuation.resume(returning: outcome)
        for continuation in others.values { continuation.resume(returning: outcome) }
        others = [:]
    }
}
