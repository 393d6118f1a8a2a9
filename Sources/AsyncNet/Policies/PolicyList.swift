/// The capabilities of a policy, determined once when it is added to a session or a request.
struct PolicyTraits: Sendable {
    let adapter: (any RequestAdapter)?
    let retrier: (any RequestRetrier)?
    var hedging: HedgingPolicy?
    /// The limit that the policy sets for an attempt.
    var attemptTimeout: Duration?
    var credentialKeeper: (any CredentialKeeper)?
    var tracing: (any TracingPolicy)?
    /// Whether the policy may block its thread; assumed for the user's types.
    var mayBlock = true

    init(_ policy: any RequestPolicy) {
        adapter = policy as? any RequestAdapter
        retrier = policy as? any RequestRetrier
        (policy as? any DescribedPolicy)?.describe(&self)
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

    init(adapters: [any RequestAdapter], retriers: [any RequestRetrier]) {
        self.adapters = adapters.map { PolicyTraits($0) }
        self.retriers = retriers.map { PolicyTraits($0) }
        hedging = self.retriers.compactMap(\.hedging).last
    }

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
    var mayBlock: Bool { adapters.contains(where: \.mayBlock) || retriers.contains(where: \.mayBlock) }
    var credentialKeepers: [any CredentialKeeper] { adapters.compactMap(\.credentialKeeper) }
}
