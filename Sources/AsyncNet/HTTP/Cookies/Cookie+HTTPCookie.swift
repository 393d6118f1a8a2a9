#if canImport(FoundationNetworking)
    public import FoundationNetworking
    import Foundation
#else
    public import Foundation
#endif

extension Cookie {
    /// Foundation's cookie; `nil` for one that may not be kept, such as `__Host-a` that is not secure.
    ///
    /// Of those that FoundationNetworking read itself the expiry may be missing: it reads no `Max-Age`.
    public init?(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value, domain: cookie.domain,
            path: cookie.path.isEmpty ? "/" : cookie.path,
            expires: cookie.expiresDate, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            sameSite: (cookie.properties?[.cookieSameSite] as? String).flatMap {
                SameSite(rawValue: $0.asciiLowercased)
            } ?? .unspecified)
        guard isStorable else { return nil }
    }

    /// Foundation's form of this cookie; `nil` if Foundation refuses it, as Apple's does one without a name.
    ///
    /// FoundationNetworking has no place for ``sameSite``, Foundation none for ``creation``.
    public var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: isHostOnly ? domain : ".\(domain)", .path: path,
        ]
        if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[.cookieHTTPOnly] = "TRUE" }
        if sameSite != .unspecified { properties[.cookieSameSite] = sameSite.rawValue }
        return HTTPCookie(properties: properties)
    }
}

extension HTTPCookiePropertyKey {
    fileprivate static let cookieHTTPOnly = Self(rawValue: "HttpOnly")
    /// Foundation's own name for it is missing on Linux.
    fileprivate static let cookieSameSite = Self(rawValue: "SameSite")
}
