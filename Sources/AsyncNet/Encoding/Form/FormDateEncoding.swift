public import Foundation

extension URLEncodedFormEncoder {
    /// How `Date` is encoded.
    public enum DateEncoding: Sendable {
        /// As `Date` encodes itself: seconds since 2001 as a `Double`, such as `23.0`.
        case deferredToDate
        /// Seconds since 1970, rounded to the microsecond, the precision of `Date`; without a fraction if it is zero.
        case secondsSince1970
        /// Milliseconds since 1970, rounded to the microsecond; without a fraction if it is zero.
        case millisecondsSince1970
        /// Date and time in UTC to the second, as in `2001-01-01T00:00:00Z` (RFC 3339 §5.6).
        case iso8601
        /// The formatter's text.
        case formatted(DateFormatter)
        /// The closure's text; an error of the closure ends the encoding.
        case custom(@Sendable (Date) throws -> String)

        func text(_ date: Date) throws -> String? {
            switch self {
            case .deferredToDate: nil
            case .secondsSince1970: Self.number(date.timeIntervalSince1970, decimals: 1_000_000)
            case .millisecondsSince1970: Self.number(date.timeIntervalSince1970 * 1000, decimals: 1000)
            case .iso8601: date.ISO8601Format()
            case .formatted(let formatter): formatter.string(from: date)
            case .custom(let text): try text(date)
            }
        }

        private static func number(_ value: Double, decimals: Double) -> String {
            let rounded = (value * decimals).rounded() / decimals
            return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
        }
    }
}
