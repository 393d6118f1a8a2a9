import Synchronization

/// What does not change while a request passes through the stations.
struct RunContext: Sendable {
    let id: RequestID
    let environment: Environment
    let policies: RunPolicies
    let sink: any ResponseSink
    var observers: RequestObservers?
    /// Receives the steps of the run; by default the observers of the request and of its session.
    var events: (any EventTarget)?
    var role = RunRole.own
    /// Whether the request is suspended; the transport reads this between chunks without entering an actor.
    let hold: TransferHold
    var owner: (any RunOwner)?
    var credential: PasswordCredential?
    /// The transport of the test that made the request.
    var scoped: ScopedTransport?
    /// A transport for this request alone, whose transfers are neither shared nor hedged.
    var carrier: (any Transport)?
    /// Whether each attempt runs in a task of its own, so that a timeout can end it while the request goes on.
    var separatesAttempts: Bool
    /// The run's part in the request's trace; `nil` without a `TracingPolicy`.
    var trace: (any RequestTrace)?
    /// The purpose of the run's task; `nil` for a run that serves another run.
    var purpose: Purpose?

    init(
        _ id: RequestID, _ environment: Environment, _ policies: RunPolicies, _ sink: any ResponseSink,
        hold: TransferHold = TransferHold()
    ) {
        self.id = id
        self.policies = policies
        self.environment = environment
        self.sink = sink
        self.hold = hold
        trace = policies.list.tracing?.makeTrace(id)
        // With a cache, an attempt that times out may end with a stored response.
        separatesAttempts =
            policies.attemptTimeout != nil || !policies.list.retriers.isEmpty || environment.cache != nil
    }
}

/// One passage of a request through the stations, with the state that the stations share. A run without an owner makes
/// a shared transfer, a transfer of a hedged request, a segment of a download, or a revalidation.
final class RequestRun: Sendable {
    let context: RunContext
    let record: TransferRecord
    let watch: TransferWatch
    /// How many attempts have begun since `finish()` of the session was called.
    private let lateAttempts = Atomic(0)
    private let admission = Locked<(permit: RequestQueue.Permit?, pass: CircuitBreakers.Permit?)>((nil, nil))
    /// The last attempt that `retryBudgetSpent` was sent for: retriers may decide twice in an attempt, about a stream's
    /// head and about its error.
    private let reportedAttempt = Atomic(0)
    /// The request and credential before the first attempt.
    let first = Locked<(request: TransportRequest, credential: OriginCredential?)?>(nil)

    init(_ context: consuming RunContext, record: TransferRecord = TransferRecord()) {
        self.record = record
        self.context = context
        watch = TransferWatch(
            record, self.context.observers, self.context.hold, self.context.policies,
            self.context.events ?? self.context.observers, self.context.role)
    }

    var id: RequestID { context.id }
    var environment: Environment { context.environment }
    var policies: RunPolicies { context.policies }
    var sink: any ResponseSink { context.sink }
    var hold: TransferHold { context.hold }
    var transport: any Transport { context.carrier ?? context.scoped ?? environment.transport }

    func fetch(into sink: any ResponseSink, _ change: (inout TransportRequest) -> Void) async throws {
        guard let first = first.withLock({ $0 }) else { throw AsyncNetError(.invalidRequest) }
        var request = first.request
        change(&request)
        let part = RequestRun(serving(policies.ofPart, sink, role: .segment, trace: .part))
        part.record.begin(environment.timers.time)
        part.record.willSend(request)
        if let error = await part.outcome(request, first.credential).error { throw error }
    }

    /// The context of a run that serves this one.
    func serving(
        _ policies: RunPolicies, _ sink: any ResponseSink, role: RunRole, trace branch: TraceBranch
    ) -> RunContext {
        var context = RunContext(id, environment, policies, sink)
        context.scoped = self.context.scoped
        context.events = watch.events
        context.role = role
        context.separatesAttempts = true
        context.trace = self.context.trace?.branch(branch)
        return context
    }

    /// - Returns: `false` if the request is over.
    func beginAttempt(_ head: HTTPRequestHead) -> Bool {
        if let owner = context.owner { return owner.beginAttempt(head) }
        record.beginAttempt()
        return true
    }

    func waitWhileSuspended() async { if hold.isHeld { await context.owner?.waitWhileSuspended() } }

    /// Ends the request from code that cannot await.
    func fail(_ error: AsyncNetError) {
        environment.mailbox.post { [owner = context.owner] in await owner?.end(with: error) }
    }

    func send(_ event: @autoclosure () -> RequestEvent) { watch.send(event()) }

    /// Sends an event about the request's attempts. Does nothing in the run of a segment, which is no attempt of its
    /// own.
    func sendOwn(_ event: @autoclosure () -> RequestEvent) { if watch.role != .segment { watch.send(event()) } }

    var remainingTime: Duration? { policies.end.map { $0 - environment.timers.time.now } }

    /// - Returns: Whether the delay ended by itself, not by a cancel.
    func pause(_ delay: Duration) async -> Bool {
        let time = environment.timers.time
        if delay > .zero, (try? await time.sleep(until: time.now + min(delay, .longestWait))) == nil { return false }
        return !Task.isCancelled
    }

    /// Counts another attempt, and returns whether it may begin: while the session finishes, at most 10 may.
    func mayTryAgain() -> Bool {
        guard environment.transfers.isClosing else { return true }
        return lateAttempts.add(1, ordering: .relaxed).newValue <= 10
    }

    func hold(_ permit: RequestQueue.Permit?) { admission.withLock { $0.permit = permit } }
    func hold(_ pass: CircuitBreakers.Permit?) { admission.withLock { $0.pass = pass } }

    /// Whether the origin's circuit waits for this hop's result.
    var isProbing: Bool { admission.withLock { $0.pass }?.isProbe == true }

    /// Takes the circuit breaker's permit, which records how the hop ended.
    func takePass() -> CircuitBreakers.Permit? { admission.withLock { $0.pass.take() } }

    func reportSpentBudget(ofAttempt number: Int) {
        if reportedAttempt.exchange(number, ordering: .relaxed) != number { sendOwn(.retryBudgetSpent) }
    }

    func releasePermit() { admission.withLock { $0.permit.take() }?.release() }
}
