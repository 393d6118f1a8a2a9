package import Foundation

/// Sends a request again that failed for a reason that may pass.
///
///     Session(configuration: .init(interceptors: [RetryPolicy(limit: 3)]))
///     await request.interceptor(RetryPolicy(limit: 5, backoff: Backoff(maximum: .seconds(5)), attemptTimeout: .seconds(2)))
///
/// Only what may be repeated is: the methods that RFC 9110 §9.2.2 calls idempotent, requests with an `Idempotency-Key`,
/// and any request that never reached a server; of an attempt that was redirected, every request counts. It waits as
/// long as the server asked for in `Retry-After`, unless that is too long, or at random up to a bound that grows each
/// time (``Backoff``). The session's ``SessionConfiguration/retryBudget`` limits how much load all retries together add
/// to a host.
public struct RetryPolicy: RequestRetrier {
    /// How often a request is sent again at most.
    public var limit: Int
    /// How long is waited before it is.
    public var backoff: Backoff
    /// Methods that may be repeated whatever became of the request.
    public var methods: Set<HTTPMethod>
    /// Statuses of responses that may be better the next time.
    public var statusCodes: Set<Int>
    /// Errors that may pass.
    public var errorCodes: Set<AsyncNetError.Code>
    /// What is waited at most for a server that names a time in `Retry-After` (RFC 9110 §10.2.3). A response that asks
    /// for more is delivered: to send the request earlier would not help. `nil` leaves that header alone.
    public var maximumRetryAfter: Duration?
    /// How long each attempt may take from its first byte to its last; then it ends with `.timedOut`.
    public var attemptTimeout: Duration?

    public init(
        limit: Int = 2, backoff: Backoff = Backoff(), methods: Set<HTTPMethod> = Self.idempotentMethods,
        statusCodes: Set<Int> = Self.passingStatusCodes, errorCodes: Set<AsyncNetError.Code> = Self.passingErrorCodes,
        maximumRetryAfter: Duration? = .seconds(60), attemptTimeout: Duration? = nil
    ) {
        self.limit = limit
        self.backoff = backoff
        self.methods = methods
        self.statusCodes = statusCodes
        self.errorCodes = errorCodes
        self.maximumRetryAfter = maximumRetryAfter
        self.attemptTimeout = attemptTimeout
    }

    /// DELETE, GET, HEAD, OPTIONS, PUT, QUERY and TRACE.
    public static let idempotentMethods: Set<HTTPMethod> = HTTPMethod.idempotent
    /// 408, 429, 500, 502, 503 and 504.
    public static let passingStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Connections that could not be made or were lost, silence, and answers that are no HTTP.
    public static let passingErrorCodes: Set<AsyncNetError.Code> = [
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .badServerResponse,
        .tlsHandshakeFailed, .proxyNotFound,
        .proxyFailed,
    ]
    /// Those after which the server cannot have seen the request.
    private static let unsentErrorCodes: Set<AsyncNetError.Code> = [.hostNotFound, .cannotConnect, .proxyNotFound]

    /// Alamofire's `RetryPolicy`: after 0.5 s, then 1 s, without chance, `Retry-After` or 429.
    public static let alamofire = RetryPolicy(
        limit: 2, backoff: Backoff(base: 2, scale: .milliseconds(500), maximum: .seconds(86_400), jitter: .none),
        methods: [.delete, .get, .head, .options, .put, .trace], statusCodes: [408, 500, 502, 503, 504],
        maximumRetryAfter: nil)

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        var random = SystemRandomNumberGenerator()
        return decision(after: error, context, now: Date(), using: &random)
    }

    /// The same as a pure function.
    package func decision(
        after error: AsyncNetError, _ context: RequestContext, now: Date, using random: inout some RandomNumberGenerator
    ) -> RetryDecision {
        guard context.attempt <= limit, isPassing(error, context.response), isRepeatable(error, context) else {
            return .doNotRetry
        }
        let own = backoff.delay(retry: context.attempt - 1, using: &random)
        guard let maximumRetryAfter, let asked = retryAfter(context.response, now) else { return .retry(after: own) }
        return asked > maximumRetryAfter ? .doNotRetry : .retry(after: max(own, asked))
    }

    private func isPassing(_ error: AsyncNetError, _ response: HTTPResponseHead?) -> Bool {
        if let response, statusCodes.contains(response.statusCode) { return true }
        return errorCodes.contains(error.code)
    }

    /// Where redirects led, it is what they led away from that would be sent again too, and a server has seen that.
    private func isRepeatable(_ error: AsyncNetError, _ context: RequestContext) -> Bool {
        guard let request = context.request, context.redirected.allSatisfy(isRepeatable) else { return false }
        return isRepeatable(request) || context.redirected.isEmpty && Self.unsentErrorCodes.contains(error.code)
    }

    private func isRepeatable(_ request: TransportRequest) -> Bool {
        methods.contains(request.head.method) || request.head.headers.contains(name: "Idempotency-Key")
    }

    private func retryAfter(_ response: HTTPResponseHead?, _ now: Date) -> Duration? {
        response.flatMap { RetryAfter.delay($0, now: now) }
    }
}

/// Sends a request again whose connection was lost, and only then; otherwise as ``RetryPolicy``.
public struct ConnectionLostRetryPolicy: RequestRetrier {
    private let policy: RetryPolicy

    public init(limit: Int = 2, backoff: Backoff = Backoff(), methods: Set<HTTPMethod> = RetryPolicy.idempotentMethods)
    {
        policy = RetryPolicy(
            limit: limit, backoff: backoff, methods: methods, statusCodes: [],
            errorCodes: [.connectionLost, .emptyReply, .bodyEndedEarly])
    }

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        await policy.retry(after: error, context: context)
    }
}

extension RetryPolicy: DescribedPolicy {
    func describe(_ traits: inout PolicyTraits) {
        (traits.mayBlock, traits.attemptTimeout) = (false, attemptTimeout)
    }
}

extension ConnectionLostRetryPolicy: DescribedPolicy {
    func describe(_ traits: inout PolicyTraits) { traits.mayBlock = false }
}
