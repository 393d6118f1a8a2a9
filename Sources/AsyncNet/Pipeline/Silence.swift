/// Ends the attempt, or the request if the attempt cannot end alone, when the server is silent for the timeout or the
/// attempt takes too long. The first hop's wait for its permit does not count; the body is read after this station,
/// see ``Attempt/interruptibly(_:)``.
struct Silence<Rest: Station>: Station {
    let rest: Rest

    func response(to request: TransportRequest, in attempt: Attempt) async throws -> Response {
        let run = attempt.run
        let timeout = request.timeout ?? run.environment.configuration.timeout
        run.watch.begin(
            run.environment.timers, timeout: timeout, attempt.task.map(SilenceHandler.attempt) ?? .request(run))
        attempt.task?.beginTime { limitDuration(of: $0, run) }
        guard attempt.task != nil else { return try await rest.response(to: request, in: attempt) }
        return try await attempt.interruptibly { [rest] in try await rest.response(to: request, in: attempt) }
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
}

extension Attempt {
    /// Runs a part of the attempt that waits for the server, so that a timeout can end the attempt alone.
    func interruptibly<Value: Sendable>(_ part: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let task else { return try await part() }
        return try await task.run(on: run.environment.timers.time.executor, part)
    }
}
