import Foundation

/// The `Retry-After` header (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The limit of the seconds, 68 years, as in RFC 9111 §1.2.2.
    private static let mostSeconds: Int64 = 1 << 31

    /// The delay that the server requests, in seconds or until a date.
    ///
    /// A date in the past is no delay. The delay until a date is rounded up to whole seconds.
    ///
    /// - Returns: `nil` for invalid values, such as negative numbers, fractions and several values.
    static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.trimmedHTTPSpace
        if let seconds = seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate(text, now: now) else { return nil }
        return .seconds(min(max(date.seconds - HTTPDate(now).seconds, 0), mostSeconds))
    }

    /// The longest delay of a response. RFC 9110 allows one value; the longest satisfies all of them.
    static func delay(_ response: HTTPResponseHead, now: Date) -> Duration? {
        response.values(of: .retryAfter).compactMap { delay($0, now: now) }.max()
    }

    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return min(Int64(text) ?? mostSeconds, mostSeconds)
    }
}
