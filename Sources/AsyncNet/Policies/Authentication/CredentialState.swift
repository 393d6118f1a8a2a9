/// What an ``AuthenticationInterceptor`` knows of its credentials; no waiting, no tasks.
struct CredentialState<Credential: Sendable>: Sendable {
    /// What is to be done about a request that failed for its credential.
    enum Remedy {
        /// The credential is another one by now: send it again.
        case retry
        case refresh(Credential)
        case fail(AsyncNetError)
    }

    private(set) var current: Credential?
    /// Counts credentials, so that one is told from another without comparing them.
    private(set) var version = 0
    /// The last ones before the current, for requests that were on their way with them.
    private var replaced: [Credential] = []
    /// How the refresh of the current one failed: those that were sent with it before need not try again.
    private var failure: AsyncNetError?
    private var refreshTimes: [Duration] = []
    private let window: RefreshWindow?

    private static var longestMemory: Int { 5 }

    init(_ credential: Credential?, window: RefreshWindow?) { (current, self.window) = (credential, window) }

    /// The credentials that a request may have been sent with, the current one first.
    var known: [(version: Int, credential: Credential)] {
        let all = (current.map { [$0] } ?? []) + replaced.reversed()
        return all.enumerated().map { (version - $0.offset, $0.element) }
    }

    /// By a refresh: the one before is remembered.
    mutating func renew(_ credential: Credential) {
        if let current { replaced = (replaced + [current]).suffix(Self.longestMemory) }
        set(credential, forgetting: false)
    }

    /// By the program; a log-out leaves nothing behind.
    mutating func set(_ credential: Credential?) {
        if let credential, current != nil { renew(credential) } else { set(credential, forgetting: true) }
        refreshTimes = []
    }

    private mutating func set(_ credential: Credential?, forgetting: Bool) {
        if forgetting { replaced = [] }
        current = credential
        version += 1
        failure = nil
    }

    mutating func fail(_ error: AsyncNetError) { failure = error }

    /// A request is about to be sent with the current credential: its failure would be news.
    mutating func forgetFailure() { failure = nil }

    /// - Parameter failed: The version of the credential that the server refused.
    func remedy(for failed: Int) -> Remedy {
        guard let current else { return .fail(AsyncNetError(.missingCredential)) }
        guard failed == version else { return .retry }
        return failure.map { .fail($0) } ?? .refresh(current)
    }

    /// Counts a refresh.
    mutating func beginRefresh(at now: Duration) throws(AsyncNetError) {
        guard let window else { return }
        refreshTimes.removeAll { now - $0 >= window.interval }
        guard refreshTimes.count < window.maximumAttempts else {
            throw AsyncNetError(
                .excessiveRefresh,
                "The credential was refreshed \(refreshTimes.count) times within \(window.interval.inSeconds)")
        }
        refreshTimes.append(now)
    }
}
