/// Sends a hop when the circuit breaker, the rate limit and the concurrency limit of its origin allow it.
struct Admission<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        guard !attempt.run.environment.limits.isUnlimited else {
            return try await rest.response(to: request, in: attempt)
        }
        let origin = request.head.url.origin
        // In an attempt that has sent a hop, the attempt's time limit runs on, and may end this wait.
        if attempt.task?.isTimed == true {
            try await attempt.interruptibly { [self] in try await admit(origin, attempt) }
        } else {
            try await admit(origin, attempt)
        }
        return try await rest.response(to: request, in: attempt)
    }

    private func admit(_ origin: String, _ attempt: Attempt) async throws {
        let (run, limits) = (attempt.run, attempt.run.environment.limits)
        var pass = try limits.breakers?.allow(origin: origin)
        // After an earlier hop the timer for the server's silence runs already; this wait must not count as silence.
        run.watch.pause()
        // The rate limit is awaited before the permit: a request that waits for its rate should not hold a permit
        // meanwhile. A shared transfer waits without a deadline: a request that joins it may have a later one.
        let start = run.environment.timers.time.now
        let isReported = run.watch.areEventsObserved && (limits.rate != nil || limits.queue != nil)
        if isReported { run.watch.send(.queued) }
        try await limits.rate?.acquire(origin: origin, until: run.policies.isShared ? nil : run.policies.end)
        // A suspended request gives its permit back, since its suspension may last for ever.
        repeat {
            await run.waitWhileSuspended()
            run.hold(try await limits.queue?.acquire(origin: origin, priority: run.policies.priority))
        } while Self.releasesPermit(ofSuspended: run)
        if isReported { run.watch.send(.admitted(after: run.environment.timers.time.now - start)) }
        if !attempt.isRedirected, await hasReplacedCredential(attempt) { throw ReplacedCredential() }
        // The breaker may have opened while this request waited.
        if let waited = pass, !waited.isCurrent { pass = try limits.breakers?.allow(origin: origin) }
        run.hold(pass)
    }

    private static func releasesPermit(ofSuspended run: RequestRun) -> Bool {
        guard run.hold.isHeld, !Task.isCancelled else { return false }
        run.releasePermit()
        return true
    }

    private func hasReplacedCredential(_ attempt: Attempt) async -> Bool {
        guard let request = attempt.hopRequest else { return false }
        for keeper in attempt.run.policies.list.credentialKeepers
        where await UserCode.run({ await keeper.hasReplacedCredential(request) }) { return true }
        return false
    }
}

extension Attempt {
    /// Ends the hop with this response, whose body has been read or is not needed. Further calls for the hop do
    /// nothing.
    ///
    /// - Parameter next: The request of the next hop. If it goes to the same origin, the origin's circuit breaker
    ///   counts the next hop's response instead of this one: a redirect before a failure must not count as success.
    func endHop(_ head: HTTPResponseHead, next: TransportRequest? = nil) {
        if let next, next.head.url.origin == head.url.origin { run.takePass()?.record(.ignored) }
        judgeHop(head)
        run.watch.endHop(.delivered)
        run.releasePermit()
    }

    /// Reports the hop's status to the origin's circuit breaker; the body may still be on its way.
    func judgeHop(_ head: HTTPResponseHead) { run.takePass()?.record(OriginVerdict(statusCode: head.statusCode)) }

    func failHop(_ error: any Error) async {
        let pass = run.takePass()
        run.watch.endHop(.init(error))
        if let pass { pass.record(await verdict(after: AsyncNetError(wrapping: error, as: .transportFailed))) }
        run.releasePermit()
    }

    private func verdict(after error: AsyncNetError) async -> OriginVerdict {
        guard !error.isRefusedByProxy else { return .ignored }
        if Self.refusals.contains(error.code), let head = run.record.head {
            return OriginVerdict(statusCode: head.statusCode)
        }
        return OriginVerdict(await cause(of: error.code))
    }

    /// Errors of validators that look at the head.
    private static let refusals: Set<AsyncNetError.Code> = [.unacceptableStatus, .unacceptableContentType]

    /// The code of the timeout or deadline that ended the transfer, if `code` is `.cancelled`; else `code`. A deadline
    /// does not count against an origin whose response had begun.
    private func cause(of code: AsyncNetError.Code) async -> AsyncNetError.Code {
        guard code == .cancelled else { return code }
        if let end = run.policies.end, end <= run.environment.timers.time.now {
            return run.record.head == nil ? .deadlineExceeded : code
        }
        guard let owner = run.context.owner else { return code }
        return await owner.failure?.code ?? code
    }
}
