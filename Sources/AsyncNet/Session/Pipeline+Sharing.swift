import Foundation

/// Requests of the pipeline's own, which make the exchange in the request's place: one for several that are the same,
/// or several for one.
extension Pipeline {
    /// What tells requests that may share an answer; `nil` where none may.
    ///
    /// Everything that is sent, and what decides where credentials and redirects lead.
    var flightKey: FlightKey? {
        guard session.configuration.coalescesRequests, scope == .whole, request.sink == nil,
            let sent = request.record.request, sent.body.isNone,
            sent.head.method == .get || sent.head.method == .head, case .follow = policies.redirects.handler.choice
        else { return nil }
        let redirects = policies.redirects.handler
        return FlightKey(
            method: sent.head.method, url: sent.head.url.absoluteString, headers: sent.head.headers,
            credential: policies.credential,
            bodyLimit: policies.bodyLimit, timeouts: [policies.timeout ?? sent.timeout, policies.attemptTimeout],
            allowsInsecure: redirects.allowsInsecure, confidentialHeaders: redirects.confidentialHeaders)
    }

    /// Waits for the request of that kind that is under way. One that others gave up just as this one came is not its
    /// own; a transport that cancels by itself is another matter, and not asked for ever.
    func share(_ key: FlightKey) async throws -> RetryDecision.Choice {
        var rest = 10
        while true {
            let shared = session.limits.flights.join(key) { part() }
            let outcome = await shared.transferOutcome()
            // Who leaves before the end leaves it to the others.
            if await shared.isOver { session.limits.flights.leave(key, shared) }
            rest -= 1
            if outcome.error?.code == .cancelled, !Task.isCancelled, rest > 0 { continue }
            try adopt(outcome)
            return .doNotRetry
        }
    }

    // MARK: Hedging

    /// How to hedge this request; `nil` if it must not be.
    var hedging: HedgingPolicy? {
        guard scope == .whole, request.sink == nil, let hedging = policies.hedging, hedging.limit > 0,
            let sent = request.record.request,
            RetryPolicy.idempotentMethods.contains(sent.head.method), sent.body.replay != .once
        else { return nil }
        return hedging
    }

    /// The first answer counts. An error counts once nothing else is under way.
    func hedge(_ hedging: HedgingPolicy) async throws -> RetryDecision.Choice {
        let host = request.record.request?.head.url.origin ?? ""
        let outcome = await withTaskGroup(of: TransferOutcome?.self) { group in
            let delay = hedgingDelay(hedging, host)
            group.addTask { [self] in await timed(part(), host) }
            if let delay { group.addTask { [self] in await alarm(delay) } }
            var (running, sent, last) = (1, 1, TransferOutcome?.none)
            for await outcome in group {
                if let outcome {
                    running -= 1
                    last = outcome
                    if outcome.error == nil || running == 0 { break }
                } else if let delay, sent <= hedging.limit, session.limits.budgets?.withdraw(host: host) != false {
                    (running, sent) = (running + 1, sent + 1)
                    group.addTask { [self] in await timed(part(), host) }
                    if sent <= hedging.limit { group.addTask { [self] in await alarm(delay) } }
                }
            }
            group.cancelAll()
            return last
        }
        guard let outcome else { throw AsyncNetError(.cancelled) }
        try adopt(outcome)
        return .doNotRetry
    }

    private func hedgingDelay(_ hedging: HedgingPolicy, _ host: String) -> Duration? {
        switch hedging.delay.choice {
        case .fixed(let delay): delay
        case .percentile(let part, let minimum):
            session.limits.latencies(part).value(host: host).map { max($0, minimum) }
        }
    }

    /// `nil` is that its time has come; a cancelled one never comes to that.
    private func alarm(_ delay: Duration) async -> TransferOutcome? {
        let time = session.timers.time
        guard (try? await time.sleep(until: time.now + min(delay, .longestWait))) != nil else {
            return TransferOutcome(error: AsyncNetError(.cancelled))
        }
        return nil
    }

    private func timed(_ part: DataRequest, _ host: String) async -> TransferOutcome? {
        let outcome = await part.transferOutcome()
        if outcome.error == nil, case .percentile(let percentile, _)? = policies.hedging?.delay.choice {
            session.limits.latencies(percentile).add(outcome.metrics.total, host: host)
        }
        return outcome
    }

    // MARK: The requests

    /// Makes the exchange of the record's request.
    private func part() -> DataRequest {
        let sent = request.record.request
        let blueprint = RequestBlueprint {
            guard let sent else { throw AsyncNetError(.invalidRequest) }
            return sent
        }
        var options = RequestOptions()
        (options.bodyLimit, options.timeout, options.priority) = (
            .own(policies.bodyLimit), policies.timeout, policies.priority
        )
        (options.attemptTimeout, options.end) = (policies.attemptTimeout, policies.end)
        options.redirects = policies.redirects.handler
        // An adapter may have sent the request elsewhere.
        if policies.credentialOrigin == sent?.head.url.origin { options.credential = policies.credential }
        return DataRequest(blueprint, options: options, host: PartHost(session, scope: .exchange))
    }

    private func adopt(_ outcome: TransferOutcome) throws {
        if let head = outcome.head { request.eventLog.send(.response(head)) }
        request.record.adopt(outcome)
        if let error = outcome.error {
            guard error.code != .cancelled, let refusal = refusal(), !refusal.dependsOnBody else {
                throw error.withoutContext
            }
            return request.record.refused(refusal.error)
        }
        let count = Int64(outcome.data?.count ?? 0)
        request.downloads.send(TransferProgress(completedBytes: count, totalBytes: count, bytesPerSecond: 0))
    }
}
