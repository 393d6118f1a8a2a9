#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A credential that requests are authenticated with, such as an OAuth token.
public protocol RefreshableCredential: Sendable {
    /// Whether the credential must be refreshed before it is used again; `false` by default.
    ///
    /// Return `true` some time before the credential expires. The property is read before each attempt, while other
    /// requests wait, and so must return quickly.
    var requiresRefresh: Bool { get }
}

extension RefreshableCredential {
    public var requiresRefresh: Bool { false }
}

/// Applies and refreshes a service's credential; ``AuthenticationInterceptor`` decides when.
///
///     struct OAuth: Authenticator {
///         func apply(_ token: OAuthToken, to request: inout URLRequest) {
///             request.setValue("Bearer \(token.access)", forHTTPHeaderField: "Authorization")
///         }
///
///         func refresh(_ token: OAuthToken) async throws -> OAuthToken {
///             try await session.request(
///                 tokenURL, method: .post, parameters: ["refresh_token": token.refresh], encoder: .urlEncodedForm
///             )
///             .validate().serializing(OAuthToken.self).value
///         }
///     }
public protocol Authenticator: Sendable {
    /// The type of credential, such as a token.
    associatedtype Credential: RefreshableCredential

    /// Sets the credential in a request, in place of any credential that it has.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Gets a new credential for one that has expired.
    ///
    /// Called once for all requests that need a new credential, in a task of the interceptor. Called again if the call
    /// fails because the server has not carried out its POST, see ``AuthenticationInterceptor``. The call may use the interceptor's own
    /// session: its requests, and those of tasks that it starts with `Task` or in a group, are sent without the expired
    /// credential, and a 401 is delivered to them. Requests of a detached task, or of another library's callback, wait
    /// for this refresh: if the call awaits them, neither ends.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether a response with a status of 400 or above rejects the request's credential; by default a 401 does.
    func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: AsyncNetError
    ) -> Bool

    /// The function above with Alamofire's type of error: a type that was written for Alamofire implements this one,
    /// and its rule is used instead of the default. Not called if the type has the function above.
    func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// Whether a rejected request was sent with this credential; by default, whether applying the credential changes
    /// neither URL nor headers.
    ///
    /// The default needs a credential that always gives the same headers. Implement this for signatures over a time or
    /// a nonce.
    func isRequest(_ request: URLRequest, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: AsyncNetError
    ) -> Bool {
        didRequest(request, with: response, failDueToAuthenticationError: error as any Error)
    }

    public func didRequest(
        _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool {
        response.statusCode == 401
    }

    public func isRequest(_ request: URLRequest, authenticatedWith credential: Credential) -> Bool {
        var applied = request
        apply(credential, to: &applied)
        return applied.url == request.url && applied.allHTTPHeaderFields == request.allHTTPHeaderFields
    }
}

/// A limit of refreshes, for servers that reject every credential.
public struct RefreshWindow: Hashable, Sendable {
    /// The time within which refreshes count.
    public var interval: Duration
    /// How many refreshes may start within the interval, before requests end with `.excessiveRefresh`; 0 allows none.
    public var maximumAttempts: Int

    /// Creates a window, by default of 5 refreshes in 30 seconds.
    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }
}
