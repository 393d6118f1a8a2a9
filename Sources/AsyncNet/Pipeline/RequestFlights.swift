/// What requests must have in common to share a transfer: all that is sent, the limits, and the settings that decide
/// which origins receive it.
struct FlightKey: Hashable {
    let method: HTTPMethod
    let url: String
    let headers: HTTPHeaders
    let credential: PasswordCredential?
    let maximumBodySize: Int64?
    let timeouts: [Duration?]
    let allowsInsecure: Bool
    let confidentialHeaders: [String]
    let cacheMode: CacheMode?
    let decodesContent: Bool
    let addresses: AddressPolicy
    /// The test that made the requests: tests must not share transfers.
    let scope: ObjectIdentifier?
}

final class RequestFlights: Sendable {
    private let transfers = Locked<[FlightKey: SideTransfer]>([:])

    /// The running transfer with this key, or the one that `make` returns.
    func join(_ key: FlightKey, _ make: () -> SideTransfer) -> SideTransfer {
        transfers.withLock { transfers in
            if let running = transfers[key] { return running }
            let transfer = make()
            transfers[key] = transfer
            return transfer
        }
    }

    var all: [SideTransfer] { transfers.withLock { Array($0.values) } }

    func leave(_ key: FlightKey, _ transfer: SideTransfer) {
        transfers.withLock { if $0[key] === transfer { $0[key] = nil } }
    }
}

/// A transfer in a task of its own: shared by several requests, or one of several of a hedged request.
///
/// The task begins when the first request waits for it, and is cancelled when none waits any more. A cancelled
/// request stops waiting at once; a session that finishes waits for the task, as a transport may notice a cancel
/// late.
final class SideTransfer: Sendable {
    typealias Work = @Sendable () async -> TransferOutcome

    private struct State {
        var task: Task<Void, Never>?
        var waiters = 0
        var isAbandoned = false
    }

    private let work: Work
    private let transfers: TransferCount
    private let executor: (any TaskExecutor)?
    let events: SharedEvents?
    private let state = Locked(State())
    private let end = Promise<TransferOutcome>()

    init(
        _ transfers: TransferCount, on executor: (any TaskExecutor)? = nil, _ events: SharedEvents? = nil,
        _ work: @escaping Work
    ) {
        (self.transfers, self.executor, self.events, self.work) = (transfers, executor, events, work)
    }

    /// Whether the transfer has ended, or every request that waited for it was cancelled.
    var isOver: Bool { end.isFulfilled || state.withLock { $0.isAbandoned } }
    var waiterCount: Int { state.withLock { $0.waiters } }

    func outcome() async -> TransferOutcome {
        guard enter() else { return TransferOutcome(error: AsyncNetError(.cancelled)) }
        defer { leave() }
        do { return try await end.value() } catch { return TransferOutcome(error: error) }
    }

    /// - Returns: `false` if all waiting requests have left the transfer, whose task may notice the cancel late.
    private func enter() -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.waiters += 1
            guard state.task == nil else { return true }
            transfers.begin()
            // ConcurrencyGuarantees.md lists this task: shared transfer
            state.task = Task(executorPreference: executor) { [work, end, transfers] in
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
