package import Foundation

extension HTTPHeader {
    /// The value as a time (RFC 9110 §5.6.7), as of `Date` and `Expires`; `nil` if it is none.
    package var date: Date? { HTTPDate(value)?.date }

    /// The `Expires` of a `Set-Cookie` header; `nil` without one.
    package var cookieExpiry: Date? { hasName("Set-Cookie") ? SetCookie(value)?.expires : nil }
}
