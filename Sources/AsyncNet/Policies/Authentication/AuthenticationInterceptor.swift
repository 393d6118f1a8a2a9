#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// Authenticates requests, and renews their credential when it has expired.
///
///     let session = Session(configuration: .init(interceptors: [AuthenticationInterceptor(authenticator: OAuth(), credential: token)]))
///
/// Each attempt gets the current credential. If that requires a refresh, or the server refuses it, it is refreshed once
/// for all: requests that come meanwhile wait, and so do those that were refused with it, and then all are sent with
/// the new one. One that was on its way with an older credential is sent again without a refresh. A request that
/// carries none of its credentials, since a redirect to another host took it off, keeps its answer.
///
/// If the refresh fails, all that wait for it end with `.refreshFailed`, and so do those that come back refused later;
/// a new request tries again. More refreshes than the ``RefreshWindow`` allows end with `.excessiveRefresh`, requests
/// without a credential with `.missingCredential`.
///
/// A request that is cancelled stops waiting at once. The refresh goes on without it, even if nobody waits any more,
/// for the server may have made the old credential invalid already; it is cancelled when the interceptor goes away or
/// is given another credential.
public actor AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestInterceptor, DescribedPolicy,
    CredentialKeeper
{
    public typealias Credential = AuthenticatorType.Credential

    private struct Refresh {
        let number: Int
        let end = Promise<Void>()
        var task: Task<Void, Never>?
    }

    private nonisolated let authenticator: AuthenticatorType
    private nonisolated let time: TimeSource
    private var state: CredentialState<Credential>
    private var refresh: Refresh?

    /// An interceptor for any number of sessions and requests that share a credential.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and refreshes the credential.
    ///   - credential: What to begin with; `nil` if there is none before a log-in.
    ///   - refreshWindow: How often it may be refreshed, by default 5 times in 30 seconds. With `nil` a server that
    ///     refuses every credential is asked for as long as the request's deadline allows.
    ///   - clock: Tells the time of the window.
    public init(
        authenticator: AuthenticatorType, credential: Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.authenticator = authenticator
        time = TimeSource(opening: clock)
        state = CredentialState(credential, window: refreshWindow)
    }

    deinit { refresh?.task?.cancel() }

    nonisolated func describe(_ traits: inout PolicyTraits) { traits.credentialKeeper = self }

    /// How many wait for the refresh that is under way.
    package var waiterCount: Int { refresh?.end.waiterCount ?? 0 }

    /// What requests are authenticated with now.
    public var credential: Credential? { state.current }

    /// Authenticates with another credential, or after a log-out with none.
    ///
    /// A refresh that is under way is cancelled and what it brings is dropped; requests that wait for it go on with
    /// this credential, or without one end with `.missingCredential`. Give `nil` before another user's, or requests of
    /// the one are sent again as the other's.
    public func setCredential(_ credential: Credential?) {
        state.set(credential)
        refresh?.task?.cancel()
        endRefresh(credential == nil ? .failure(AsyncNetError(.missingCredential)) : .success(()))
    }

    // MARK: Requests

    public nonisolated func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        guard await !isOwnRequest else { return request }
        var request = request
        authenticator.apply(try await validCredential(), to: &request)
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
            try await replace(used.version)
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

    /// Whether the present task is part of the refresh that is under way.
    private var isOwnRequest: Bool { refresh.map { RefreshScope.numbers.contains($0.number) } ?? false }

    /// The credential to send a request with, once no refresh is under way.
    private func validCredential() async throws(AsyncNetError) -> Credential {
        if let current = state.current, current.requiresRefresh { try beginRefresh(of: current) }
        while let refresh { try await refresh.end.value() }
        guard let current = state.current else { throw AsyncNetError(.missingCredential) }
        state.forgetFailure()
        return current
    }

    /// Returns when there is another credential than the one that the server refused.
    private func replace(_ version: Int) async throws(AsyncNetError) {
        switch state.remedy(for: version) {
        case .retry: return
        case .fail(let error): throw error
        case .refresh(let current):
            try beginRefresh(of: current)
            try await refresh?.end.value()
        }
    }

    // MARK: The refresh

    /// Begins one unless one is under way.
    ///
    /// Its task knows the interceptor only weakly: it is the interceptor's, and ends with it.
    private func beginRefresh(of credential: Credential) throws(AsyncNetError) {
        guard refresh == nil else { return }
        try state.beginRefresh(at: time.now)
        let number = RefreshScope.newNumber()
        refresh = Refresh(number: number)
        refresh?.task = Task { [authenticator, weak self] in
            let result = await RefreshScope.$numbers.withValue(RefreshScope.numbers + [number]) {
                await Self.refresh(credential, by: authenticator)
            }
            await self?.finish(number, result)
        }
    }

    private static func refresh(_ credential: Credential, by authenticator: AuthenticatorType) async -> Result<
        Credential, AsyncNetError
    > {
        do { return .success(try await UserCode.run { try await authenticator.refresh(credential) }) } catch {
            // Even an AsyncNetError is underneath: it is another request's, and its cancel is not that of those who
            // wait.
            return .failure(AsyncNetError(.refreshFailed, underlyingError: error))
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
        ended?.end.fulfil(result)
    }
}

/// An adapter whose work may be out of date by the time a request has the place that it waited for.
protocol CredentialKeeper: Sendable {
    /// Whether the request's credential is being refreshed, or has been.
    func hasReplacedCredential(_ request: TransportRequest) async -> Bool
}

extension AuthenticationInterceptor: CustomStringConvertible, CustomReflectable {
    public nonisolated var description: String { "AuthenticationInterceptor<\(AuthenticatorType.self)>" }

    /// What `dump` shows: no secrets.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
