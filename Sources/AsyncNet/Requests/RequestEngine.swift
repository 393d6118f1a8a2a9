import Synchronization

/// The actor that runs a request. All copies of the request refer to it, and the session holds it while the request
/// runs.
///
/// The state machine decides, the actor carries out. `driver` is the one task that the request owns; it sends the
/// request through the pipeline and ends with it. Tasks that await the outcome wait on a continuation in `waiters`,
/// which the end resumes, exactly once each. A cancellation handler cannot enter the actor, so it posts to the
/// session's mailbox.
actor RequestEngine {
    nonisolated let id: RequestID
    nonisolated let kind: RequestKind
    /// Makes the request that is sent; runs when the request starts, on no actor.
    nonisolated let blueprint: RequestBlueprint
    nonisolated let target: BodyTarget
    nonisolated let record = TransferRecord()
    nonisolated let observers: RequestObservers
    nonisolated let hold = TransferHold()
    private nonisolated let session: any RequestSession
    nonisolated let environment: Environment
    /// The transport of the test that made the request, in place of the session's.
    private nonisolated let scoped: ScopedTransport?
    /// A transport for this request alone, in place of the session's and the test's.
    private nonisolated let carrier: (any Transport)?

    private var machine = RequestStateMachine() {
        didSet { if machine.state != oldValue.state { shown.store(machine.state, ordering: .relaxed) } }
    }
    /// The state for whatever cannot await the actor.
    nonisolated let shown = Atomic(RequestState.initialized)
    private var driver: Task<Void, Never>?
    private var run: RequestRun?
    private var outcome: TransferOutcome?
    private(set) var waiters = OutcomeWaiters()
    private var resumption: [CheckedContinuation<Void, Never>] = []
    /// Read when the request starts; changes after that have no effect.
    private nonisolated let options: Locked<RequestOptions>

    init(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, target: BodyTarget = .memory,
        options: RequestOptions = RequestOptions(), carrier: (any Transport)? = nil, session: any RequestSession
    ) {
        self.blueprint = blueprint.modified(by: options.modifier)
        (self.kind, self.target) = (kind, target)
        self.options = Locked(options)
        (self.carrier, self.session) = (carrier, session)
        environment = session.environment
        scoped = environment.scopedTransport
        id = RequestID()
        observers = RequestObservers(id, kind, environment.events, options.values)
        observers.send(.created)
    }

    var state: RequestState { machine.state }

    func resume() async {
        switch machine.resume() {
        case .none: break
        case .start:
            observers.send(.resumed)
            await start()
        case .proceed:
            observers.send(.resumed)
            run?.watch.restart()
            proceed()
        }
    }

    func suspend() {
        guard machine.suspend() else { return }
        hold.hold()
        observers.send(.suspended)
    }

    func cancel() async { await end(with: AsyncNetError(.cancelled)) }

    /// Starts the request unless it has started or is suspended.
    func startIfNeeded() async {
        if machine.state == .initialized { await resume() }
    }

    /// Starts the request if its session starts requests when their first serializer is made.
    nonisolated func serializerIsMade() {
        guard environment.configuration.startsRequestsImmediately else { return }
        // Not by the mailbox, so that the request has the task-local values of the task that makes the serializer.
        // ConcurrencyGuarantees.md lists this task: immediate start
        Task(executorPreference: environment.timers.time.executor) { await self.startIfNeeded() }
    }

    /// Waits until the transfer has ended, which may be a moment after the outcome.
    func drained() async { await driver?.value }

    /// For callers that cannot await, such as cancellation handlers.
    nonisolated func soon(_ message: @escaping @Sendable (RequestEngine) async -> Void) {
        environment.mailbox.post { await message(self) }
    }

    private func start() async {
        hold.release()
        let purpose: Purpose
        do throws(AsyncNetError) { purpose = try await session.begin(self) } catch {
            return conclude(TransferOutcome(error: error))
        }
        guard !machine.isTerminal else {
            await session.end(id)
            return environment.transfers.end()
        }
        run = RequestRun(makeContext(purpose), record: record)
        // Requests that the user's code makes during this request use the test's transport too.
        driver = scoped.map { ScopedTransport.$current.withValue($0) { makeDriver(purpose) } } ?? makeDriver(purpose)
    }

    private func makeContext(_ purpose: Purpose) -> RunContext {
        let (policies, credential) = options.withLock { (RunPolicies(environment, $0), $0.credential) }
        var context = RunContext(id, environment, policies, target.sink, hold: hold)
        context.observers = observers
        context.owner = self
        context.credential = credential
        context.scoped = scoped
        context.carrier = carrier
        context.purpose = purpose
        if kind == .stream { context.separatesAttempts = true }
        return context
    }

    /// Makes the request's task, which releases the request, and with it a download's partial file, before the transfer
    /// counts as ended: a finished session leaves no partial file. A weak reference would do the same, but Swift would
    /// allocate one more object for each request.
    ///
    /// The purpose is set inside the task: set outside, it would be copied for the task, which takes two allocations.
    private func makeDriver(_ purpose: Purpose) -> Task<Void, Never> {
        let transfers = environment.transfers
        var held = Optional(self)
        guard let clock = environment.timers.time.supervisor else {
            // Without an executor preference: Swift records one for nil too, and reads it under a lock at each change
            // of executors, 3 % of the CPU time of a request of 1 KB.
            // ConcurrencyGuarantees.md lists this task: request
            return Task {
                await Purpose.$current.withValue(purpose) { await held?.drive() }
                held = nil
                transfers.end()
            }
        }
        // ConcurrencyGuarantees.md lists this task: request
        return Task(executorPreference: clock.executor) {
            await Purpose.$current.withValue(purpose) { await clock.observing { await held?.drive() } }
            held = nil
            transfers.end()
        }
    }

    /// Sends the request, and ends it with the outcome of its transfer.
    private func drive() async {
        guard let run else { return }
        let outcome = await run.outcome(of: blueprint)
        if machine.state == .suspended, !machine.isSettled { await waitWhileSuspended() }
        await session.end(id)
        // No suspension from here on: the waiters are resumed without another change of threads.
        conclude(outcome)
        driver = nil
    }

    /// Ends a stream whose reader needs no more events, as if the response had ended there.
    func endAsRead() async {
        if let head = record.head { run?.didEnd(head) }
        await end(with: nil)
    }

    func end(with error: AsyncNetError?) async {
        guard !machine.isTerminal else { return }
        guard !machine.isSettled else { return proceed() }
        conclude(record.outcome(error))
        driver?.cancel()
        await session.end(id)
    }

    /// Stores the outcome and resumes the waiters. Only the first call counts; a cancelled transfer calls again.
    private func conclude(_ outcome: TransferOutcome) {
        guard machine.end(as: outcome.error?.code == .cancelled ? .cancelled : .finished) else { return }
        self.outcome = outcome
        // Before the waiters are resumed, so that monitors and tracers have all events by then.
        observers.finish(outcome)
        // The run holds this actor: a retain cycle until here.
        run.take()?.context.purpose?.end()
        waiters.resumeAll(returning: outcome)
        target.sink.requestEnded(outcome.error)
        proceed()
    }

    private func proceed() {
        hold.release()
        for continuation in resumption { continuation.resume() }
        resumption = []
    }

    /// Starts the request unless it is suspended, and waits for its end; any number of tasks may wait.
    func transferOutcome() async -> TransferOutcome {
        if let outcome { return outcome }
        if Task.isCancelled {
            if waiters.isEmpty { await cancel() }
            if machine.isSettled { await driver?.value }
            return outcome ?? record.outcome(AsyncNetError(.cancelled))
        }
        waiters.arriving += 1
        await startIfNeeded()
        waiters.arriving -= 1
        if let outcome { return outcome }
        let id = waiters.newID()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiters.add(id, $0) }
        } onCancel: {
            soon { await $0.leave(id) }
        }
    }

    /// Resumes a cancelled waiter at once; without other waiting tasks the request is cancelled.
    private func leave(_ waiter: Int) async {
        guard let continuation = waiters.remove(waiter) else { return }
        guard waiters.isEmpty else {
            return continuation.resume(returning: record.outcome(AsyncNetError(.cancelled)))
        }
        waiters.add(waiter, continuation)
        await cancel()
    }

    /// Changes the options of a request that has not started.
    nonisolated func set(_ change: (inout RequestOptions) -> Void) { options.withLock { change(&$0) } }
}

extension RequestEngine: RunOwner {
    nonisolated func beginAttempt(_ head: HTTPRequestHead) -> Bool {
        guard !shown.load(ordering: .relaxed).isTerminal else { return false }
        let number = record.beginAttempt()
        observers.send(.attempt(number, head))
        return true
    }

    func waitWhileSuspended() async {
        guard machine.state == .suspended else { return }
        await withCheckedContinuation { resumption.append($0) }
    }

    func settle(_ step: @Sendable () throws -> Void) throws {
        guard !machine.isTerminal else { throw AsyncNetError(.cancelled) }
        try step()
        machine.isSettled = true
    }

    var failure: AsyncNetError? { outcome?.error }
}

extension RequestEngine: CustomReflectable {
    /// What `dump` shows: which request it is. Its policies and what it sends hold secrets.
    nonisolated var customMirror: Mirror { Mirror(self, children: ["id": id, "kind": kind]) }
}
