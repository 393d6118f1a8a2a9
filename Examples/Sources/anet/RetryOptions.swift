import ArgumentParser
import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// When a request is sent again.
struct RetryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How often a request is retried after a transient failure.", valueName: "N"))
    var retry = 0

    @Option(help: ArgumentHelp("The wait before each retry, unless Retry-After is longer.", valueName: "SECONDS"))
    var retryDelay: Double?

    @Option(help: ArgumentHelp("No retry begins later than this.", valueName: "SECONDS"))
    var retryMaxTime: Double?

    @Flag(help: "With --retry: after any error, and for any method.")
    var retryAllErrors = false

    @Flag(help: "With --retry: a refused connection is a transient failure, as it always is.")
    var retryConnrefused = false

    func validate() throws {
        if retry < 0 { throw ValidationError("--retry needs a number from 0") }
        for (name, value) in [("--retry-delay", retryDelay), ("--retry-max-time", retryMaxTime)] {
            if let value, !(value >= 0 && value <= 1e9) { throw ValidationError("\(name) needs seconds from 0") }
        }
    }

    /// - Parameter failing: Whether a status of 400 or above is an error.
    func policies(failing: Bool) -> [any RequestPolicy] {
        guard retry > 0 else { return [] }
        var policy = RetryPolicy(limit: retry)
        if let retryDelay, retryDelay > 0 {
            policy.backoff = Backoff(base: 1, scale: .seconds(retryDelay), maximum: .seconds(retryDelay), jitter: .none)
        }
        let end = retryMaxTime.flatMap { $0 > 0 ? ContinuousClock.now + .seconds($0) : nil }
        return [Retries(policy: policy, isForAll: retryAllErrors, isFailing: failing, end: end)]
    }
}

/// A retry policy with an end, perhaps for all errors.
struct Retries: RequestRetrier {
    let policy: RetryPolicy
    let isForAll: Bool
    let isFailing: Bool
    let end: ContinuousClock.Instant?

    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        var policy = policy
        if isForAll {
            if let method = context.request?.head.method { policy.methods.insert(method) }
            policy.errorCodes.insert(error.code)
            let isError = error.code != .unacceptableStatus || isFailing
            if let status = context.response?.statusCode, isError { policy.statusCodes.insert(status) }
            if error.code == .unacceptableStatus, !isFailing { policy.errorCodes.remove(error.code) }
        }
        let decision = await policy.retry(after: error, context: context)
        if let end, let delay = decision.delay, ContinuousClock.now + delay > end { return .doNotRetry }
        return decision
    }
}

/// Sends a request again without `Expect` that was refused for it (RFC 9110 §15.5.18).
struct ExpectationFallback: RequestInterceptor {
    func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
        guard context.attempt > 1 else { return request }
        var request = request
        request.setValue(nil, forHTTPHeaderField: "Expect")
        return request
    }

    func retry(after error: AsyncNetError, context: RequestContext) async -> RetryDecision {
        context.response?.statusCode == 417 && context.attempt == 1 ? .retry : .doNotRetry
    }
}
