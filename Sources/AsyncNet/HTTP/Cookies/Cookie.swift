public import Foundation

/// A cookie: a name, a value, and the requests that it is sent with (RFC 6265bis §5.7).
///
///     await jar.set(Cookie(name: "theme", value: "dark", domain: "example.com"))
///
/// Neither the description nor a `dump` contains the value; the encoded form does.
public struct Cookie: Hashable, Sendable, Codable {
    /// Which cross-site requests carry the cookie (RFC 6265bis §5.6.7).
    public enum SameSite: String, Hashable, Sendable, Codable {
        /// All cross-site requests; the cookie must be secure.
        case none
        /// Only navigations to the cookie's site.
        case lax
        /// No cross-site requests.
        case strict
        /// The attribute is missing or unknown; treated as ``lax``.
        case unspecified
    }

    /// The name; empty for a cookie that is sent as its value alone, as after `Set-Cookie: abc`.
    public let name: String
    /// The value, as it is sent.
    public var value: String

    /// The host in lower case, without a leading dot; an IPv6 address without brackets.
    public let domain: String

    /// Whether only the host ``domain`` gets the cookie, not its subdomains.
    public let isHostOnly: Bool

    /// The path, which begins with a slash; requests to paths below it carry the cookie too.
    public let path: String

    /// When the cookie expires; `nil` for a session cookie.
    public var expires: Date?

    /// Whether only `https` requests carry the cookie.
    public var isSecure: Bool

    /// Whether scripts of a web page must not read the cookie. Not used here; kept for files and other stores.
    public var isHTTPOnly: Bool

    /// Which cross-site requests carry the cookie.
    public var sameSite: SameSite

    /// When a cookie of this name, domain and path was first set; older cookies are sent first.
    public var creation: Date

    /// Creates a cookie.
    ///
    /// The domain is converted to lower case, without brackets and one leading dot. Unless `isHostOnly` says otherwise,
    /// the domain's subdomains get the cookie if the domain begins with a dot, as in `HTTPCookie`. The path `/`
    /// matches every path.
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

extension Cookie: ShownByDescription {
    /// The cookie as in `Set-Cookie`, with the value redacted.
    public var description: String {
        var parts = ["\(name)=<redacted>", "Domain=\(isHostOnly ? "" : ".")\(domain)", "Path=\(path)"]
        if let expires { parts.append("Expires=\(HTTPDate(expires))") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if sameSite != .unspecified { parts.append("SameSite=\(sameSite.rawValue.capitalized)") }
        return parts.joined(separator: "; ")
    }
}
