/// The stations that a request passes between its start and its outcome.
enum Pipeline {
    /// The stations in order: each calls the next and returns its response, the last calls the transport.
    ///
    /// To add a station, write its type in a file of its own, and add it to this list or to `transfer`.
    static var stations: some Station {
        Deadline( // ends the request when its time is over
            rest: Attempts( // adapters before each attempt, the body and retriers after its response
                rest: Sharing( // one transfer for equal requests; several for a request that is hedged
                    rest: transfer)))
    }

    /// The stations for all hops of an attempt; shared and hedged requests and revalidations pass them too.
    static var transfer: some Station {
        FollowUps( // redirects and challenges: one hop after another
            rest: Bridge( // cookies, and the request's settings for the transport
                rest: Caching( // stored responses; stores responses
                    rest: Admission( // circuit breaker, rate and permit of the hop's origin
                        rest: Silence( // ends the attempt when the server is silent or the attempt takes too long
                            rest: Sending()))))) // one hop over the transport
    }
}

/// Ends the request when its deadline is over.
struct Deadline<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        guard let timer = try start(attempt.run) else { return try await rest.response(to: request, in: attempt) }
        defer { attempt.run.environment.timers.cancel(timer) }
        return try await rest.response(to: request, in: attempt)
    }

    /// - Throws: `.deadlineExceeded` if the deadline is over before the request is sent.
    private func start(_ run: RequestRun) throws(AsyncNetError) -> TimerQueue.Timer? {
        guard let deadline = run.policies.deadline, let end = run.policies.end else { return nil }
        @Sendable func error() -> AsyncNetError {
            AsyncNetError(.deadlineExceeded, "The request did not end within its deadline of \(deadline)")
        }
        guard end > run.environment.timers.time.now else { throw error() }
        return run.environment.timers.schedule(at: end) {
            run.fail(error())
            return nil
        }
    }
}

extension RequestRun {
    @concurrent
    func outcome(of blueprint: RequestBlueprint) async -> TransferOutcome {
        record.begin(environment.timers.time)
        do {
            let first = assembled(try await blueprint.make(), context.credential)
            self.first.withLock { $0 = first }
            return await outcome(first.request, first.credential)
        } catch {
            return record.outcome(error)
        }
    }

    func outcome(_ request: TransportRequest, _ credential: OriginCredential?) async -> TransferOutcome {
        await outcome(credential) { attempt in _ = try await Pipeline.stations.response(to: request, in: attempt) }
    }

    /// The outcome of a single attempt over these stations, for a run that serves another run.
    func outcome(over stations: some Station, _ request: TransportRequest, _ credential: OriginCredential?) async
        -> TransferOutcome
    {
        record.begin(environment.timers.time)
        record.willSend(request)
        return await outcome(credential) { attempt in _ = try await attempt.exchange(request, over: stations) }
    }

    private func outcome(_ credential: OriginCredential?, _ work: (Attempt) async throws -> Void) async
        -> TransferOutcome
    {
        do {
            try await work(Attempt(run: self, credential: credential))
            return record.outcome(nil)
        } catch {
            return record.outcome(AsyncNetError(wrapping: error, as: .transportFailed))
        }
    }

    /// Userinfo in a URL becomes a credential, so that it is neither sent without a challenge nor shown in an error.
    private func assembled(_ made: TransportRequest, _ own: PasswordCredential?) -> (
        request: TransportRequest, credential: OriginCredential?
    ) {
        var request = made
        let userinfo = PasswordCredential.take(from: &request)
        record.willSend(request)
        return (request, (own ?? userinfo).map { OriginCredential(credential: $0, origin: request.head.url.origin) })
    }
}
