/// The capabilities of a policy, determined once when it is added to a session or a request.
struct PolicyTraits: Sendable {
    let adapter: (any RequestAdapter)?
    let retrier: (any RequestRetrier)?
    var hedging: HedgingPolicy?
    /// The limit that the policy sets for an attempt.
    var attemptTimeout: Duration?
    var credentialKeeper: (any CredentialKeeper)?
    /// Of an interceptor, that of its policies.
    var tracing: (any TracingPolicy)?
    private let isNonBlocking: Bool

    init(_ policy: any RequestPolicy) {
        adapter = policy as? any RequestAdapter
        retrier = policy as? any RequestRetrier
        tracing = policy as? any TracingPolicy
        isNonBlocking = policy is any NonBlocking
        (policy as? any DescribedPolicy)?.describe(&self)
    }

    /// The request as the policy changes it, on a thread that the policy may block.
    func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest {
        guard let adapter else { return request }
        guard !isNonBlocking else { return try await adapter.adapt(request, context: context) }
        return try await UserCode.run { try await adapter.adapt(request, context: context) }
    }

    /// What the policy decides, on a thread that it may block; `nil` if it does not retry.
    func decision(after error: AsyncNetError, _ context: RequestContext) async -> RetryDecision? {
        guard let retrier else { return nil }
        guard !isNonBlocking else { return await retrier.retry(after: error, context: context) }
        return await UserCode.run { await retrier.retry(after: error, context: context) }
    }
}

/// A policy of this library, with capabilities that its protocols do not show.
protocol DescribedPolicy: RequestPolicy {
    func describe(_ traits: inout PolicyTraits)
}

/// Adapters and retriers in their order.
struct PolicyList: Sendable {
    private(set) var adapters: [PolicyTraits] = []
    private(set) var retriers: [PolicyTraits] = []
    private(set) var hedging: HedgingPolicy?
    private(set) var tracing: (any TracingPolicy)?

    init(_ policies: [any RequestPolicy] = []) { append(policies) }

    mutating func append(_ policies: [any RequestPolicy]) {
        for policy in policies {
            let traits = PolicyTraits(policy)
            if traits.adapter != nil { adapters.append(traits) }
            if traits.retrier != nil { retriers.append(traits) }
            hedging = traits.hedging ?? hedging
            tracing = traits.tracing ?? tracing
        }
    }

    /// The shortest limit that a retrier sets.
    var attemptTimeout: Duration? { retriers.compactMap(\.attemptTimeout).min() }
    var credentialKeepers: [any CredentialKeeper] { adapters.compactMap(\.credentialKeeper) }
}
