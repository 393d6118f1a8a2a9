import Foundation

extension Cookie {
    /// The cookie that a response of the origin sets by one value of `Set-Cookie` (RFC 6265bis §5.6, §5.7).
    ///
    /// `nil` for a refused cookie: for another domain or a public suffix (``PublicSuffixes``), or `Secure` or with a
    /// prefix over `http`. A cookie that the server expires has an ``expires`` in the past.
    ///
    /// - Parameter isPublicSuffix: Called for domains of several labels; addresses and single labels are suffixes.
    init?(
        _ parsed: SetCookie, from origin: CookieOrigin, now: Date,
        isPublicSuffix: (String) -> Bool = { PublicSuffixes.contains($0) }
    ) {
        guard let domain = Self.domain(parsed.domain, from: origin.host, isPublicSuffix) else { return nil }
        self.init(
            name: parsed.name, value: parsed.value, domain: domain ?? origin.host,
            path: parsed.path ?? CookieMatching.defaultPath(of: origin.path), isHostOnly: domain == nil,
            expires: parsed.expiry(now: now),
            isSecure: parsed.isSecure, isHTTPOnly: parsed.isHTTPOnly, sameSite: parsed.sameSite, creation: now)
        guard isStorable, origin.isSecure || !isSecure else { return nil }
        // `__Host-` requires an explicit path.
        if Self.begins(name, with: "__host-"), !parsed.hasPath { return nil }
    }

    /// The domain, with an inner `nil` for a host-only cookie; `nil` if the host may not set it.
    private static func domain(_ domain: String, from host: String, _ isPublicSuffix: (String) -> Bool) -> String?? {
        guard !domain.isEmpty else { return .some(nil) }
        guard CookieMatching.domain(domain, matches: host) else { return nil }
        guard CookieMatching.isShared(domain) || isPublicSuffix(CookieMatching.withoutLastDots(domain)) else {
            return domain
        }
        return domain.hasSameBytes(as: host) ? .some(nil) : nil
    }
}
