public import Foundation

/// Sends a failed request again if the failure may be temporary.
///
///     Session(configuration: .init(interceptors: [RetryPolicy(limit: 3)]))
///     request.interceptor(RetryPolicy(backoff: Backoff(maximum: .seconds(5)), attemptTimeout: .seconds(2)))
///
/// Only requests that may be repeated are retried: those with an idempotent method (RFC 9110 §9.2.2) or an
/// `Idempotency-Key`, and any request that did not reach a server; after redirects, this must hold for every request
/// of the attempt. The delay is random, up to a bound that grows with each retry (``Backoff``), but at least that of
/// `Retry-After`. The session's ``SessionConfiguration/retryBudget`` limits the load that all retries together add to
/// an origin. A proxy's refusal with a status from 400 to 499, such as 407, is not retried: a wrong password that is
/// repeated locks accounts. Nor is a response whose body cannot be decoded, see ``RequestRetrier``.
public struct RetryPolicy: RequestRetrier, NonBlocking {
    /// How many times a request is sent again.
    public var limit: Int
    /// The delay before each retry.
    public var backoff: Backoff
    /// Methods of requests that may be repeated after any failure.
    public var methods: Set<HTTPMethod>
    /// Statuses that are retried.
    public var statusCodes: Set<Int>
    /// Errors that are retried.
    public var errorCodes: Set<AsyncNetError.Code>
    /// The longest `Retry-After` that the policy waits for (RFC 9110 §10.2.3). A response with a longer one is
    /// delivered, since an earlier retry would fail. With `nil`, `Retry-After` is ignored.
    public var maximumRetryAfter: Duration?
    /// How long each attempt may take, from its permit to the end of the body, or for a stream to the response's head.
    /// An attempt that takes longer ends with `.timedOut`.
    public var attemptTimeout: Duration?
    /// Errors of Foundation that are retried if a transport reports them as the underlying error; none by default.
    public var urlErrorCodes: Set<URLError.Code> = []
    /// Whether retries are charged to the session's ``SessionConfiguration/retryBudget``; they are by default.
    public var usesRetryBudget = true

    /// Creates a policy, by default of two retries without an attempt timeout.
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

    /// The methods DELETE, GET, HEAD, OPTIONS, PUT, QUERY and TRACE.
    public static let idempotentMethods: Set<HTTPMethod> = HTTPMethod.idempotent
    /// The statuses 408, 429, 500, 502, 503 and 504.
    public static let passingStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Errors of name lookup, connection, TLS handshake and proxy, timeouts, and responses that are not HTTP.
    public static let passingErrorCodes: Set<AsyncNetError.Code> = [
        .hostNotFound, .cannotConnect, .emptyReply, .connectionLost, .bodyEndedEarly, .timedOut, .badServerResponse,
        .tlsHandshakeFailed, .proxyNotFound, .proxyFailed,
    ]
    /// Errors after which the server cannot have received the request.
    static let unsentErrorCodes: Set<AsyncNetError.Code> = [.hostNotFound, .cannotConnect, .proxyNotFound]

    /// Alamofire's `RetryPolicy`: retries after 0.5 s, then after 1 s, without jitter, also after the errors of
    /// Foundation that Alamofire lists. `Retry-After` and the retry budget have no effect, and a 429 is not retried.
    public static let alamofire: RetryPolicy = {
        var policy = RetryPolicy(
            limit: 2, backoff: Backoff(base: 2, scale: .milliseconds(500), maximum: .seconds(86_400), jitter: .none),
            methods: [.delete, .get, .head, .options, .put, .trace], statusCodes: [408, 500, 502, 503, 504],
            maximumRetryAfter: nil)
        policy.urlErrorCodes = alamofireURLErrorCodes
        policy.usesRetryBudget = false
        return policy
    }()

    private static let alamofireURLErrorCodes: Set<URLError.Code> = [
        .backgroundSessionInUseByAnotherProcess, .backgroundSessionWasDisconnected, .badServerResponse, .callIsActive,
        .cannotConnectToHost, .cannotFindHost, .cannotLoadFromNetwork, .dataNotAllowed, .dnsLookupFailed,
        .downloadDecodingFailedMidStream, .downloadDecodingFailedToComplete, .internationalRoamingOff,
        .networkConnectionLost, .notConnectedToInternet, .secureConnectionFailed, .serverCertificateHasBadDate,
        .serverCertificateNotYetValid, .timedOut,
    ]

    public func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        var random = SystemRandomNumberGenerator()
        let decision = decision(after: error, context, now: Date(), using: &random)
        return usesRetryBudget ? decision : decision.uncharged
    }

    func decision(
        after error: AsyncNetError, _ context: RequestContext, now: Date, using random: inout some RandomNumberGenerator
    ) -> RetryDecision {
        guard context.attempt <= limit, isPassing(error, context.response), isRepeatable(error, context) else {
            return .doNotRetry
        }
        let own = backoff.delay(retry: context.attempt - 1, using: &random)
        let asked = context.response.flatMap { RetryAfter.delay($0, now: now) }
        guard let maximumRetryAfter, let asked else { return .retry(after: own) }
        return asked > maximumRetryAfter ? .doNotRetry : .retry(after: max(own, asked))
    }

    private func isPassing(_ error: AsyncNetError, _ response: HTTPResponseHead?) -> Bool {
        if error.isRefusedByProxy || error.code == .addressNotAllowed { return false }
        if let response, statusCodes.contains(response.statusCode) { return true }
        return errorCodes.contains(error.code)
            || (error.underlyingError as? URLError).map { urlErrorCodes.contains($0.code) } == true
    }

    /// A retry also sends the requests before a redirect again, which a server has received already.
    private func isRepeatable(_ error: AsyncNetError, _ context: RequestContext) -> Bool {
        guard let request = context.request, context.redirected.allSatisfy(isRepeatable) else { return false }
        return isRepeatable(request) || context.redirected.isEmpty && Self.unsentErrorCodes.contains(error.code)
    }

    private func isRepeatable(_ request: TransportRequest) -> Bool {
        methods.contains(request.head.method) || request.head.headers.contains(name: "Idempotency-Key")
    }
}

/// Retries as ``RetryPolicy`` does, but only after `.connectionLost`, `.emptyReply` and `.bodyEndedEarly`.
public struct ConnectionLostRetryPolicy: RequestRetrier, NonBlocking {
    private let policy: RetryPolicy

    /// Creates a policy, by default of two retries.
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
