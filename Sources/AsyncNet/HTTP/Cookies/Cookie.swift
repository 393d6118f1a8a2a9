public import Foundation

/// One cookie: a name, a value, and what says to which requests it belongs (RFC 6265bis §5.7).
///
///     await jar.set(Cookie(name: "theme", value: "dark", domain: "example.com"))
///
/// Neither its description nor a `dump` shows the value. Encoding it does.
public struct Cookie: Hashable, Sendable, Codable {
    /// Which requests that other sites cause get the cookie (RFC 6265bis §5.6.7).
    public enum SameSite: String, Hashable, Sendable, Codable {
        /// All of them; the cookie must be secure then.
        case none
        /// Only navigations to the cookie's site.
        case lax
        /// None of them.
        case strict
        /// The server did not say, or said something unknown; treated as ``lax``.
        case unspecified
    }

    /// Empty for a cookie that is sent as its bare value, as `Set-Cookie: abc` makes one.
    public let name: String
    public var value: String

    /// A host in lower case, without a dot before it; an IPv6 address without brackets.
    public let domain: String

    /// Whether hosts below ``domain`` do not get the cookie.
    public let isHostOnly: Bool

    /// Begins with a slash; paths below it get the cookie too.
    public let path: String

    /// When the cookie ends; `nil` for one that lasts as long as the session.
    public var expires: Date?

    /// Whether only `https` requests get the cookie.
    public var isSecure: Bool

    /// Whether the server wants scripts of a page not to see it. Here it changes nothing; it is kept for files and
    /// other stores.
    public var isHTTPOnly: Bool

    /// What matters only to a request that is said to be caused by another site.
    public var sameSite: SameSite

    /// When a cookie of this name, domain and path was first set. Older ones are sent first.
    public var creation: Date

    /// A cookie.
    ///
    /// - Parameters:
    ///   - name: The cookie's name.
    ///   - value: The cookie's value, as it is sent.
    ///   - domain: The host; upper case, brackets and one dot before it are removed.
    ///   - path: `/` by default, which is every path.
    ///   - isHostOnly: Keeps the cookie from hosts below the domain. By default a domain that begins with a dot
    ///     includes them and others do not, as in `HTTPCookie`.
    ///   - expires: The end of the cookie's life; `nil` for a session cookie.
    ///   - isSecure: Whether the cookie is sent over TLS only.
    ///   - isHTTPOnly: Whether scripts of a page must not see the cookie.
    ///   - sameSite: Which cross-site requests carry the cookie.
    ///   - creation: When a cookie of this name, domain and path was first set.
    public init(
        name: String, value: String, domain: String, path: String = "/", isHostOnly: Bool? = nil, expires: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified, creation: Date = Date()
    ) {
        self.name = name
        self.value = value
        self.domain = CookieMatching.canonicalDomain(domain)
        self.isHostOnly = isHostOnly ?? !domain.utf8.starts(with: ".".utf8)
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.creation = creation
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// As `Set-Cookie` would have it, the value hidden.
    public var description: String {
        var parts = ["\(name)=<redacted>", "Domain=\(isHostOnly ? "" : ".")\(domain)", "Path=\(path)"]
        if let expires { parts.append("Expires=\(HTTPDate(expires))") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue.capitalized)") }
        return parts.joined(separator: "; ")
    }

    /// What `dump` shows: no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
