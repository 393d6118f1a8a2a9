/// The capabilities of a policy, determined once when it is added to a session or a request.
struct PolicyTraits: Sendable {
    let adapter: (any RequestAdapter)?
    let retrier: (any RequestRetrier)?
    let credentialKeeper: (any CredentialKeeper)?
    let attemptTimeout: Duration?
    private let isNonBlocking: Bool

    init(_ policy: any RequestPolicy) {
        adapter = policy as? any RequestAdapter
        retrier = policy as? any RequestRetrier
        credentialKeeper = policy as? any CredentialKeeper
        attemptTimeout = (policy as? RetryPolicy)?.attemptTimeout
        isNonBlocking = policy is any NonBlocking
    }

    /// The request as the policy changes it, on a thread that the policy may block.
    func adapt(_ request: TransportRequest, _ context: RequestContext) async throws -> TransportRequest {
        guard let adapter else { return request }
        guard !isNonBlocking else { return try await adapter.adapt(request, context: context) }
        return try await UserCode.run { try await adapter.adapt(request, context: context) }
    }

    /// What the policy decides, on a thread that it may block; `nil` if it is no retrier.
    func decision(after error: AsyncNetError, _ context: RequestContext) async -> RetryDecision? {
        guard let retrier else { return nil }
        guard !isNonBlocking else { return await retrier.retry(after: error, context: context) }
        return await UserCode.run { await retrier.retry(after: error, context: context) }
    }
}

struct PolicyList: Sendable {
    private(set) var adapters: [PolicyTraits] = []
    private(set) var retriers: [PolicyTraits] = []
    private(set) var hedging: HedgingPolicy?
    private(set) var tracing: (any TracingPolicy)?

    init(_ policies: [any RequestPolicy] = []) { append(policies) }

    mutating func append(_ policies: [any RequestPolicy]) {
        for policy in policies {
            if let several = policy as? Interceptor { append(several.policies) }
            let traits = PolicyTraits(policy)
            if traits.adapter != nil { adapters.append(traits) }
            if traits.retrier != nil { retriers.append(traits) }
            hedging = policy as? HedgingPolicy ?? hedging
            tracing = (policy as? any TracingPolicy) ?? tracing
        }
    }

    /// The shortest limit that a retrier sets.
    var attemptTimeout: Duration? { retriers.compactMap(\.attemptTimeout).min() }
    var credentialKeepers: [any CredentialKeeper] { adapters.compactMap(\.credentialKeeper) }
}
