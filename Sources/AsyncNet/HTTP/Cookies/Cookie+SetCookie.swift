public import Foundation

extension Cookie {
    /// The cookie that a response from `url` sets with one value of `Set-Cookie` (RFC 6265bis §5.6, §5.7).
    ///
    /// `nil` for one that is refused: not well-formed, for another domain, `Secure` or with a prefix over `http`. It
    /// lives at most 400 days; one that the server ends has an ``expires`` in the past.
    ///
    /// - Parameters:
    ///   - setCookie: The value of one `Set-Cookie` header.
    ///   - url: The URL that the response is from.
    ///   - now: The time from which `Max-Age` counts.
    public init?(setCookie: String, from url: URL, now: Date = Date()) {
        guard let origin = CookieOrigin(url), let parsed = SetCookie(setCookie) else { return nil }
        self.init(parsed, from: origin, now: now)
    }

    /// - Parameter isPublicSuffix: Whether sites of different owners are below a domain, such as `co.uk`: no cookie may
    ///   be for all of them. Addresses and single labels always are such domains.
    package init?(
        _ parsed: SetCookie, from origin: CookieOrigin, now: Date, isPublicSuffix: (String) -> Bool = { _ in false }
    ) {
        guard let domain = Self.domain(parsed.domain, from: origin.host, isPublicSuffix) else { return nil }
        self.init(
            name: parsed.name, value: parsed.value, domain: domain ?? origin.host,
            path: parsed.path ?? CookieMatching.defaultPath(of: origin.path), isHostOnly: domain == nil,
            expires: parsed.expiry(now: now),
            isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly, sameSite: parsed.sameSite, creation: now)
        guard isStorable, origin.isSecure || !isSecure else { return nil }
        // A default path is not enough for a promise to be valid everywhere.
        if Self.begins(name, with: "__host-"), !parsed.hasPath { return nil }
    }

    /// The domain, inside it `nil` if the cookie is for the host only; `nil` if the host may not set it.
    private static func domain(_ domain: String, from host: String, _ isPublicSuffix: (String) -> Bool) -> String?? {
        guard !domain.isEmpty else { return .some(nil) }
        guard CookieMatching.domain(domain, matches: host) else { return nil }
        guard CookieMatching.isShared(domain) || isPublicSuffix(CookieMatching.withoutLastDots(domain)) else {
            return domain
        }
        return domain.hasSameBytes(as: host) ? .some(nil) : nil
    }
}
