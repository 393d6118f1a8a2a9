/// Starts a transfer when the circuit breaker, the rate limit and the concurrency limit allow it.
struct Admission<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        let (run, limits) = (attempt.run, attempt.run.environment.limits)
        guard !limits.isUnlimited else { return try await rest.send(request, in: attempt) }
        let origin = request.head.url.origin
        var pass = try limits.breakers?.allow(host: origin)
        // The rate limit is awaited before the permit: a request that waits for its rate should not hold a permit
        // meanwhile. A request that joins a shared transfer may have a later deadline than the request that began it.
        try await run.reportingWait(isLimited: limits.rate != nil || limits.queue != nil) {
            try await limits.rate?.acquire(host: origin, until: run.policies.isShared ? nil : run.policies.end)
            run.hold(try await limits.queue?.acquire(host: origin, priority: run.policies.priority))
        }
        defer { run.releasePermit() }
        if !attempt.isStoredOnly, await hasReplacedCredential(request, run) { throw ReplacedCredential() }
        // The breaker may have opened while this request waited.
        if let waited = pass, !waited.isCurrent { pass = try limits.breakers?.allow(host: origin) }
        if let pass {
            run.judge { [weak run] in
                if let run { pass.record(run.verdict(on: origin)) }
            }
        }
        defer { run.judge(by: nil) }
        do {
            let next = try await rest.send(request, in: attempt)
            pass?.record(run.verdict(on: origin))
            return next
        } catch {
            pass?.record(await run.verdict(on: origin, after: error))
            throw error
        }
    }

    private func hasReplacedCredential(_ request: TransportRequest, _ run: RequestRun) async -> Bool {
        for keeper in run.policies.list.credentialKeepers
        where await UserCode.run({ await keeper.hasReplacedCredential(request) }) { return true }
        return false
    }
}

extension RequestRun {
    fileprivate func reportingWait(isLimited: Bool, _ wait: () async throws -> Void) async throws {
        guard isLimited, areEventsObserved else { return try await wait() }
        let (time, start) = (environment.timers.time, environment.timers.time.now)
        send(.queued)
        try await wait()
        send(.admitted(after: time.now - start))
    }
}

/// The credential of a request was replaced while the request waited for its permit, or has expired and no stored response
/// answers the request: the server would refuse it.
struct ReplacedCredential: Error {}

/// What the end of a transfer counts as for the origin's circuit breaker.
extension RequestRun {
    fileprivate func verdict(on origin: String) -> HostVerdict {
        guard !isRedirected(from: origin), let head = record.head else { return .success }
        return HostVerdict(statusCode: record.replacedStatus ?? head.statusCode)
    }

    fileprivate func verdict(on origin: String, after error: any Error) async -> HostVerdict {
        guard !isRedirected(from: origin) else { return .success }
        let error = AsyncNetError(wrapping: error, as: .transportFailed)
        guard !error.isRefusedByProxy else { return .ignored }
        let code = error.code
        if Self.refusals.contains(code), let head = record.head { return HostVerdict(statusCode: head.statusCode) }
        return HostVerdict(await cause(of: code))
    }

    /// Errors of validators that look at the head.
    private static let refusals: Set<AsyncNetError.Code> = [.unacceptableStatus, .unacceptableContentType]

    /// Whether the origin responded with a redirect to another origin.
    private func isRedirected(from origin: String) -> Bool {
        record.request.map { $0.head.url.origin != origin } ?? false
    }

    /// A transfer that a timeout or a deadline ends fails with `.cancelled`; this is the reason for that cancel. A
    /// deadline is not held against an origin whose response had begun.
    private func cause(of code: AsyncNetError.Code) async -> AsyncNetError.Code {
        guard code == .cancelled else { return code }
        if let end = policies.end, end <= environment.timers.time.now {
            return record.head == nil ? .deadlineExceeded : code
        }
        guard let owner else { return code }
        return await owner.failure?.code ?? code
    }
}
