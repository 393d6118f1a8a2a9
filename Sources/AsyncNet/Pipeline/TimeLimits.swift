/// Ends the request when its deadline is over.
struct Deadline<Rest: Station>: Station {
    private let rest: Rest

    init(_ rest: Rest) { self.rest = rest }

    func send(_ request: TransportRequest, in attempt: Attempt) async throws -> Next {
        guard let timer = start(attempt.run) else { return try await rest.send(request, in: attempt) }
        defer { attempt.run.environment.timers.cancel(timer) }
        return try await rest.send(request, in: attempt)
    }

    @inline(never)
    private func start(_ run: RequestRun) -> TimerQueue.Timer? {
        guard let deadline = run.policies.deadline, let end = run.policies.end else { return nil }
        return run.environment.timers.schedule(at: end) {
            run.fail(
                AsyncNetError(.deadlineExceeded, "The request did not end within its deadline of \(deadline)"))
            return nil
        }
    }
}

/// Ends the attempt, or the request if it has no other attempt, when the server is silent for too long or the attempt
/// takes too long. Waiting for a permit, which happens above, does not count.
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
        let task = AttemptTask()
        watchForSilence(request, run, task)
        let timer = limitDuration(of: task, run)
        defer { timer.map(run.environment.timers.cancel) }
        return try await task.run { [rest] in try await rest.send(request, in: attempt) }
    }

    @inline(never)
    private func limitDuration(of task: AttemptTask, _ run: RequestRun) -> TimerQueue.Timer? {
        guard let limit = run.policies.attemptTimeout else { return nil }
        let timers = run.environment.timers
        return timers.schedule(at: timers.time.now + min(max(limit, .zero), .longestWait)) {
            task.fail(AsyncNetError(.timedOut, "The attempt did not end within \(limit)"))
            return nil
        }
    }

    @inline(never)
    private func watchForSilence(_ request: TransportRequest, _ run: RequestRun, _ task: AttemptTask?) {
        let timeout = request.timeout ?? run.environment.configuration.timeout
        run.watch.start(run.environment.timers, timeout: timeout) {
            let error = AsyncNetError(.timedOut, "The request timed out: nothing was sent or received for \(timeout)")
            if let task { task.fail(error) } else { run.fail(error) }
        }
    }
}
