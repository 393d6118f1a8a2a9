/// Decides whether a failed request is sent again.
///
///     struct OnlyOnce: RequestRetrier {
///         func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
///             context.attempt == 1 ? .retry(after: .seconds(1)) : .doNotRetry
///         }
///     }
///
/// Retriers are called in the order of their lists, the session's before the request's, until one decides. They are
/// called for every error except a cancellation and an exceeded deadline, and for every response with a status of 400
/// or above, whether or not the request validates its status: the error is `.unacceptableStatus` then, and without a
/// retry the response is delivered. They are not called if the request cannot be sent again: its body can be read only
/// once, or a part of the response has been delivered.
///
/// They run on no actor, on a thread that they may block; a cancellation or the deadline ends the wait for them at
/// once.
public protocol RequestRetrier: RequestPolicy {
    /// Decides what follows the failure of attempt `context.attempt`; `context.response` is the head of its response,
    /// if there was one.
    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision
}

/// An adapter and a retrier in one.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

/// The decision of a retrier.
public struct RetryDecision: Sendable {
    enum Choice: Sendable {
        case retry(after: Duration)
        case doNotRetry
        case fail(AsyncNetError)
    }

    let choice: Choice
    /// Whether the retry is charged to the session's retry budget; a retry with a new credential is not.
    var isCharged = true

    /// Sends the request again at once.
    public static let retry = RetryDecision(choice: .retry(after: .zero))
    /// Sends the request again after a delay. If the delay would end after the request's deadline, the request ends at
    /// once with `.deadlineExceeded`, whose underlying error is the failure.
    public static func retry(after delay: Duration) -> RetryDecision { RetryDecision(choice: .retry(after: delay)) }
    /// Leaves the decision to the next retrier. If none retries, the request ends with the error.
    public static let doNotRetry = RetryDecision(choice: .doNotRetry)
    /// Ends the request with this error instead; no other retrier is called.
    public static func fail(_ error: AsyncNetError) -> RetryDecision { RetryDecision(choice: .fail(error)) }

    /// This decision, not charged to the retry budget.
    var uncharged: RetryDecision {
        var copy = self
        copy.isCharged = false
        return copy
    }
}
