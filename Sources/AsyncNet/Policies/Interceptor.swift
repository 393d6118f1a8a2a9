#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// An adapter made of a closure.
public struct Adapter: RequestAdapter {
    private let change: @Sendable (URLRequest, RequestContext) async throws -> URLRequest

    /// Creates an adapter; an error of the closure ends the request with `.adaptationFailed`.
    public init(_ change: @escaping @Sendable (URLRequest, RequestContext) async throws -> URLRequest) {
        self.change = change
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        try await change(request, context)
    }
}

/// A retrier made of a closure.
public struct Retrier: RequestRetrier {
    private let decide: @Sendable (AsyncNetError, RequestContext) async -> RetryDecision

    /// Creates a retrier.
    public init(_ decide: @escaping @Sendable (AsyncNetError, RequestContext) async -> RetryDecision) {
        self.decide = decide
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        await decide(error, context)
    }
}

/// Several policies as one, in their order: in a list of interceptors it stands for them.
public struct Interceptor: RequestPolicy {
    let policies: [any RequestPolicy]

    /// Combines policies of any kind, in this order.
    public init(_ policies: [any RequestPolicy]) { self.policies = policies }
}
