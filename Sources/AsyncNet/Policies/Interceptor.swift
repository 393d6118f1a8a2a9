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

/// Several policies as one, called in their order.
///
/// Each adapter changes the result of the one before; the first error ends the chain. Retriers are called until one
/// decides.
public struct Interceptor: RequestInterceptor, DescribedPolicy, CredentialKeeper, NonBlocking {
    private let policies: PolicyList

    /// Combines policies of any kind, in this order.
    public init(_ policies: [any RequestPolicy]) { self.policies = PolicyList(policies) }

    func describe(_ traits: inout PolicyTraits) {
        (traits.hedging, traits.attemptTimeout) = (policies.hedging, policies.attemptTimeout)
        traits.tracing = policies.tracing
        traits.credentialKeeper = policies.credentialKeepers.isEmpty ? nil : self
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        var request = request
        for policy in policies.adapters {
            request = try await policy.adapter?.adapt(request, context: context) ?? request
        }
        return request
    }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        var request = request
        for policy in policies.adapters { request = try await policy.adapt(request, context) }
        return request
    }

    func hasReplacedCredential(_ request: TransportRequest) async -> Bool {
        for keeper in policies.credentialKeepers where await keeper.hasReplacedCredential(request) { return true }
        return false
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        for policy in policies.retriers {
            guard let decision = await policy.decision(after: error, context) else { continue }
            if case .doNotRetry = decision.choice { continue }
            return decision
        }
        return .doNotRetry
    }
}
