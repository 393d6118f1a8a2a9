import Foundation

/// What happens to a request between its start and its outcome: the list, in order.
///
///     assemble   URL, headers, body, from what the caller gave
///     deadline   begins: everything that follows must end before it
///     attempt    once, and again for as long as a policy wants that:
///         adapt      the session's adapters, then the request's
///         share      coalesce: with the same request under way, or hedge: with another that may be faster
///         limit      circuit breaker, rate, a place among the concurrent ones
///         exchange   for each hop:
///             cookies    those of the jar for this URL
///             auth       who it is from, if the server has asked; once more if it asks now
///             transfer   over the transport, watched for silence
///             redirect   the next hop, or the answer
///         validate   the request's validators, first refusal wins
///         retry      what the attempt ended in goes to the retriers: the session's, then the request's
///
/// One pipeline value lives for one request; it runs in the task that the request owns, on no actor. What suspends is
/// kept apart from what does not, and that from being inlined: an async function's locals live for as long as it waits.
struct Pipeline {
    let session: Session
    let request: DataRequest
    let scope: Scope
    let watch: TransferWatch
    let place = PlaceInQueue()
    var policies = PipelinePolicies()
    /// What the caller gave.
    private(set) var original: TransportRequest?
    /// The attempt's, from 1, also of one that ends before it is sent.
    var attemptNumber = 0
    /// Those that were there when the attempt began.
    var validators: [Validator] = []

    enum Scope {
        case whole
        /// From the limits on, for a request that another has adapted and shares, retries and times.
        case exchange
    }

    init(session: Session, request: DataRequest, scope: Scope = .whole) {
        self.session = session
        self.request = request
        self.scope = scope
        watch = TransferWatch(request)
    }

    mutating func run() async -> TransferOutcome {
        request.record.begin(session.timers.time)
        do {
            if request.blueprint.mayBlock {
                request.record.willSend(try await request.blueprint.makeApart())
            } else {
                try assemble()
            }
        } catch {
            return request.record.outcome(AsyncNetError(wrapping: error, as: .encodingFailed))
        }
        policies = PipelinePolicies(session.configuration, await request.options, scope)
        takeCredential()
        watch.follow(policies.redirects)
        guard let deadline = policies.deadline else { return await attempts() }
        let timer = startDeadline(deadline)
        defer { session.timers.cancel(timer) }
        return await attempts()
    }

    @inline(never)
    private func assemble() throws {
        request.record.willSend(try request.blueprint.make())
    }

    /// What a URL says of its user is for the server that asks, not for the wire or an error's text.
    @inline(never)
    private mutating func takeCredential() {
        guard var first = request.record.request else { return }
        if let credential = Credential.take(from: &first.head.url) {
            policies.credential = policies.credential ?? credential
            request.record.willSend(first)
        }
        policies.credentialOrigin = policies.credential == nil ? nil : first.head.url.origin
    }

    @inline(never)
    private mutating func startDeadline(_ deadline: Duration) -> TimerQueue.Timer {
        let end = session.timers.time.now + min(max(deadline, .zero), .longestWait)
        policies.end = end
        return session.timers.schedule(at: end) { [session, request] in
            let error = AsyncNetError(.deadlineExceeded, "The request did not end within its deadline of \(deadline)")
            session.mailbox.post { await request.fail(error) }
            return nil
        }
    }

    private mutating func attempts() async -> TransferOutcome {
        original = request.record.request
        let first = original
        if !policies.retriers.isEmpty || policies.hedging != nil, let first {
            session.limits.budgets?.deposit(host: first.head.url.origin)
        }
        while true {
            let result = await attempt()
            switch await judge(result) {
            case .deliver(let outcome): return outcome
            case .again(let delay):
                guard await pause(delay) else { return request.record.outcome(AsyncNetError(.cancelled)) }
                restart(with: original)
            }
        }
    }

    /// The next attempt begins with what the caller gave, adapted anew.
    @inline(never)
    func restart(with first: TransportRequest?) {
        if let first { request.record.restart(with: first) }
    }

    /// Whether the wait came to its end.
    private func pause(_ delay: Duration) async -> Bool {
        if delay > .zero,
            (try? await session.timers.time.sleep(until: session.timers.time.now + min(delay, .longestWait))) == nil
        {
            return false
        }
        return !Task.isCancelled
    }
}

/// What holds for all attempts of a request.
struct PipelinePolicies {
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []
    var hedging: HedgingPolicy?
    var redirects = RedirectPolicy()
    var credential: Credential?
    /// Who may be told it.
    var credentialOrigin: String?
    var priority = RequestPriority.normal
    /// How many bytes of body are taken.
    var bodyLimit: Int64?
    var deadline: Duration?
    /// When the deadline is, by the session's time; or that of the request which this one belongs to.
    var end: Duration?
    /// For silence.
    var timeout: Duration?
    /// For an attempt.
    var attemptTimeout: Duration?

    init() {}

    @inline(never)
    init(_ session: SessionConfiguration, _ own: RequestOptions, _ scope: Pipeline.Scope) {
        redirects = RedirectPolicy(limit: session.maximumRedirects, handler: own.redirects ?? session.redirects)
        (credential, priority, timeout) = (own.credential, own.priority, own.timeout)
        (attemptTimeout, end) = (own.attemptTimeout, own.end)
        bodyLimit =
            switch own.bodyLimit {
            case .session: session.maximumBodySize
            case .own(let limit): limit
            }
        if scope == .whole { take(session.interceptors + own.interceptors, own.deadline ?? session.deadline) }
    }

    private mutating func take(_ policies: [any RequestPolicy], _ deadline: Duration?) {
        adapters = policies.compactMap { $0 as? any RequestAdapter }
        retriers = policies.compactMap { $0 as? any RequestRetrier }
        hedging = policies.lazy.compactMap { ($0 as? any Hedging)?.hedging }.last
        attemptTimeout = retriers.compactMap { ($0 as? any AttemptTimeout)?.attemptTimeout }.min()
        self.deadline = deadline
    }
}
