/// The credentials of an ``AuthenticationInterceptor``, as a value without tasks and time.
struct CredentialState<Credential: Sendable>: Sendable {
    enum Remedy {
        /// The credential has been replaced since: send the request again.
        case retry
        case refresh(Credential)
        case fail(AsyncNetError)
    }

    private(set) var current: Credential?
    /// The number of the current credential, which identifies it without comparing credentials.
    private(set) var version = 0
    /// The credentials before the current one, for requests that were sent with them and have no response yet.
    private var replaced: [Credential] = []
    /// Why the refresh of the current credential failed. Requests that were sent before the failure start no refresh.
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

    /// Replaces the credential after a refresh, and remembers the old one.
    mutating func renew(_ credential: Credential) {
        if let current { replaced = (replaced + [current]).suffix(Self.longestMemory) }
        set(credential, forgetting: false)
    }

    /// Sets the credential that the program gives. The old credential is remembered, as after a refresh; `nil`, after a
    /// log-out, forgets all remembered credentials.
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

    /// Called when a request is about to be sent with the current credential: its rejection may start another refresh.
    mutating func forgetFailure() { failure = nil }

    /// - Parameter failed: The version of the credential that the server rejected.
    func remedy(for failed: Int) -> Remedy {
        guard let current else { return .fail(AsyncNetError(.missingCredential)) }
        guard failed == version else { return .retry }
        return failure.map { .fail($0) } ?? .refresh(current)
    }

    /// Counts a refresh, or refuses it if the window allows no more.
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
