import AsyncNet
import AsyncNetTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct AccessToken: RefreshableCredential, Equatable {
    var number: Int
    var requiresRefresh = false

    init(_ number: Int, requiresRefresh: Bool = false) {
        (self.number, self.requiresRefresh) = (number, requiresRefresh)
    }

    var header: String { "Bearer secret-\(number)" }
}

/// An authenticator that counts its refreshes, in which a closure makes the new token.
struct TokenAuthenticator: Authenticator {
    let renew: @Sendable (AccessToken) async throws -> AccessToken
    let refreshes = Counter()

    func apply(_ credential: AccessToken, to request: inout URLRequest) {
        request.setValue(credential.header, forHTTPHeaderField: "Authorization")
    }

    func refresh(_ credential: AccessToken) async throws -> AccessToken {
        refreshes.add()
        return try await renew(credential)
    }
}

extension RecordedRequest {
    func carries(_ token: AccessToken) -> Bool { headers["Authorization"] == token.header }

    /// 200 if the request has this token, otherwise 401.
    func answer(for token: AccessToken) -> MockResponse { carries(token) ? .text("ok") : .status(401) }
}

/// One authenticator, its interceptor, and a session over a stub.
struct TokenFixture {
    let authenticator: TokenAuthenticator
    let interceptor: AuthenticationInterceptor<TokenAuthenticator>
    let stub: StubTransport
    let session: Session
    /// The session's clock.
    let clock = TestClock()

    init(
        _ token: AccessToken? = AccessToken(1), window: RefreshWindow? = RefreshWindow(),
        refreshClock: any Clock<Duration> = ContinuousClock(),
        startsImmediately: Bool = false, limit: ConcurrencyLimit = .unlimited,
        renew: @escaping @Sendable (AccessToken) async throws -> AccessToken = { _ in AccessToken(2) },
        answer: @escaping StubTransport.Handler = { $0.answer(for: AccessToken(2)) }
    ) {
        authenticator = TokenAuthenticator(renew: renew)
        interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: token, refreshWindow: window, clock: refreshClock)
        stub = StubTransport(answer)
        var configuration = SessionConfiguration(
            interceptors: [interceptor], startsRequestsImmediately: startsImmediately, clock: clock)
        configuration.concurrencyLimit = limit
        session = Session(transport: stub, configuration: configuration)
    }

    var refreshes: Int { authenticator.refreshes.value }

    func get(_ url: String = "http://a/") async -> Result<String, AsyncNetError> {
        await session.request(url).validate().serializing(String.self).result
    }

    /// A request that the clock's `settled()` waits for.
    func begin(_ url: String = "http://a/") -> Task<Result<String, AsyncNetError>, Never> {
        clock.task { await get(url) }
    }

    /// Waits until this many refreshes have begun.
    func refreshes(atLeast count: Int) async { await authenticator.refreshes.reaches(count) }
}

/// Holds the session over which a refresh sends its request.
final class SessionBox: Sendable {
    private let session = Locked<Session?>(nil)

    var value: Session? {
        get { session.withLock { $0 } }
        set { session.withLock { $0 = newValue } }
    }
}

extension Result {
    var value: Success? { try? get() }
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
