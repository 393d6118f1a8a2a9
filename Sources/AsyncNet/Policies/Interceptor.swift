#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

/// An adapter from a closure.
public struct Adapter: RequestAdapter {
    private let change: @Sendable (URLRequest, RequestContext) async throws -> URLRequest

    public init(_ change: @escaping @Sendable (URLRequest, RequestContext) async throws -> URLRequest) {
        self.change = change
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        try await change(request, context)
    }
}

/// A retrier from a closure.
public struct Retrier: RequestRetrier {
    private let decide: @Sendable (AsyncNetError, RequestContext) async -> RetryDecision

    public init(_ decide: @escaping @Sendable (AsyncNetError, RequestContext) async -> RetryDecision) {
        self.decide = decide
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        await decide(error, context)
    }
}

/// Several policies as one, asked in their order.
///
/// Adapters each change what the one before made, and the first that throws is the last; retriers are asked until one
/// decides.
public struct Interceptor: RequestInterceptor, CredentialKeeper, NonBlocking {
    private let adapters: [any RequestAdapter]
    let retriers: [any RequestRetrier]
    package let hedging: HedgingPolicy?
    package var mayBlock: Bool { adapters.contains(where: \.blocks) || retriers.contains(where: \.blocks) }

    public init(_ policies: [any RequestPolicy]) {
        adapters = policies.compactMap { $0 as? any RequestAdapter }
        retriers = policies.compactMap { $0 as? any RequestRetrier }
        hedging = policies.compactMap { ($0 as? any Hedging)?.hedging }.last
    }

    public init(
        adapters: [any RequestAdapter] = [], retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) {
        self.adapters = adapters + interceptors
        self.retriers = retriers + interceptors
        hedging = interceptors.compactMap { ($0 as? any Hedging)?.hedging }.last
    }

    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, context: context) }
        return request
    }

    public func adapt(_ request: TransportRequest, context: RequestContext) async throws -> TransportRequest {
        var request = request
        for adapter in adapters { request = try await adapter.adapt(request, context: context) }
        return request
    }

    package func hasReplacedCredential(_ request: TransportRequest) async -> Bool {
        for adapter in adapters {
            if let keeper = adapter as? any CredentialKeeper, await keeper.hasReplacedCredential(request) {
                return true
            }
        }
        return false
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        for retrier in retriers {
            let decision = await retrier.retry(after: error, context: context)
            if case .doNotRetry = decision.choice { continue }
            return decision
        }
        return .doNotRetry
    }
}
