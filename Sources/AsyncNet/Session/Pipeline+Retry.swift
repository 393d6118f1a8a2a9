/// From what an attempt ended in to what is done next.
extension Pipeline {
    enum Verdict {
        case deliver(TransferOutcome)
        case again(after: Duration)
    }

    /// What an attempt ended in.
    enum AttemptResult {
        case ended(TransferOutcome, validators: Int)
        /// A retrier has decided already, before the body was delivered.
        case again(after: Duration)
        /// Likewise, with an error that is the end.
        case refused(TransferOutcome)
    }

    func judge(_ result: AttemptResult) async -> Verdict {
        switch result {
        case .again(let delay): return .again(after: delay)
        case .refused(let outcome): return .deliver(outcome)
        case .ended(let outcome, let ran):
            if let delay = request.sink?.delayBeforeNextAttempt(after: outcome.error, head: outcome.head),
                !Task.isCancelled
            {
                return .again(after: delay)
            }
            guard !policies.retriers.isEmpty, let error = failure(of: outcome) else {
                return .deliver(await validatedLate(outcome, ran))
            }
            switch await decision(about: error) {
            case .retry(let delay): return .again(after: delay)
            case .doNotRetry: return .deliver(await validatedLate(outcome, ran))
            case .fail(let error): return .deliver(outcome.failing(with: error))
            }
        }
    }

    /// What retriers are asked about; `nil` if they are not.
    @inline(never)
    private func failure(of outcome: TransferOutcome) -> AsyncNetError? {
        if let error = outcome.error { return canRepeat(after: error) ? error : nil }
        guard request.sink == nil, let head = outcome.head else { return nil }
        return refusal(head).map { $0.with(outcome.errorContext) }
    }

    /// What a retrier is told of a response that no validator has refused.
    @inline(never)
    func refusal(_ head: HTTPResponseHead) -> AsyncNetError? {
        guard head.statusCode >= 400, canRepeat(after: nil) else { return nil }
        return AsyncNetError(.unacceptableStatus, "The response's status is \(head.statusCode)").with(
            request.record.outcome(nil).errorContext)
    }

    private func canRepeat(after error: AsyncNetError?) -> Bool {
        guard !Task.isCancelled, error?.code != .cancelled, error?.code != .deadlineExceeded else { return false }
        guard request.record.redirectedRequests.allSatisfy({ $0.body.replay != .once }) else { return false }
        return request.record.request?.body.replay != .once && request.sink?.canBeSentAgain != false
    }

    /// What the first retrier that has an opinion wants; a wait beyond the deadline would be in vain.
    func decision(about error: AsyncNetError) async -> RetryDecision.Choice {
        let context = context()
        for retrier in policies.retriers {
            guard !Task.isCancelled else { return .doNotRetry }
            let decision = await self.decision(of: retrier, about: error, context)
            switch decision.choice {
            case .doNotRetry: continue
            case .retry(let delay):
                if let remainingTime, remainingTime <= delay { return .fail(Self.tooLate(delay, after: error)) }
                guard !decision.isCharged || isInBudget else { return .doNotRetry }
                return .retry(after: max(delay, .zero))
            case .fail(let error): return .fail(error)
            }
        }
        return .doNotRetry
    }

    private func decision(of retrier: any RequestRetrier, about error: AsyncNetError, _ context: RequestContext) async
        -> RetryDecision
    {
        guard retrier.blocks else { return await retrier.retry(after: error, context: context) }
        return await UserCode.run { await retrier.retry(after: error, context: context) }
    }

    /// It need not be waited for.
    private static func tooLate(_ delay: Duration, after error: AsyncNetError) -> AsyncNetError {
        let message =
            "The next attempt would begin in \(delay), after the request's deadline; the last one ended in: \(error.message)"
        return AsyncNetError(.deadlineExceeded, message, underlyingError: error)
    }

    private var isInBudget: Bool { session.limits.budgets?.withdraw(host: origin) != false }
    private var origin: String { request.record.request?.head.url.origin ?? "" }

    var remainingTime: Duration? { policies.end.map { $0 - session.timers.time.now } }

    @inline(never)
    func context() -> RequestContext {
        let outcome = request.record.outcome(nil)
        return RequestContext(
            id: request.id, attempt: attemptNumber, request: outcome.request, response: outcome.head,
            remainingTime: remainingTime, metrics: outcome.metrics, redirected: request.record.redirectedRequests)
    }

    // MARK: Validation

    /// The validators are through; those that were added since the attempt's were run have their turn.
    private func validatedLate(_ outcome: TransferOutcome, _ ran: Int) async -> TransferOutcome {
        let validators = await request.takeValidators()
        guard request.sink == nil, validators.count > ran else { return outcome }
        return await outcome.validated(by: Array(validators.dropFirst(ran)))
    }
}
