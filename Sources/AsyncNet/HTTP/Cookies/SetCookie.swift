package import Foundation

/// A parsed value of `Set-Cookie`, before it is applied to a host (RFC 6265bis §5.6).
package struct SetCookie: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The last valid `Max-Age` in seconds, at most 400 days, see ``Cookie/maximumAge``; 0 or less expires the cookie.
    private(set) var maxAge: Int64?
    /// The last valid `Expires`; ``maxAge`` takes precedence.
    package private(set) var expires: Date?
    /// The canonical domain; empty if the attribute is missing or empty.
    package private(set) var domain = ""
    /// The last `Path` if it begins with a slash; otherwise `nil`, for the default path.
    package private(set) var path: String?
    /// Whether there was a `Path`, which the prefix `__Host-` requires.
    private(set) var hasPath = false
    package private(set) var isSecure = false
    package private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unspecified

    private typealias Bytes = Substring.UTF8View

    /// `nil` for control characters, and for a name and value that together have no or more than 4096 octets.
    package init?(_ text: String) {
        guard HTTPSyntax.isFieldValue(text) else { return nil }
        var parts = text.utf8.split(separator: 0x3B, omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst() else { return nil }
        let (name, value) = Self.pair(pair)
        guard 1...Cookie.maximumSize ~= (name ?? "").utf8.count + value.utf8.count else { return nil }
        (self.name, self.value) = (name ?? "", value)
        for part in parts { receive(part) }
    }

    private mutating func receive(_ part: Bytes) {
        let (name, value) = Self.pair(part)
        guard value.utf8.count <= Cookie.maximumAttributeSize else { return }
        switch (name ?? value).asciiLowercased {
        case "expires": expires = CookieDate(name == nil ? "" : value)?.date ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain": domain = name == nil ? "" : CookieMatching.canonicalDomain(value)
        case "path":
            hasPath = true
            path = name != nil && value.utf8.first == 0x2F ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Cookie.SameSite(rawValue: value.asciiLowercased) ?? .unspecified
        default: break
        }
    }

    /// The text on both sides of the first equals sign, trimmed; no name without an equals sign.
    private static func pair(_ text: Bytes) -> (name: String?, value: String) {
        guard let sign = text.firstIndex(of: 0x3D) else { return (nil, trimmed(text)) }
        return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
    }

    private static func trimmed(_ text: Bytes) -> String { String(Substring(text.trimmedHTTPSpace)) }

    /// Digits with an optional minus sign (RFC 6265bis §5.6.2). The limit prevents overflow.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.utf8.first == 0x2D
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        let seconds = digits.reduce(0) { min($0 * 10 + Int64($1 &- 0x30), Cookie.maximumAge) }
        return isNegative ? -seconds : seconds
    }

    /// The expiry of a cookie that is set now, at most 400 days later; `nil` for a session cookie.
    func expiry(now: Date) -> Date? {
        if let maxAge { return maxAge <= 0 ? .distantPast : now.addingTimeInterval(Double(maxAge)) }
        return expires.map { min($0, now.addingTimeInterval(Double(Cookie.maximumAge))) }
    }
}

extension SetCookie: ShownByDescription {
    package var description: String { "\(name)=<redacted>" }
}
