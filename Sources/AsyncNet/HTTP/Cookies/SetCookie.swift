package import Foundation

/// What one value of `Set-Cookie` says, not yet about any host (RFC 6265bis §5.6).
package struct SetCookie: Hashable, Sendable {
    package let name: String
    package let value: String
    /// The last one that could be read, in seconds and at most 400 days; 0 or less ends the cookie at once.
    package private(set) var maxAge: Int64?
    /// The last one that could be read. ``maxAge`` counts more.
    package private(set) var expires: Date?
    /// Canonical; empty if there was none, or the last one was empty.
    package private(set) var domain = ""
    /// `nil` if the last one was none that begins with a slash: the default path is meant.
    package private(set) var path: String?
    /// Whether there was a path at all, which the prefix `__Host-` asks for.
    package private(set) var hasPath = false
    package private(set) var isSecure = false
    package private(set) var isHTTPOnly = false
    package private(set) var sameSite = Cookie.SameSite.unspecified

    private typealias Bytes = Substring.UTF8View

    /// `nil` for a value with control characters, without name and value, or whose name and value together are longer
    /// than 4096 octets.
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

    /// Both sides of the first equals sign without the space around them; no name if there is no such sign.
    private static func pair(_ text: Bytes) -> (name: String?, value: String) {
        guard let sign = text.firstIndex(of: 0x3D) else { return (nil, trimmed(text)) }
        return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
    }

    private static func trimmed(_ text: Bytes) -> String {
        var rest = text
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return String(Substring(rest))
    }

    /// RFC 6265bis §5.6.2: digits, perhaps with a minus sign. The limit keeps any number of digits from overflowing.
    private static func seconds(_ text: String) -> Int64? {
        let isNegative = text.utf8.first == 0x2D
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        let seconds = digits.reduce(0) { min($0 * 10 + Int64($1 &- 0x30), Cookie.maximumAge) }
        return isNegative ? -seconds : seconds
    }

    /// When a cookie that is set now ends: never later than in 400 days; `nil` with the session.
    package func expiry(now: Date) -> Date? {
        if let maxAge { return maxAge <= 0 ? .distantPast : now.addingTimeInterval(Double(maxAge)) }
        return expires.map { min($0, now.addingTimeInterval(Double(Cookie.maximumAge))) }
    }
}

extension SetCookie: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(name)=<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
