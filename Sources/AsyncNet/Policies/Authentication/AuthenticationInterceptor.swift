#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Authenticates requests with a credential, and refreshes the credential when it has expired.
///
///     let interceptor = AuthenticationInterceptor(authenticator: OAuth(), credential: token)
///     let session = Session(configuration: .init(interceptors: [interceptor]))
///
/// Each attempt is sent with the current credential. The credential is refreshed if it requires that when a request is
/// about to be sent, or if a server rejects it. All requests that need a new credential wait for the same refresh. If a
/// server rejects a credential that has been replaced, the request is sent again without another refresh. A rejected
/// request without a credential, which a redirect to another origin removed, is not retried: its response is delivered.
/// A request that the session's cache answers needs no refresh.
///
/// A failed refresh is repeated, at most twice, after a second or so, or as `Retry-After` requires, if its request is a
/// POST that the server has not carried out: the server was not reached, or responded with 429 or 503. After any other
/// failure it is not repeated, since the server may have consumed a refresh token. If a refresh fails, the requests
/// that wait for it end with `.refreshFailed`, and so do requests that were sent with the old credential and are
/// rejected later; the next new request starts another refresh. Requests that need more refreshes than the
/// ``RefreshWindow`` allows end with `.excessiveRefresh`, requests without a credential with `.missingCredential`.
///
/// Cancelling a request ends its wait at once. The refresh continues, since the server may have invalidated the old
/// credential already, until the interceptor is deallocated or its credential is set.
public actor AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor, CredentialKeeper {
    /// The authenticator's type of credential.
    public typealias Credential = AuthenticatorType.Credential

    private struct Refresh {
        let number: Int
        let end = Promise<Void>()
        /// The requests that wait for the refresh.
        let purpose: Purpose
        var task: Task<Void, Never>?
    }

    private nonisolated let authenticator: AuthenticatorType
    /// The clock of the initializer, or else of the first session that uses the interceptor.
    private var time: TimeSource?
    private var state: CredentialState<Credential>
    private var refresh: Refresh?

    /// Creates an interceptor, for any number of sessions and requests that share a credential.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes the credential.
    ///   - credential: The first credential; `nil` if there is none before a log-in.
    ///   - refreshWindow: How often the credential may be refreshed, by default 5 times in 30 seconds. With `nil` only
    ///     the request's deadline limits refreshes, even if the server rejects every credential.
    ///   - clock: Measures the refresh window; by default the clock of the first session that uses the interceptor.
    public init(
        authenticator: AuthenticatorType, credential: Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(),
        clock: (any Clock<Duration>)? = nil
    ) {
        self.authenticator = authenticator
        time = clock.map { TimeSource($0) }
        state = CredentialState(credential, window: refreshWindow)
    }

    deinit { refresh?.task?.cancel() }

    var waiterCount: Int { refresh?.end.waiterCount ?? 0 }

    /// The credential that requests are authenticated with now.
    public var credential: Credential? { state.current }

    /// Replaces the credential; `nil` after a log-out.
    ///
    /// A refresh in progress is cancelled. The requests that wait for it continue with the new credential, or end with
    /// `.missingCredential` if there is none. Set `nil` before another user's credential: otherwise rejected requests
    /// of the first user are sent again as the second user.
    public func setCredential(_ credential: Credential?) {
        state.set(credential)
        refresh?.task?.cancel()
        endRefresh(credential == nil ? .failure(AsyncNetError(.missingCredential)) : .success(()))
    }

    public nonisolated func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        guard await !isOwnRequest else { return request }
        var request = request
        authenticator.apply(try await validCredential(context), to: &request)
        return request
    }

    public nonisolated func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        guard let request = context.request?.urlRequest, let response = context.response?.urlResponse else {
            return .doNotRetry
        }
        guard authenticator.didRequest(request, with: response, failDueToAuthenticationError: error),
            await !isOwnRequest
        else { return .doNotRetry }
        let known = await state.known
        guard let used = known.first(where: { authenticator.isRequest(request, authenticatedWith: $0.credential) })
        else { return .doNotRetry }
        do throws(AsyncNetError) {
            try await replace(used.version, context)
            return .retry.uncharged
        } catch {
            return error.code == .cancelled ? .doNotRetry : .fail(error)
        }
    }

    nonisolated func hasReplacedCredential(_ request: TransportRequest) async -> Bool {
        guard await !isOwnRequest else { return false }
        let (known, isRefreshing) = await (state.known, refresh != nil)
        let urlRequest = request.urlRequest
        guard
            let used = known.firstIndex(where: { authenticator.isRequest(urlRequest, authenticatedWith: $0.credential) }
            )
        else { return false }
        return isRefreshing || used > 0
    }

    /// Whether the current task belongs to the refresh in progress: a request of the refresh must not wait for it.
    private var isOwnRequest: Bool { refresh.map { RefreshScope.numbers.contains($0.number) } ?? false }

    /// Waits for the refresh in progress, if there is one, and returns the current credential.
    private func validCredential(_ context: RequestContext) async throws(AsyncNetError) -> Credential {
        // The cache may answer with a response that it has stored for this credential, even if that has expired.
        if let deferral = context.deferral, let current = state.current, current.requiresRefresh || refresh != nil {
            deferral.deferRefresh()
            return current
        }
        if let current = state.current, current.requiresRefresh { try beginRefresh(of: current, context.time) }
        while let refresh { try await end(of: refresh, context) }
        guard let current = state.current else { throw AsyncNetError(.missingCredential) }
        state.forgetFailure()
        return current
    }

    /// Returns when the rejected credential has been replaced, by an earlier refresh or by a new one.
    private func replace(_ version: Int, _ context: RequestContext) async throws(AsyncNetError) {
        switch state.remedy(for: version) {
        case .retry: return
        case .fail(let error): throw error
        case .refresh(let current):
            try beginRefresh(of: current, context.time)
            if let refresh { try await end(of: refresh, context) }
        }
    }

    /// Waits for the refresh, and reports it to the observers of the request that waits.
    private func end(of refresh: Refresh, _ context: RequestContext) async throws(AsyncNetError) {
        if let current = Purpose.current { refresh.purpose.join(current) }
        guard let report = context.onRefresh else { return try await refresh.end.value() }
        let start = context.time.now
        do throws(AsyncNetError) { try await refresh.end.value() } catch {
            if error.code != .cancelled { report(error, context.time.now - start) }
            throw error
        }
        report(nil, context.time.now - start)
    }

    /// Starts a refresh unless one is in progress.
    ///
    /// The task holds the interceptor weakly: the interceptor owns the task, and cancels it in `deinit`.
    private func beginRefresh(of credential: Credential, _ sessionTime: TimeSource) throws(AsyncNetError) {
        guard refresh == nil else { return }
        let time = self.time ?? sessionTime
        self.time = time
        try state.beginRefresh(at: time.now)
        let number = RefreshScope.newNumber()
        let purpose = Purpose(for: Purpose.current)
        refresh = Refresh(number: number, purpose: purpose)
        // ConcurrencyGuarantees.md lists this task: refresh
        refresh?.task = Task { [authenticator, weak self] in
            let result = await RefreshScope.$numbers.withValue(RefreshScope.numbers + [number]) {
                await Purpose.$current.withValue(purpose) { await Self.refresh(credential, by: authenticator, time) }
            }
            await self?.finish(number, result)
        }
    }

    private static func refresh(
        _ credential: Credential, by authenticator: AuthenticatorType, _ time: TimeSource
    ) async -> Result<Credential, AsyncNetError> {
        var retry = 0
        while true {
            do { return .success(try await UserCode.run { try await authenticator.refresh(credential) }) } catch {
                var random = SystemRandomNumberGenerator()
                let delay = RefreshFailure.delay(beforeRetry: retry, after: error, now: Date(), using: &random)
                guard let delay, (try? await time.sleep(until: time.now + delay)) != nil else {
                    return .failure(RefreshFailure.error(error))
                }
                retry += 1
            }
        }
    }

    private func finish(_ number: Int, _ result: Result<Credential, AsyncNetError>) {
        guard refresh?.number == number else { return }
        switch result {
        case .success(let credential): state.renew(credential)
        case .failure(let error): state.fail(error)
        }
        endRefresh(result.map { _ in })
    }

    private func endRefresh(_ result: Result<Void, AsyncNetError>) {
        let ended = refresh
        refresh = nil
        ended?.purpose.end()
        ended?.end.fulfil(result)
    }
}

/// An adapter whose credential may be replaced while a request waits for a permit.
protocol CredentialKeeper: Sendable {
    /// Whether the request's credential was replaced or is being refreshed, so that it must be adapted again.
    func hasReplacedCredential(_ request: TransportRequest) async -> Bool
}

extension AuthenticationInterceptor: ShownByDescription {
    public nonisolated var description: String { "AuthenticationInterceptor<\(AuthenticatorType.self)>" }
}
