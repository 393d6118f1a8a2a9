#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// What a request is authenticated with, such as an OAuth token.
public protocol AuthenticationCredential: Sendable {
    /// Whether it is to be renewed before it is used again, best some time before it expires; `false` by default.
    ///
    /// Read before each attempt, while others wait: it must not take long.
    var requiresRefresh: Bool { get }
}

extension AuthenticationCredential {
    public var requiresRefresh: Bool { false }
}

/// Knows a service's way to authenticate; an ``AuthenticationInterceptor`` decides when which of it is done.
///
///     struct OAuth: Authenticator {
///         func apply(_ token: OAuthToken, to request: inout URLRequest) {
///             request.setValue("Bearer \(token.access)", forHTTPHeaderField: "Authorization")
///         }
///
///         func refresh(_ token: OAuthToken) async throws -> OAuthToken {
///             try await session.request(tokenURL, method: .post, parameters: ["refresh_token": token.refresh], encoder: .urlEncodedForm)
///                 .validate().serializing(OAuthToken.self).value
///         }
///     }
public protocol Authenticator: Sendable {
    associatedtype Credential: AuthenticationCredential

    /// Puts the credential into a request, in place of another that is there.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Gets a new credential for one that has expired.
    ///
    /// Asked once for all requests that need it, in a task of the interceptor's. It may use the session that the
    /// interceptor belongs to: its own requests, and those of tasks that it starts with `Task` or in a group, are sent
    /// as they are, without the old credential, and a 401 is their answer. In a detached task, or by way of a callback
    /// of another library, they would wait for the refresh that waits for them.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether a response from 400 up says that the request's credential is not valid any more; by default its status
    /// 401 does.
    func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: AsyncNetError
    ) -> Bool

    /// Whether this is the credential that a failed request was sent with; by default, whether applying it changes
    /// neither URL nor headers.
    ///
    /// That does where the same credential always gives the same headers. Signatures over a time or a nonce need an
    /// answer of their own.
    func isRequest(_ request: URLRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: AsyncNetError
    ) -> Bool {
        response.statusCode == 401
    }

    public func isRequest(_ request: URLRequest, authenticatedWith credential: Credential) -> Bool {
        var applied = request
        apply(credential, to: &applied)
        return applied.url == request.url && applied.allHTTPHeaderFields == request.allHTTPHeaderFields
    }
}

/// How often a credential may be refreshed; a server that refuses the new one as well is not asked forever.
public struct RefreshWindow: Hashable, Sendable {
    /// How far back refreshes count.
    public var interval: Duration
    /// How many may begin within the interval; a further one ends its requests with `.excessiveRefresh`. 0 allows none.
    public var maximumAttempts: Int

    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }
}
