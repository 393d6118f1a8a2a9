import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Cookie {
    /// Creates a cookie from Foundation's; `nil` for an invalid one, such as `__Host-a` that is not secure.
    ///
    /// The expiry of cookies that FoundationNetworking parsed may be missing, since it ignores `Max-Age`.
    init?(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value, domain: cookie.domain,
            path: cookie.path.isEmpty ? "/" : cookie.path,
            expires: cookie.expiresDate, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            sameSite: (cookie.properties?[.cookieSameSite] as? String).flatMap {
                SameSite(rawValue: $0.asciiLowercased)
            } ?? .unspecified)
        guard isStorable else { return nil }
    }

    /// This cookie as Foundation's; `nil` if Foundation refuses it, as on Apple platforms without a name.
    ///
    /// An `HTTPCookie` has no ``creation``, and in FoundationNetworking no ``sameSite``.
    var httpCookie: HTTPCookie? {
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
    /// Foundation's constant is missing on Linux.
    fileprivate static let cookieSameSite = Self(rawValue: "SameSite")
}
