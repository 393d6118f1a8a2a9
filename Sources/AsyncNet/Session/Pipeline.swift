import Foundation

/// What happens to a request between its start and its outcome: the list, in order.
///
///     assemble   URL, headers, body, from what the caller gave
///     deadline   begins: everything that follows must end before it
///     attempt    once, and again for as long as a policy wants that:
///         adapt      the session's adapters, then the request's
///         redirect   follow 3xx responses, each hop a transfer of its own
///         transfer   over the transport, watched for silence
///         validate   the request's validators, first refusal wins
///         retry      what the attempt ended in goes to the retriers: the session's, then the request's
///
/// One pipeline value lives for one request; it runs in the task that the request owns, on no actor. What suspends is
/// kept apart from what does not, and that from being inlined: an async function's locals live for as long as it waits.
struct Pipeline {
    let session: Session
    let request: DataRequest
    let redirects: RedirectPolicy
    let watch: TransferWatch
    var policies = PipelinePolicies()

    init(session: Session, request: DataRequest) {
        self.session = session
        self.request = request
        redirects = RedirectPolicy(limit: session.configuration.maximumRedirects)
        watch = TransferWatch(request, redirects: redirects)
    }

    mutating func run() async -> TransferOutcome {
        request.record.begin(session.timers.time)
        do {
            try assemble()
        } catch {
            return request.record.outcome(AsyncNetError(wrapping: error, as: .encodingFailed))
        }
        policies = PipelinePolicies(session.configuration, await request.options)
        guard let deadline = policies.deadline else { return await attempts() }
        let timer = startDeadline(deadline)
        defer { session.timers.cancel(timer) }
        return await attempts()
    }

    @inline(never)
    private func assemble() throws {
        request.record.willSend(try request.blueprint.make())
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

    private func attempts() async -> TransferOutcome {
        let first = request.record.request
        while true {
            let result = await attempt()
            switch await judge(result) {
            case .deliver(let outcome): return outcome
            case .again(let delay):
                guard await pause(delay) else { return request.record.outcome(AsyncNetError(.cancelled)) }
                restart(with: first)
            }
        }
    }

    /// The next attempt begins with what the caller gave, adapted anew.
    @inline(never)
    private func restart(with first: TransportRequest?) {
        if let first { request.record.willSend(first) }
    }

    /// Whether the wait came to its end.
    private func pause(_ delay: Duration) async -> Bool {
        if delay > .zero, (try? await session.timers.time.sleep(until: session.timers.time.now + min(delay, .longestWait))) == nil { return false }
        return !Task.isCancelled
    }
}

/// What holds for all attempts of a request.
struct PipelinePolicies {
    var adapters: [any RequestAdapter] = []
    var retriers: [any RequestRetrier] = []
    /// How many bytes of body are taken.
    var bodyLimit: Int64?
    var deadline: Duration?
    /// When the deadline is, by the session's time.
    var end: Duration?
    /// For silence.
    var timeout: Duration?

    init() {}

    @inline(never)
    init(_ session: SessionConfiguration, _ own: RequestOptions) {
        let policies = session.interceptors + own.interceptors
        adapters = policies.compactMap { $0 as? any RequestAdapter }
        retriers = policies.compactMap { $0 as? any RequestRetrier }
        bodyLimit = switch own.bodyLimit {
        case .session: session.maximumBodySize
        case .own(let limit): limit
        }
        deadline = own.deadline ?? session.deadline
        timeout = own.timeout
    }
}
