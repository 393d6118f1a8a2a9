import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The `Retry-After` header (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The delay that the server requests, in seconds or until a date, rounded up to whole seconds; zero for a date in
    /// the past. At most 68 years, as in RFC 9111 §1.2.2. `nil` for other values, such as negative numbers and
    /// fractions.
    static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.trimmedHTTPSpace
        if let seconds = CacheControl.seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate(text, now: now) else { return nil }
        return .seconds(min(max(date.seconds - HTTPDate(now).seconds, 0), Int64(CacheControl.mostSeconds)))
    }

    /// The longest delay of a response. RFC 9110 allows one value; the longest satisfies all of them.
    static func delay(_ response: HTTPResponseHead, now: Date) -> Duration? {
        response.values(of: .retryAfter).compactMap { delay($0, now: now) }.max()
    }

    static func delay(_ error: AsyncNetError, now: Date) -> Duration? {
        error.response?.value(forHTTPHeaderField: "Retry-After").flatMap { delay($0, now: now) }
    }
}
