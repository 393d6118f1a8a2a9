/// Makes attempts until neither the sink nor a retrier wants another: adapters run before each attempt, retriers after
/// it. A circuit that opens before a retry ends the request as the attempt before the retry did.
struct Attempts<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    /// - Parameter request: The request before adapters: each attempt adapts it anew.
    func send(_ request: TransportRequest, in first: Attempt) async throws -> Next {
        let run = first.run
        depositBudget(request, run)
        var attempt = first
        while true {
            attempt.number += 1
            run.observers?.beginAttempt(attempt.number, request.urlTemplate)
            run.watch.endHops()
            let next = await result(of: attempt, request)
            if case .fail(let error) = next, error.code == .circuitOpen, let earlier = run.record.restore() {
                return earlier.error.map { .fail($0) } ?? .done
            }
            guard case .again(let delay) = next else { return next }
            guard await run.pause(delay) else { throw AsyncNetError(.cancelled) }
            run.record.restart(with: request)
        }
    }

    private func depositBudget(_ request: TransportRequest, _ run: RequestRun) {
        guard run.hasRetriers || run.policies.list.hedging != nil else { return }
        run.environment.limits.budgets?.deposit(host: request.head.url.origin)
    }

    // MARK: One attempt

    private func result(of attempt: Attempt, _ request: TransportRequest) async -> Next {
        do {
            let next = try await sendAdapted(request, in: attempt)
            guard case .done = next else { return next }
            if attempt.run.record.isCollected, !attempt.run.policies.validators.isEmpty {
                try await validate(attempt.run)
            }
        } catch {
            return await afterFailure(error, attempt)
        }
        return await attempt.run.next(afterAttempt: attempt.number, nil) ?? .done
    }

    private func afterFailure(_ error: any Error, _ attempt: Attempt) async -> Next {
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        attempt.run.watch.endTransfer()
        return await attempt.run.next(afterAttempt: attempt.number, error) ?? .fail(error)
    }

    /// Adapts the request again if its credential was replaced, or is about to be, while it waited for its permit.
    private func sendAdapted(_ request: TransportRequest, in unsent: Attempt) async throws -> Next {
        var attempt = unsent
        var hasBegun = false
        while true {
            (attempt.credential, attempt.isStoredOnly) = (unsent.credential, false)
            let prepared = try await prepared(request, for: &attempt, hasBegun)
            hasBegun = true
            do { return try await rest.send(prepared, in: attempt) } catch is ReplacedCredential {
                attempt.run.record.restart(with: request)
            }
        }
    }

    private func prepared(_ request: TransportRequest, for attempt: inout Attempt, _ hasBegun: Bool) async throws
        -> TransportRequest
    {
        let adapted = attempt.run.hasAdapters ? try await adaptedForNetwork(request, &attempt, hasBegun) : request
        let prepared = try await attempt.run.prepare(adapted)
        if !hasBegun { try await begin(attempt, prepared) }
        return prepared
    }

    private func begin(_ attempt: Attempt, _ request: TransportRequest) async throws {
        await attempt.run.waitWhileSuspended()
        guard await attempt.run.beginAttempt(attempt.number, request.head) else { throw AsyncNetError(.cancelled) }
    }

    /// Validators of a whole response in memory; the head of a download or stream was validated before its body was
    /// read.
    private func validate(_ run: RequestRun) async throws {
        guard let response = run.record.collectedResponse else { return }
        do throws(AsyncNetError) { try await run.policies.validators.check(response) } catch {
            run.send(.validated(error))
            throw error
        }
        run.send(.validated(nil))
    }

    // MARK: Adapters

    /// Adapts the request; with a cache first with an expired credential, which is refreshed only if the request is sent.
    ///
    /// - Parameter isRepeated: Whether the credential was replaced: it is not deferred again.
    private func adaptedForNetwork(_ request: TransportRequest, _ attempt: inout Attempt, _ isRepeated: Bool)
        async throws
        -> TransportRequest
    {
        let (run, credential) = (attempt.run, attempt.credential)
        if !isRepeated, run.environment.cache != nil, run.carrier == nil, !run.policies.list.credentialKeepers.isEmpty {
            let deferral = RefreshDeferral()
            let adapted = try await adapted(request, &attempt, deferral)
            if !deferral.isDeferred { return adapted }
            attempt.isStoredOnly = await attempt.needsNoServer(adapted)
            if attempt.isStoredOnly { return adapted }
            attempt.credential = credential
            run.record.restart(with: request)
        }
        return try await adapted(request, &attempt, nil)
    }

    private func adapted(
        _ request: TransportRequest, _ attempt: inout Attempt, _ deferral: RefreshDeferral?
    ) async throws -> TransportRequest {
        let run = attempt.run
        var adapted = request
        let context = run.context(attempt: run.sink.failedAttempts.map { $0 + 1 } ?? attempt.number, deferral)
        for policy in run.policies.list.adapters {
            try Task.checkCancellation()
            do { adapted = try await policy.adapt(adapted, context) } catch {
                if error is CancellationError, !Task.isCancelled {
                    throw AsyncNetError(.adaptationFailed, underlyingError: error)
                }
                throw AsyncNetError(wrapping: error, as: .adaptationFailed)
            }
        }
        takeCredential(of: &adapted, for: &attempt)
        try adapted.check()
        let settled = try adapted.settled()
        run.record.willSend(settled)
        run.sendOwn(.adapted(settled.head))
        return settled
    }

    /// Userinfo in a URL that an adapter sets becomes the credential, unless the request has one for that origin.
    private func takeCredential(of adapted: inout TransportRequest, for attempt: inout Attempt) {
        guard let credential = Credential.take(from: &adapted),
            attempt.credential?.origin != adapted.head.url.origin
        else { return }
        attempt.credential = OriginCredential(credential: credential, origin: adapted.head.url.origin)
    }
}

extension RequestRun {
    /// The request with what the run's sink adds, such as a `Range`.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var timed = request
        if let timeout { timed.timeout = timeout }
        if !policies.decodesContent { timed.keepContentCoding() }
        let prepared = try await sink.prepare(timed)
        guard prepared.delivery == .asItArrives else { return prepared }
        try prepared.check()
        record.willSend(prepared)
        return prepared
    }
}

/// Ends the attempt, or the request if no retrier can follow the attempt, when the server is silent for the timeout or
/// the attempt takes too long. The wait for a permit is over before this station and does not count.
struct AttemptLimits<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        let run = attempt.run
        defer { run.watch.stop() }
        guard run.separatesAttempts else {
            watchForSilence(request, run, nil)
            return try await rest.send(request, in: attempt)
        }
        let task = AttemptTask(run.trace)
        watchForSilence(request, run, task)
        let timer = limitDuration(of: task, run)
        defer { timer.map(run.environment.timers.cancel) }
        return try await task.run(on: run.environment.timers.time.executor) { [rest] in
            try await rest.send(request, in: attempt)
        }
    }

    private func limitDuration(of task: AttemptTask, _ run: RequestRun) -> TimerQueue.Timer? {
        guard let limit = run.policies.attemptTimeout else { return nil }
        let timers = run.environment.timers
        return timers.schedule(at: timers.time.now + min(max(limit, .zero), .longestWait)) {
            guard run.sink.isOpenEnded else {
                task.fail(AsyncNetError(.timedOut, "The attempt did not end within its attemptTimeout of \(limit)"))
                return nil
            }
            guard run.record.head == nil else { return nil }
            let reason = "The response of the attempt did not begin within its attemptTimeout of \(limit)"
            task.fail(AsyncNetError(.timedOut, reason))
            return nil
        }
    }

    private func watchForSilence(_ request: TransportRequest, _ run: RequestRun, _ task: AttemptTask?) {
        let timeout = request.timeout ?? run.environment.configuration.timeout
        run.watch.start(
            run.environment.timers, timeout: timeout, task.map(SilenceHandler.attempt) ?? .request(run))
    }
}
