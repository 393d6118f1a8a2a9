import Foundation

/// Makes one transfer for several equal requests, or several transfers for one request: only for responses that are
/// kept in memory.
struct Sharing<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        if attempt.run.context.carrier == nil, !attempt.isStoredOnly {
            if isShared(request, attempt.run) { return try await share(request, attempt) }
            if let hedging = hedging(request, attempt.run) { return try await hedge(request, by: hedging, attempt) }
        }
        return try await rest.response(to: request, in: attempt)
    }

    private func isShared(_ request: TransportRequest, _ run: RequestRun) -> Bool {
        guard run.environment.configuration.coalescesRequests, run.sink.delivery == .whole,
            request.body.isNone, request.head.method == .get || request.head.method == .head,
            case .follow = run.policies.redirects.handler.choice
        else { return false }
        return true
    }

    private func flightKey(_ request: TransportRequest, _ attempt: Attempt) -> FlightKey {
        let policies = attempt.run.policies
        return FlightKey(
            method: request.head.method, url: request.head.url.absoluteString, headers: request.head.headers,
            credential: attempt.credential?.credential, maximumBodySize: policies.maximumBodySize,
            timeouts: [request.timeout, policies.attemptTimeout],
            allowsInsecure: policies.redirects.handler.allowsInsecure,
            confidentialHeaders: policies.redirects.handler.confidentialHeaders,
            cacheMode: policies.cacheMode ?? request.cacheMode, decodesContent: policies.decodesContent,
            addresses: policies.addresses, scope: attempt.run.context.scoped.map(ObjectIdentifier.init))
    }

    /// Waits for the transfer with this key. If the other requests abandoned the transfer just as this request joined,
    /// a new transfer replaces it: a limited number of times, since a transport may itself fail with `.cancelled`.
    private func share(_ request: TransportRequest, _ attempt: Attempt) async throws -> Response {
        let (flights, key) = (attempt.run.environment.limits.flights, flightKey(request, attempt))
        var rest = 10
        while true {
            let shared = flights.join(key) {
                transfer(of: request, attempt, SharedEvents(attempt.run.environment.events))
            }
            attempt.run.send(.shared)
            shared.events?.join(attempt.run.watch.events)
            defer { shared.events?.leave(attempt.run.watch.events) }
            let outcome = await shared.outcome()
            if shared.isOver { flights.leave(key, shared) }
            rest -= 1
            if outcome.error?.code == .cancelled, !Task.isCancelled, rest > 0 { continue }
            return try response(of: outcome, to: request, attempt)
        }
    }

    /// The request's hedging policy; `nil` if the request is not hedged, or must not be sent twice.
    private func hedging(_ request: TransportRequest, _ run: RequestRun) -> HedgingPolicy? {
        guard let hedging = run.policies.list.hedging, hedging.limit > 0, run.sink.delivery == .whole,
            RetryPolicy.idempotentMethods.contains(request.head.method), request.body.replay != .once
        else { return nil }
        return hedging
    }

    /// Returns the first response, or throws the last transfer's error once all transfers have failed.
    @inline(never)
    private func hedge(_ request: TransportRequest, by hedging: HedgingPolicy, _ attempt: Attempt) async throws
        -> Response
    {
        let (environment, origin) = (attempt.run.environment, request.head.url.origin)
        let delay = environment.delay(of: hedging, origin)
        let outcome = await withTaskGroup(of: TransferOutcome?.self) { group in
            let send: @Sendable () async -> TransferOutcome? = {
                await environment.timed(transfer(of: request, attempt), hedging, origin)
            }
            group.addTask { await send() }
            if let delay { group.addTask { await environment.alarm(delay) } }
            var (running, sent, last) = (1, 1, TransferOutcome?.none)
            for await outcome in group {
                if let outcome {
                    running -= 1
                    last = outcome
                    if outcome.error == nil || running == 0 { break }
                } else if let delay, sent <= hedging.limit,
                    environment.limits.budgets?.withdraw(origin: origin) != false
                {
                    (running, sent) = (running + 1, sent + 1)
                    attempt.run.send(.hedged(sent))
                    group.addTask { await send() }
                    if sent <= hedging.limit { group.addTask { await environment.alarm(delay) } }
                }
            }
            group.cancelAll()
            return last
        }
        guard let outcome else { throw AsyncNetError(.cancelled) }
        return try response(of: outcome, to: request, attempt)
    }

    private func transfer(of request: TransportRequest, _ attempt: Attempt, _ shared: SharedEvents? = nil)
        -> SideTransfer
    {
        let run = attempt.run
        let branch: TraceBranch = shared == nil ? .hedged : .shared
        var context = run.serving(run.policies.ofTransfer, MemorySink(), role: .transfer, trace: branch)
        if let shared { context.events = shared }
        let side = RequestRun(context)
        return SideTransfer(run.environment.transfers, on: run.environment.timers.time.executor, shared) {
            [rest, credential = attempt.credential] in await side.outcome(over: rest, request, credential)
        }
    }

    /// The response of a shared or hedged transfer, recorded as if this run had made the transfer.
    private func response(of outcome: TransferOutcome, to request: TransportRequest, _ attempt: Attempt) throws
        -> Response
    {
        if let head = outcome.head { attempt.run.watch.receivedFinal(head) }
        attempt.run.record.adopt(outcome)
        if let error = outcome.error {
            guard error.code != .cancelled, let head = outcome.head,
                let refusal = attempt.refusal(of: head, to: request.head), !refusal.dependsOnBody
            else { throw error.withoutContext }
            throw refusal.error
        }
        guard let head = outcome.head else { throw AsyncNetError(.badServerResponse) }
        let message = TransportResponse(head: head, body: TransportBody(outcome.data ?? Data()))
        return Response(message, to: outcome.request ?? request)
    }
}

extension Environment {
    fileprivate func delay(of hedging: HedgingPolicy, _ origin: String) -> Duration? {
        switch hedging.delay {
        case .fixed(let delay): delay
        case .percentile(let part, let minimum):
            limits.durations.withValue(of: origin, default: LatestDurations()) { $0.percentile(part) }
                .map { max($0, minimum) }
        }
    }

    /// - Returns: `nil` when the delay is over, an error if it was cancelled.
    fileprivate func alarm(_ delay: Duration) async -> TransferOutcome? {
        let time = timers.time
        guard (try? await time.sleep(until: time.now + min(delay, .longestWait))) != nil else {
            return TransferOutcome(error: AsyncNetError(.cancelled))
        }
        return nil
    }

    fileprivate func timed(_ transfer: SideTransfer, _ hedging: HedgingPolicy, _ origin: String) async
        -> TransferOutcome?
    {
        let outcome = await transfer.outcome()
        let isStored = outcome.metrics.cacheOutcome == .hit || outcome.metrics.cacheOutcome == .stale
        if outcome.error == nil, !isStored, case .percentile = hedging.delay {
            limits.durations.withValue(of: origin, default: LatestDurations()) { $0.add(outcome.metrics.total) }
        }
        return outcome
    }
}
