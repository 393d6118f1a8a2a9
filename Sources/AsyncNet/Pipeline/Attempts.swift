/// Makes attempts until neither the sink nor a retrier wants another: adapters run before each attempt, retriers after
/// it. If the origin's circuit opens before a retry, the request ends with the result of the attempt before.
struct Attempts<Rest: Station>: Station {
    let rest: Rest

    /// - Parameter request: The request before adapters: each attempt adapts it anew.
    func response(to request: TransportRequest, in first: Attempt) async throws -> Response {
        let run = first.run
        if !run.policies.list.retriers.isEmpty || run.policies.list.hedging != nil {
            run.environment.limits.budgets?.deposit(origin: request.head.url.origin)
        }
        var attempt = first
        var earlier: Response?
        while true {
            attempt.number += 1
            run.context.observers?.beginAttempt(attempt.number, request.urlTemplate)
            let result = await result(of: attempt, request)
            switch await next(after: result, attempt) {
            case .end: return try Self.end(result, run, earlier)
            case .fail(let error): return try Self.end(.failure(error), run, earlier)
            case .again(let delay):
                if case .success(let response) = result { earlier = response }
                guard await run.pause(delay) else { throw AsyncNetError(.cancelled) }
                run.record.restart(with: request)
            }
        }
    }

    private func next(after result: Result<Response, any Error>, _ attempt: Attempt) async -> Next {
        var decisions = RetryDecisions(attempt)
        switch result {
        case .success(let response): return await decisions.next(after: .success(response))
        case .failure(let repetition as Repetition): return repetition.next
        case .failure(let error):
            let error = AsyncNetError(wrapping: error, as: .transportFailed)
            return await decisions.next(after: .failure(error))
        }
    }

    /// - Parameter earlier: The last earlier attempt's response, if an attempt had one.
    private static func end(
        _ result: Result<Response, any Error>, _ run: RequestRun, _ earlier: Response?
    ) throws -> Response {
        guard case .failure(let error as AsyncNetError) = result, error.code == .circuitOpen,
            let kept = run.record.restore()
        else { return try result.get() }
        if let error = kept.error { throw error }
        return try earlier ?? result.get()
    }

    private func result(of attempt: Attempt, _ request: TransportRequest) async -> Result<Response, any Error> {
        do {
            let response = try await sendAdapted(request, in: attempt)
            try await validate(response, attempt.run)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Adapts the request and sends it; adapts it again each time that ``ReplacedCredential`` is thrown.
    private func sendAdapted(_ request: TransportRequest, in unsent: Attempt) async throws -> Response {
        var attempt = unsent
        var hasBegun = false
        while true {
            (attempt.credential, attempt.isStoredOnly) = (unsent.credential, false)
            let prepared = try await prepared(request, for: &attempt, hasBegun)
            hasBegun = true
            do { return try await attempt.exchange(prepared, over: rest) } catch is ReplacedCredential {
                attempt.run.record.restart(with: request)
            }
        }
    }

    private func prepared(_ request: TransportRequest, for attempt: inout Attempt, _ isRepeated: Bool) async throws
        -> TransportRequest
    {
        let run = attempt.run
        let adapted =
            run.policies.list.adapters.isEmpty
            ? request : try await adaptedForNetwork(request, &attempt, isRepeated)
        let prepared = try await run.prepare(adapted)
        guard !isRepeated else { return prepared }
        await run.waitWhileSuspended()
        guard run.beginAttempt(prepared.head) else { throw AsyncNetError(.cancelled) }
        return prepared
    }

    /// Runs the validators on a whole response in memory. The head of a download or stream was validated before its
    /// body was read.
    private func validate(_ response: Response, _ run: RequestRun) async throws {
        guard run.sink.delivery == .whole, !run.policies.validators.isEmpty, let data = response.data else { return }
        let raw = RawResponse(requestHead: response.request.head, head: response.head, data: data)
        do throws(AsyncNetError) { try await run.policies.validators.check(raw) } catch {
            run.send(.validated(error))
            throw error
        }
        run.send(.validated(nil))
    }

    /// Adapts the request. With a cache, an expired credential is refreshed only if no stored response can be used.
    private func adaptedForNetwork(_ request: TransportRequest, _ attempt: inout Attempt, _ isRepeated: Bool)
        async throws -> TransportRequest
    {
        let run = attempt.run
        guard !isRepeated, run.environment.cache != nil, run.context.carrier == nil,
            !run.policies.list.credentialKeepers.isEmpty
        else { return try await adapted(request, &attempt, nil) }
        let deferral = RefreshDeferral()
        let adapted = try await adapted(request, &attempt, deferral)
        attempt.isStoredOnly = deferral.isDeferred
        return adapted
    }

    private func adapted(
        _ request: TransportRequest, _ attempt: inout Attempt, _ deferral: RefreshDeferral?
    ) async throws -> TransportRequest {
        let run = attempt.run
        var adapted = request
        let number = run.sink.failedAttempts.map { $0 + 1 } ?? attempt.number
        let context = RequestContext(of: run, attempt: number, deferral)
        for policy in run.policies.list.adapters {
            try Task.checkCancellation()
            do { adapted = try await policy.adapt(adapted, context) } catch {
                if error is CancellationError, !Task.isCancelled {
                    throw AsyncNetError(.adaptationFailed, underlyingError: error)
                }
                throw AsyncNetError(wrapping: error, as: .adaptationFailed)
            }
        }
        // Userinfo in a URL that an adapter has set becomes the credential, unless there is one for that origin.
        if let taken = PasswordCredential.take(from: &adapted), attempt.credential?.origin != adapted.head.url.origin {
            attempt.credential = OriginCredential(credential: taken, origin: adapted.head.url.origin)
        }
        try adapted.check()
        let settled = try adapted.settled()
        run.record.willSend(settled)
        run.sendOwn(.adapted(settled.head))
        return settled
    }
}

extension RequestRun {
    /// The request with the headers that the run's sink adds, such as `Range`.
    func prepare(_ request: TransportRequest) async throws -> TransportRequest {
        var timed = request
        if let timeout = policies.timeout { timed.timeout = timeout }
        if !policies.decodesContent { timed.keepContentCoding() }
        guard sink.delivery == .asItArrives else { return timed }
        let prepared = try await sink.prepare(timed)
        try prepared.check()
        record.willSend(prepared)
        return prepared
    }
}
