/// Lets a transfer begin when circuit breaker, rate and concurrency allow it.
struct Admission<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        guard !attempt.run.environment.limits.isUnlimited else { return try await rest.send(request, in: attempt) }
        return try await sendAdmitted(request, in: attempt)
    }

    /// The rate comes before the permit: a request that waits for the former should not hold the latter.
    @inline(never)
    private func sendAdmitted(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        let (run, origin) = (attempt.run, request.head.url.origin)
        let limits = run.environment.limits
        var pass = try limits.breakers?.allow(host: origin)
        // Of the requests that share a transfer, one may have more time than the others.
        try await limits.rate?.acquire(host: origin, until: run.owner == nil ? nil : run.policies.end)
        run.hold(try await limits.queue?.acquire(host: origin, priority: run.policies.priority))
        defer { run.releasePermit() }
        if await hasReplacedCredential(request, run) { throw ReplacedCredential() }
        // Other requests may have found meanwhile that the origin fails.
        if let waited = pass, !waited.isCurrent { pass = try limits.breakers?.allow(host: origin) }
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

/// A request waited for its permit for so long that the server would refuse its credential.
struct ReplacedCredential: Error {}

/// What the end of a transfer means for its origin's circuit breaker.
extension RequestRun {
    fileprivate func verdict(on origin: String) -> HostVerdict {
        guard !isRedirected(from: origin), let head = record.head else { return .success }
        return HostVerdict(statusCode: head.statusCode)
    }

    fileprivate func verdict(on origin: String, after error: any Error) async -> HostVerdict {
        guard !isRedirected(from: origin) else { return .success }
        let code = AsyncNetError(wrapping: error, as: .transportFailed).code
        if Self.refusals.contains(code), let head = record.head { return HostVerdict(statusCode: head.statusCode) }
        return HostVerdict(await cause(of: code))
    }

    /// Errors of validators that look at the head.
    private static let refusals: Set<AsyncNetError.Code> = [.unacceptableStatus, .unacceptableContentType]

    /// Whether the origin has responded with a redirect to another one.
    private func isRedirected(from origin: String) -> Bool {
        record.request.map { $0.head.url.origin != origin } ?? false
    }

    /// A transfer that silence or a deadline ends only sees a cancel. An origin that has begun to respond before the
    /// deadline does not hang.
    private func cause(of code: AsyncNetError.Code) async -> AsyncNetError.Code {
        guard code == .cancelled else { return code }
        if let end = policies.end, end <= environment.timers.time.now {
            return record.head == nil ? .deadlineExceeded : code
        }
        return await owner?.failure?.code ?? code
    }
}
