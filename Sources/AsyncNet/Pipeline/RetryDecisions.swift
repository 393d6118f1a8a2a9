enum Next: Sendable {
    /// No further attempt: the request ends with the attempt's response or error.
    case end
    case again(after: Duration)
    /// The request ends with this error, as a retrier decided, or because the deadline would pass before the next
    /// attempt.
    indirect case fail(AsyncNetError)
}

/// Decides what follows an attempt, or the head of a response. After an error or a status of 400 or more, the retriers
/// decide in order, until one does not leave the decision to the next; then the sink, which may continue its body with
/// another response.
struct RetryDecisions {
    let run: RequestRun
    let number: Int
    /// Whether a retrier or the sink wanted another attempt and the retry budget refused it.
    private var isBudgetSpent = false

    init(_ attempt: Attempt) { (run, number) = (attempt.run, attempt.number) }

    mutating func next(after result: Result<Response, AsyncNetError>) async -> Next {
        let next = await decision(after: result)
        reportSpentBudget(before: next)
        return next
    }

    private mutating func decision(after result: Result<Response, AsyncNetError>) async -> Next {
        let error = result.error
        let own = run.sink.reconnection(after: error, head: run.record.head)
        if !run.policies.list.retriers.isEmpty, let failure = failure(result) {
            let next = await decisionOfRetriers(after: failure, otherwise: error, notBefore: own?.delay ?? .zero)
            if case .end = next {} else { return next }
        }
        guard let own, !Task.isCancelled, isInBudget(own), run.mayTryAgain() else { return .end }
        run.sendOwn(.retried(error, after: own.delay))
        return .again(after: own.delay)
    }

    /// A reconnection uses the retry budget only after a failure; any other reconnection counts as a new request.
    private mutating func isInBudget(_ reconnection: EventConnection.Reconnection) -> Bool {
        if reconnection.isRetry { return withdrawFromBudget() }
        run.environment.limits.budgets?.deposit(origin: origin)
        return true
    }

    /// The error that the retriers decide about; `nil` if they have nothing to decide.
    private func failure(_ result: Result<Response, AsyncNetError>) -> AsyncNetError? {
        switch result {
        case .failure(let error): canRepeat(after: error) ? run.record.outcome(error).error : nil
        // Retriers have decided about the head of a download or stream before its body was read.
        case .success(let response): run.sink.delivery == .whole ? refusal(response.head) : nil
        }
    }

    /// The error for a status of 400 or more that no validator has refused: retriers decide about it too.
    func refusal(_ head: HTTPResponseHead) -> AsyncNetError? {
        guard head.statusCode >= 400, canRepeat(after: nil) else { return nil }
        return AsyncNetError(.unacceptableStatus, "The response's status is \(head.statusCode)").with(
            run.record.outcome(nil).errorContext)
    }

    private func canRepeat(after error: AsyncNetError?) -> Bool {
        guard !Task.isCancelled, error?.code != .cancelled, error?.code != .deadlineExceeded,
            run.sink.canBeSentAgain(after: error)
        else { return false }
        return run.record.sentRequests.allSatisfy { $0.body.isReadable }
    }

    /// What follows the head of a response whose body is not read yet.
    mutating func next(afterRefusal error: AsyncNetError) async -> Next {
        let next = await decisionOfRetriers(after: error, otherwise: error)
        reportSpentBudget(before: next)
        return next
    }

    /// - Parameters:
    ///   - end: The error with which the request ends without another attempt; `nil` if its response is delivered.
    ///   - shortest: The shortest delay before another attempt.
    private mutating func decisionOfRetriers(
        after error: AsyncNetError, otherwise end: AsyncNetError?, notBefore shortest: Duration = .zero
    ) async -> Next {
        let context = RequestContext(of: run, attempt: run.sink.failedAttempts ?? number)
        for policy in run.policies.list.retriers {
            guard !Task.isCancelled, let decision = await policy.decision(after: error, context) else { return .end }
            switch decision.choice {
            case .doNotRetry: continue
            case .retry(let asked):
                let delay = max(asked, shortest)
                // The request fails now, since its deadline would pass during the delay.
                if let rest = run.remainingTime, rest <= delay { return .fail(Self.tooLate(delay, after: error)) }
                guard decision.isElsewhere || !isCircuitOpen(after: delay), !decision.isCharged || withdrawFromBudget(),
                    run.mayTryAgain()
                else { return .end }
                // If the circuit opens during the delay, the request ends with this outcome.
                if run.environment.limits.breakers != nil { run.record.keep(run.record.outcome(end)) }
                run.sendOwn(.retried(error, after: delay))
                return .again(after: delay)
            case .fail(let error): return .fail(error)
            }
        }
        return .end
    }

    private static func tooLate(_ delay: Duration, after error: AsyncNetError) -> AsyncNetError {
        let message =
            "The deadline ends before the next attempt, in \(delay); the last attempt failed: \(error.message)"
        return AsyncNetError(.deadlineExceeded, message, underlyingError: error)
    }

    private func isCircuitOpen(after delay: Duration) -> Bool {
        guard let breakers = run.environment.limits.breakers else { return false }
        return run.record.sentRequests.contains { breakers.isOpen(origin: $0.head.url.origin, after: delay) }
    }

    private mutating func withdrawFromBudget() -> Bool {
        let isInBudget = run.environment.limits.budgets?.withdraw(origin: origin) != false
        if !isInBudget { isBudgetSpent = true }
        return isInBudget
    }

    private func reportSpentBudget(before next: Next) {
        if isBudgetSpent, case .end = next { run.reportSpentBudget(ofAttempt: number) }
    }

    /// The origin of the request before adapters and redirects: that origin's budget has grown by the first attempt.
    private var origin: String {
        (run.first.withLock { $0?.request } ?? run.record.request)?.head.url.origin ?? ""
    }
}

extension RequestContext {
    init(of run: RequestRun, attempt: Int, _ deferral: RefreshDeferral? = nil) {
        let outcome = run.record.outcome(nil)
        self.init(
            id: run.id, attempt: attempt, request: outcome.request, response: outcome.head,
            remainingTime: run.remainingTime, metrics: outcome.metrics, time: run.environment.timers.time,
            redirected: run.record.redirectedRequests, onRefresh: run.watch.reportsRefresh, deferral: deferral,
            breakers: run.environment.limits.breakers, values: run.policies.values)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
