/// The session's and the request's policies together, for all attempts of a run. A class, since each suspended function
/// would keep a copy of a struct.
final class RunPolicies: Sendable {
    let list: PolicyList
    let redirects: RedirectPolicy
    let priority: RequestPriority
    let maximumBodySize: Int64?
    let addresses: AddressPolicy
    let decodesContent: Bool
    let deadline: Duration?
    /// The time of the session's clock at which the deadline is over.
    let end: Duration?
    /// Whether the run is a shared or hedged transfer, or a revalidation.
    let isShared: Bool
    /// How long the server may be silent; `nil` unless the request's options set it.
    let timeout: Duration?
    /// How the request uses the cache; `nil` unless its options set it.
    let cacheMode: CacheMode?
    let validators: [Validator]
    let attemptTimeout: Duration?
    let values: RequestValues

    init(_ environment: Environment, _ options: RequestOptions) {
        var list = environment.policies
        if !options.interceptors.isEmpty { list.append(options.interceptors) }
        (self.list, attemptTimeout) = (list, list.attemptTimeout)
        redirects = RedirectPolicy(
            limit: environment.configuration.maximumRedirects,
            handler: options.redirects ?? environment.configuration.redirects)
        (priority, timeout) = (options.priority, options.timeout)
        (cacheMode, decodesContent) = (options.cacheMode, options.decodesContent)
        validators = options.validation.validators ?? environment.configuration.validation.validators ?? []
        maximumBodySize = options.maximumBodySize ?? environment.configuration.maximumBodySize
        addresses = options.addresses ?? environment.configuration.addresses
        deadline = options.deadline ?? environment.configuration.deadline
        end = deadline.map { environment.timers.time.now + min(max($0, .zero), .longestWait) }
        isShared = false
        values = options.values
    }

    /// The policies of a run that serves another run; the other run validates the response and enforces the deadline.
    private init(
        of other: RunPolicies, list: PolicyList = PolicyList(), redirects: RedirectPolicy? = nil,
        maximumBodySize: Int64?, end: Duration?, isShared: Bool = true, cacheMode: CacheMode? = nil,
        attemptTimeout: Duration? = nil
    ) {
        self.list = list
        self.redirects = redirects ?? other.redirects
        self.maximumBodySize = maximumBodySize
        self.end = end
        self.isShared = isShared
        self.cacheMode = cacheMode ?? other.cacheMode
        self.attemptTimeout = attemptTimeout ?? other.attemptTimeout
        validators = []
        deadline = nil
        (priority, addresses) = (other.priority, other.addresses)
        decodesContent = other.decodesContent
        timeout = other.timeout
        values = other.values
    }

    /// The policies of a segment's run. The download's own run enforces the deadline and the body size.
    var ofPart: RunPolicies {
        RunPolicies(of: self, list: list, maximumBodySize: nil, end: end, isShared: false)
    }

    /// The policies of a shared or hedged transfer. Its adapters have run already, and the waiting run has the retriers
    /// and validators.
    var ofTransfer: RunPolicies {
        RunPolicies(of: self, maximumBodySize: maximumBodySize, end: end)
    }

    /// The policies of a transfer that revalidates a stored response after its use.
    var ofRevalidation: RunPolicies {
        RunPolicies(
            of: self, redirects: RedirectPolicy(limit: 0, handler: .doNotFollow), maximumBodySize: maximumBodySize,
            end: nil, cacheMode: .revalidate, attemptTimeout: min(attemptTimeout ?? .seconds(60), .seconds(60)))
    }
}
