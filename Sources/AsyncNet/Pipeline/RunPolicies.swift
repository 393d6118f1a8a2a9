/// The session's and the request's policies together; all attempts of a run use them.
struct RunPolicies: Sendable {
    var list: PolicyList
    var redirects: RedirectPolicy
    var priority: RequestPriority
    /// How many bytes a body may have after decoding.
    var bodyLimit: Int64?
    /// Whether the content codings of bodies are decoded.
    var decodesContent: Bool
    var deadline: Duration?
    /// The time of the session's clock at which the deadline is over.
    var end: Duration?
    /// Whether the run is a shared or hedged transfer.
    private(set) var isShared = false
    /// How long the server may be silent; `nil` unless the request's options set it.
    var timeout: Duration?
    /// How the request uses the cache; `nil` unless its options set it.
    var cacheMode: CacheMode?
    /// The checks of the response.
    private(set) var validators: [Validator]
    /// How long an attempt may take.
    var attemptTimeout: Duration?

    init(_ environment: Environment, _ options: RequestOptions) {
        let session = environment.configuration
        list = environment.policies
        if !options.interceptors.isEmpty { list.append(options.interceptors) }
        redirects = RedirectPolicy(limit: session.maximumRedirects, handler: options.redirects ?? session.redirects)
        (priority, timeout, attemptTimeout) = (options.priority, options.timeout, list.attemptTimeout)
        (cacheMode, decodesContent) = (options.cacheMode, options.decodesContent)
        validators = options.validation.validators ?? session.validation.validators ?? []
        bodyLimit =
            switch options.bodyLimit {
            case .session: session.maximumBodySize
            case .bytes(let limit): limit
            case .unlimited: nil
            }
        deadline = options.deadline ?? session.deadline
        end = deadline.map { environment.timers.time.now + min(max($0, .zero), .longestWait) }
    }

    /// The policies of a segment's run: the download's own run enforces deadline and body limit.
    var ofPart: RunPolicies {
        var copy = self
        (copy.deadline, copy.bodyLimit, copy.validators) = (nil, nil, [])
        return copy
    }

    /// The policies of a shared or hedged transfer: adapters have run, and the run that waits for the transfer has the
    /// retriers and validators.
    var ofTransfer: RunPolicies {
        var copy = self
        (copy.list, copy.isShared, copy.validators) = (PolicyList(), true, [])
        return copy
    }

    /// The policies of a transfer that revalidates a stored response after that was used.
    var ofRevalidation: RunPolicies {
        var copy = ofTransfer
        (copy.deadline, copy.end, copy.cacheMode, copy.redirects.handler) = (nil, nil, .revalidate, .doNotFollow)
        copy.attemptTimeout = min(attemptTimeout ?? .seconds(60), .seconds(60))
        return copy
    }
}
