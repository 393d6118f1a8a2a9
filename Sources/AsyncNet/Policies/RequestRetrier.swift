/// Decides whether a failed request is sent again.
///
///     struct OnlyOnce: RequestRetrier {
///         func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
///             context.attempt == 1 ? .retry(after: .seconds(1)) : .doNotRetry
///         }
///     }
///
/// Retriers are called in the order of their lists, the session's before the request's, until one decides: for every
/// error of an attempt except a cancellation and an exceeded deadline, and for every response with a status of 400 or
/// above, validated or not: the error is `.unacceptableStatus` then, and without a retry the response is delivered.
/// They are not called if the request cannot be sent again: if its body can be read only once, or a part of the
/// response has been delivered, except of a stream of events that another response continues (``EventReconnection``).
/// Nor are they called for a body that cannot be decoded: serializers run after the request has ended.
///
/// They run on no actor, on a thread that they may block; a cancellation or the deadline ends the wait for them at
/// once.
public protocol RequestRetrier: RequestPolicy {
    /// Decides what follows the failed attempt `context.attempt`; `context.response` is its response's head.
    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision
}

/// An adapter and a retrier in one.
///
/// Neither function has a default: otherwise a function with other parameters, such as one for another library, would
/// compile and never be called. A type that needs only one of them is a ``RequestAdapter`` or a ``RequestRetrier``.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

/// A retrier made of a closure.
public struct Retrier: RequestRetrier {
    private let decide: @Sendable (AsyncNetError, RequestContext) async -> RetryDecision

    /// Creates a retrier.
    public init(_ decide: @escaping @Sendable (AsyncNetError, RequestContext) async -> RetryDecision) {
        self.decide = decide
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        await decide(error, context)
    }
}

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
    /// Whether the next attempt goes to another origin, so that an open circuit of this origin does not prevent it.
    var isElsewhere = false

    /// Sends the request again at once.
    public static let retry = RetryDecision(choice: .retry(after: .zero))
    /// Sends the request again after a delay. If the delay would end after the request's deadline, the request ends at
    /// once with `.deadlineExceeded`, whose underlying error is the failure.
    public static func retry(after delay: Duration) -> RetryDecision { RetryDecision(choice: .retry(after: delay)) }
    /// Leaves the decision to the next retrier. If none retries, the request ends with the error.
    public static let doNotRetry = RetryDecision(choice: .doNotRetry)
    /// Ends the request with this error instead; no other retrier is called.
    public static func fail(_ error: AsyncNetError) -> RetryDecision { RetryDecision(choice: .fail(error)) }

    /// The delay before the request is sent again; `nil` if it is not.
    public var delay: Duration? {
        if case .retry(let delay) = choice { delay } else { nil }
    }

    /// The error with which the request ends; `nil` for other decisions.
    public var error: AsyncNetError? {
        if case .fail(let error) = choice { error } else { nil }
    }

    static let elsewhere = RetryDecision(choice: .retry(after: .zero), isElsewhere: true)

    var uncharged: RetryDecision {
        var copy = self
        copy.isCharged = false
        return copy
    }
}

/// Decisions are equal if they retry after the same delay, end the request with errors of the same code and message, or
/// leave the decision to the next retrier. Whether a retry is charged is not compared.
extension RetryDecision: Equatable {
    public static func == (one: RetryDecision, other: RetryDecision) -> Bool {
        one.delay == other.delay && one.error?.code == other.error?.code && one.error?.message == other.error?.message
    }
}

extension RetryDecision: CustomStringConvertible {
    public var description: String {
        switch choice {
        case .retry(let delay): delay > .zero ? "retry after \(delay)" : "retry"
        case .doNotRetry: "do not retry"
        case .fail(let error): "fail: \(error)"
        }
    }
}
