/// Decides whether a request that failed is sent again.
///
///     struct OnlyOnce: RequestRetrier {
///         func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
///             context.attempt == 1 ? .retry(after: .seconds(1)) : .doNotRetry
///         }
///     }
///
/// Retriers are asked in the order of their list, the session's before the request's, until one decides. They are asked
/// about every error but a cancellation and a missed deadline, and about every response from 400 up, whether or not the
/// request validates its status: for those the error is `.unacceptableStatus`, and if nobody wants to retry, the
/// response is delivered as it is. They are not asked where the request cannot be sent again: its body can be read only
/// once, or a reader has had a part of the answer.
///
/// They run on no actor, on a thread that they may block; a cancel or the deadline ends the wait for one at once.
public protocol RequestRetrier: RequestPolicy {
    /// What to do now that `context.attempt` has ended in `error`; `context.response` has the head of the response if
    /// one came.
    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision
}

/// Changes requests before they are sent, and decides whether they are sent again.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

/// What a retrier wants.
public struct RetryDecision: Sendable {
    package enum Choice: Sendable {
        case retry(after: Duration)
        case doNotRetry
        case fail(AsyncNetError)
    }

    package let choice: Choice
    /// Whether it is charged to the session's retry budget; what answers a challenge is not.
    package var isCharged = true

    /// Send it again at once.
    public static let retry = RetryDecision(choice: .retry(after: .zero))
    /// Send it again after a while. A while that would end after the request's deadline is not waited for: the outcome
    /// is `.deadlineExceeded`, with the error underneath.
    public static func retry(after delay: Duration) -> RetryDecision { RetryDecision(choice: .retry(after: delay)) }
    /// No opinion: ask the next retrier. If none wants to retry, the error is the outcome.
    public static let doNotRetry = RetryDecision(choice: .doNotRetry)
    /// End the request with this error instead; no other retrier is asked.
    public static func fail(_ error: AsyncNetError) -> RetryDecision { RetryDecision(choice: .fail(error)) }

    /// The same, not charged to the retry budget.
    package var uncharged: RetryDecision {
        var copy = self
        copy.isCharged = false
        return copy
    }
}
