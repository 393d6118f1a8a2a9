/// What requests must have in common to share a transfer: all that is sent, and what decides where credentials and
/// redirects lead.
struct FlightKey: Hashable {
    let method: HTTPMethod
    let url: String
    let headers: HTTPHeaders
    let credential: Credential?
    let bodyLimit: Int64?
    let timeouts: [Duration?]
    let allowsInsecure: Bool
    let confidentialHeaders: [String]
}

/// The shared transfers that are under way.
final class RequestFlights: Sendable {
    private let transfers = Locked<[FlightKey: SideTransfer]>([:])

    /// The transfer that is under way, or the new one.
    func join(_ key: FlightKey, _ make: () -> SideTransfer) -> SideTransfer {
        transfers.withLock { transfers in
            if let running = transfers[key] { return running }
            let transfer = make()
            transfers[key] = transfer
            return transfer
        }
    }

    var all: [SideTransfer] { transfers.withLock { Array($0.values) } }

    /// A request that comes from now on is sent anew.
    func leave(_ key: FlightKey, _ transfer: SideTransfer) {
        transfers.withLock { if $0[key] === transfer { $0[key] = nil } }
    }
}

/// A transfer in a task of its own, for the requests that wait for it: shared by several, or one of those of a request
/// that is hedged.
///
/// The task begins with the first wait, and is cancelled with the last one. A cancelled wait ends at once; the session
/// waits for the task itself when it finishes, since a transport may not notice the cancel at once.
final class SideTransfer: Sendable {
    typealias Work = @Sendable () async -> TransferOutcome

    private struct State {
        var task: Task<Void, Never>?
        var waiters = 0
        var isAbandoned = false
    }

    private let work: Work
    private let transfers: TransferCount
    private let state = Locked(State())
    private let end = Promise<TransferOutcome>()

    init(_ transfers: TransferCount, _ work: @escaping Work) { (self.transfers, self.work) = (transfers, work) }

    /// Whether the transfer has ended, or every wait for it was cancelled.
    var isOver: Bool { end.isFulfilled || state.withLock { $0.isAbandoned } }
    var waiterCount: Int { state.withLock { $0.waiters } }

    func outcome() async -> TransferOutcome {
        guard enter() else { return TransferOutcome(error: AsyncNetError(.cancelled)) }
        defer { leave() }
        do { return try await end.value() } catch { return TransferOutcome(error: error) }
    }

    /// - Returns: `false` if the transfer was given up. Its task may take any time to notice the cancel.
    private func enter() -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.waiters += 1
            guard state.task == nil else { return true }
            transfers.begin()
            state.task = Task { [work, end, transfers] in
                end.fulfil(.success(await work()))
                transfers.end()
            }
            return true
        }
    }

    private func leave() {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            state.waiters -= 1
            guard state.waiters == 0, !end.isFulfilled else { return nil }
            state.isAbandoned = true
            return state.task
        }
        abandoned?.cancel()
    }
}
