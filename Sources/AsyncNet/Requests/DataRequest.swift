/// A request with a body that is sent as it is: from memory, a file, a stream or a form. Its ``DataRequest/kind`` is
/// `.upload`.
public typealias UploadRequest = DataRequest

/// A request whose response's body is kept in memory.
///
/// Made by ``Session/request(_:method:headers:modifier:)`` and ``Session/upload(_:to:method:headers:modifier:)``.
/// Serializers say what is wanted of it; any number of them share its one transfer. Cancelling a task that waits for it
/// cancels it, unless others still wait.
///
/// Inside: the state machine decides, the actor carries out. `driver` is the one task the request owns; it makes the
/// transfer and ends with it. Everyone else waits on a continuation in `waiters`, which the end resumes, exactly once
/// each. A cancellation handler cannot enter the actor, so it posts to the session's mailbox.
public actor DataRequest: Request {
    public nonisolated let id = RequestID()
    public nonisolated let kind: RequestKind

    /// Makes the request's first form; runs when the request starts, off every actor.
    package nonisolated let blueprint: RequestBlueprint
    package nonisolated let record = TransferRecord()
    package nonisolated let downloads = Broadcast<TransferProgress>(keepsLatest: true)
    package nonisolated let uploads = Broadcast<TransferProgress>(keepsLatest: true)
    package nonisolated let eventLog = Broadcast<RequestEvent>(keepsLatest: false)
    /// Whom users know in this request's place.
    package nonisolated let facade = Locked(Facade())
    package struct Facade: Sendable {
        package weak var request: (any Request)?
    }
    /// Takes the body in place of memory.
    package nonisolated let sink: (any ResponseSink)?
    /// Read by the transfer and its transport between chunks, without entering the actor.
    package nonisolated let hold = TransferHold()
    package nonisolated var isHeldBack: Bool { hold.isHeld }

    private nonisolated let host: any RequestHost
    private var machine = RequestStateMachine()
    private var driver: Task<Void, Never>?
    private var outcome: TransferOutcome?
    private var waiters: [Int: CheckedContinuation<TransferOutcome, Never>] = [:]
    private var nextWaiter = 0
    /// Those who start the request and will wait, but do not yet: they count as waiting.
    private var arriving = 0
    private var resumption: [CheckedContinuation<Void, Never>] = []
    package private(set) var validators: [Validator] = []
    /// Validators that came after the end are running.
    private var lateValidation: Promise<Void>?
    package private(set) var options: RequestOptions
    /// The transfer's, told that a suspension ends; it knows the request, so it goes with the end.
    private var onProceed: (@Sendable () -> Void)?

    package init(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, sink: (any ResponseSink)? = nil,
        options: RequestOptions = RequestOptions(),
        host: any RequestHost
    ) {
        self.options = options
        self.kind = kind
        self.sink = sink
        self.blueprint = blueprint
        self.host = host
    }

    public var state: RequestState { machine.state }
    package var isOver: Bool { machine.isTerminal }
    /// What it ended in, once it is over.
    package var failure: AsyncNetError? { outcome?.error }
    public var retryCount: Int { max(0, machine.attempts - 1) }

    /// How many wait for the outcome now.
    package var waiterCount: Int { waiters.count }

    // MARK: Starting, holding back, ending

    public func resume() async {
        switch machine.resume() {
        case .none: break
        case .start:
            eventLog.send(.resumed)
            await start()
        case .proceed:
            eventLog.send(.resumed)
            onProceed?()
            letGo()
        }
    }

    public func suspend() {
        guard machine.suspend() else { return }
        hold.hold()
        eventLog.send(.suspended)
    }

    public func cancel() async {
        await end(as: .cancelled, AsyncNetError(.cancelled))
    }

    /// Starts the request unless somebody has, or holds it back.
    package func startIfNeeded() async {
        if machine.state == .initialized { await resume() }
    }

    /// Waits until nothing of the transfer runs any more, which may be a moment after the outcome.
    package func drained() async {
        await driver?.value
    }

    /// Ends the request from where nobody can wait for that.
    package nonisolated func cancelSoon() {
        host.mailbox.post { await self.cancel() }
    }

    package nonisolated func suspendSoon() { host.mailbox.post { await self.suspend() } }
    package nonisolated func resumeSoon() { host.mailbox.post { await self.resume() } }

    /// Ends the request from outside the transfer, as a timeout does.
    package func fail(_ error: AsyncNetError) async {
        await end(as: .finished, error)
    }

    private func start() async {
        hold.release()
        let refusal = await host.begin(self)
        if let refusal { return conclude(TransferOutcome(error: refusal)) }
        guard !machine.isTerminal else {
            await host.end(id)
            return host.drained()
        }
        driver = Task {
            let outcome = await host.perform(self)
            await holdBackIfSuspended()
            await host.end(id)
            // Nothing is awaited from here on: the waiters go on with this thread instead of having another one woken.
            conclude(outcome)
            driver = nil
            host.drained()
        }
    }

    private func end(as state: RequestState, _ error: AsyncNetError) async {
        guard !machine.isTerminal else { return }
        conclude(record.outcome(error), as: state)
        driver?.cancel()
        await host.end(id)
    }

    /// The first end counts; a later one, such as that of a transfer that was cancelled, changes nothing.
    ///
    /// Not inlined, like all here that is large and does not suspend: an async function's frame lives for as long as it
    /// waits.
    @inline(never)
    private func conclude(_ outcome: TransferOutcome, as state: RequestState? = nil) {
        let state = state ?? (outcome.error?.code == .cancelled ? .cancelled : .finished)
        guard machine.end(as: state) else { return }
        self.outcome = outcome
        for waiter in waiters.values { waiter.resume(returning: outcome) }
        waiters = [:]
        onProceed = nil
        sink?.requestEnded(outcome.error)
        letGo()
        eventLog.send(.finished(outcome.error))
        eventLog.finish()
        downloads.finish()
        uploads.finish()
    }

    private func letGo() {
        hold.release()
        for continuation in resumption { continuation.resume() }
        resumption = []
    }

    // MARK: Waiting

    /// Starts the request unless it is suspended, and waits for its end; any number may wait.
    package func transferOutcome() async -> TransferOutcome {
        if let outcome { return await validated(outcome) }
        if Task.isCancelled {
            if waiters.isEmpty, arriving == 0 { await cancel() }
            return outcome ?? record.outcome(AsyncNetError(.cancelled))
        }
        arriving += 1
        if machine.state == .initialized { await resume() }
        arriving -= 1
        if let outcome { return await validated(outcome) }
        nextWaiter += 1
        let id = nextWaiter
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiters[id] = $0 }
        } onCancel: {
            host.mailbox.post { await self.leave(id) }
        }
        return await validated(outcome)
    }

    /// A waiter's task was cancelled: it goes at once, and with the last one the request ends.
    private func leave(_ waiter: Int) async {
        guard let continuation = waiters.removeValue(forKey: waiter) else { return }
        guard waiters.isEmpty, arriving == 0 else {
            return continuation.resume(returning: record.outcome(AsyncNetError(.cancelled)))
        }
        waiters[waiter] = continuation
        await cancel()
    }

    /// Runs the validators that came after the transfer had taken its own.
    ///
    /// Another waiter may have run them since this one was resumed: then the outcome is the one that was left.
    private func validated(_ own: TransferOutcome) async -> TransferOutcome {
        guard own.error == nil, let outcome else { return own }
        guard outcome.error == nil, lateValidation != nil || !validators.isEmpty else { return outcome }
        return await validatedLate(own)
    }

    /// A waiter whose task is cancelled leaves at once; the validators go on for the others.
    private func validatedLate(_ own: TransferOutcome) async -> TransferOutcome {
        while let outcome, outcome.error == nil, lateValidation != nil || !validators.isEmpty {
            let end = lateValidation ?? beginLateValidation(of: outcome)
            do throws(AsyncNetError) { try await end.value() } catch { return outcome.failing(with: error) }
        }
        return outcome ?? own
    }

    /// In a task that the request owns, since its validators may block. It ends when they do.
    private func beginLateValidation(of outcome: TransferOutcome) -> Promise<Void> {
        let (validators, end) = (takeValidators(), Promise<Void>())
        lateValidation = end
        Task {
            self.outcome = await outcome.validated(by: validators)
            lateValidation = nil
            end.fulfil(.success(()))
        }
        return end
    }

    // MARK: What the transfer asks and tells

    /// Counts an attempt.
    ///
    /// - Returns: The validators so far, to judge a head by as soon as it comes; `nil` if the request is over.
    @inline(never)
    package func beginAttempt(onProceed: @escaping @Sendable () -> Void) -> [Validator]? {
        guard let request = record.request, let number = machine.beginAttempt() else { return nil }
        self.onProceed = onProceed
        record.beginAttempt(number)
        eventLog.send(.attempt(number, request.head))
        return validators
    }

    /// Waits for as long as the request is suspended.
    package func holdBackIfSuspended() async {
        guard machine.state == .suspended else { return }
        await withCheckedContinuation { resumption.append($0) }
    }

    /// The validators to run at the end of the transfer; those that come later run when the outcome is asked for.
    package func takeValidators() -> [Validator] {
        defer { validators = [] }
        return validators
    }

    package func add(_ validator: Validator) { validators.append(validator) }

    /// Changes what the request was told; what is set after the start may come too late.
    package func set(_ change: (inout RequestOptions) -> Void) { change(&options) }
}
