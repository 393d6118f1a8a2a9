import Foundation

/// Decides whether a failed refresh is repeated, and makes the error of the requests that wait for it.
enum RefreshFailure {
    private static let mostRetries = 2
    private static let backoff = Backoff(scale: .seconds(1), jitter: .equal)
    private static let longestRetryAfter = Duration.seconds(60)

    /// The delay before the refresh is repeated; `nil` if it must not be repeated, since the server may have consumed
    /// the refresh token, or has refused it.
    ///
    /// - Parameter error: Only an ``AsyncNetError`` shows that the server has not carried out the refresh.
    static func delay(
        beforeRetry retry: Int, after error: any Error, now: Date, using random: inout some RandomNumberGenerator
    ) -> Duration? {
        guard retry < mostRetries, let error = error as? AsyncNetError, isFirst(error), isUnprocessed(error) else {
            return nil
        }
        let own = backoff.delay(retry: retry, using: &random)
        guard let asked = RetryAfter.delay(error, now: now) else { return own }
        return asked > longestRetryAfter ? nil : max(own, asked)
    }

    /// Whether the first request of the refresh failed, which is the POST of the refresh token. If a later request
    /// fails, such as a GET of the user, the server has consumed the token.
    private static func isFirst(_ error: AsyncNetError) -> Bool {
        error.request.map { $0.method == .post } ?? true
    }

    private static func isUnprocessed(_ error: AsyncNetError) -> Bool {
        switch error.code {
        case .unacceptableStatus: error.statusCode == 429 || error.statusCode == 503
        case .proxyFailed: !error.isRefusedByProxy
        default: RetryPolicy.unsentErrorCodes.contains(error.code)
        }
    }

    /// The error of the requests that wait for the refresh. Its message contains the message of the cause only if that
    /// is an ``AsyncNetError``, whose message has no secrets. Even a cancelled refresh gives `.refreshFailed`, since
    /// the waiting requests are not cancelled.
    static func error(_ cause: any Error) -> AsyncNetError {
        let text = (cause as? AsyncNetError).map { "\($0.message) [\($0.code)]" } ?? "\(type(of: cause))"
        return AsyncNetError(
            .refreshFailed, "\(AsyncNetError.Code.refreshFailed.summary): \(text)", underlyingError: cause)
    }
}
