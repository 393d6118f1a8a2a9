package import Foundation

/// The `Retry-After` header (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// What more seconds than fit count as, as RFC 9111 §1.2.2 has it for seconds elsewhere: 68 years.
    private static let mostSeconds: Int64 = 1 << 31

    /// How long the server wants to be left alone: so many seconds, or until a date.
    ///
    /// A date that has passed is no wait at all. The wait for a date is rounded up to whole seconds, so that it is not
    /// too short.
    ///
    /// - Returns: `nil` for anything else, such as negative numbers, fractions and several values.
    package static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.trimmedHTTPSpace
        if let seconds = seconds(text) { return .seconds(seconds) }
        guard let date = HTTPDate(text, now: now) else { return nil }
        return .seconds(min(max(date.seconds - HTTPDate(now).seconds, 0), mostSeconds))
    }

    /// The longest wait that a response asks for: RFC 9110 allows one value, and who waits longest has waited for all
    /// of them.
    package static func delay(_ response: HTTPResponseHead, now: Date) -> Duration? {
        response.values(of: .retryAfter).compactMap { delay($0, now: now) }.max()
    }

    private static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return min(Int64(text) ?? mostSeconds, mostSeconds)
    }
}
