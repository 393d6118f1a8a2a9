import Foundation

/// A client's cookies: which are stored, which replace others, and which a request carries (RFC 6265bis §5.7, §5.8).
///
/// A value without clock and I/O. Cookies are grouped by site (``site(of:)``), so that a request searches those of its
/// own site only.
struct CookieStore: Sendable {
    /// The cookies of each site that has any.
    private(set) var sites: [String: [StoredCookie]] = [:]
    private(set) var count = 0
    private var nextSerial = 0
    let limits: CookieLimits
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// A cookie with the times and numbers that decide its order.
    struct StoredCookie: Sendable {
        var cookie: Cookie
        var lastAccess: Date
        /// The order of setting, since the cookies of one response have the same creation date.
        var serial: Int

        func isSent(to origin: CookieOrigin, _ context: CookieContext, at now: Date) -> Bool {
            !cookie.isExpired(at: now) && cookie.isSent(to: origin, context)
        }

        func isOlder(than other: StoredCookie) -> Bool {
            (cookie.creation, serial) < (other.cookie.creation, other.serial)
        }
    }

    init(
        limits: CookieLimits = CookieLimits(),
        isPublicSuffix: @escaping @Sendable (String) -> Bool = { PublicSuffixes.contains($0) }
    ) {
        self.limits = limits
        self.isPublicSuffix = isPublicSuffix
    }

    /// Stores the cookies of a response from `origin`, and returns those that were accepted and have not expired.
    mutating func receive(
        _ values: some Sequence<String>, from origin: CookieOrigin, _ context: CookieContext = CookieContext(),
        now: Date
    ) -> [Cookie] {
        values.compactMap { value in
            guard let parsed = SetCookie(value),
                let cookie = Cookie(parsed, from: origin, now: now, isPublicSuffix: isPublicSuffix),
                context.allowsStoring(cookie.sameSite), origin.isSecure || !hidesSecureCookie(cookie, now)
            else { return nil }
            return insert(cookie, now: now)
        }
    }

    /// Stores a cookie of the program's own, replacing the cookie of the same name, domain and path.
    ///
    /// - Returns: `false` for a cookie that cannot be stored and sent; an expired cookie is removed.
    mutating func set(_ cookie: Cookie, now: Date) -> Bool {
        guard cookie.isStorable else { return false }
        _ = insert(cookie, now: now)
        return true
    }

    /// All cookies that have not expired, in the order of setting.
    func cookies(now: Date) -> [Cookie] {
        sites.values.joined().filter { !$0.cookie.isExpired(at: now) }.sorted { $0.serial < $1.serial }.map(\.cookie)
    }

    /// The cookies for a request, in the order of sending: longer paths first, then older cookies.
    func cookies(for origin: CookieOrigin, _ context: CookieContext = CookieContext(), now: Date) -> [Cookie] {
        let sent = sites(of: origin.host).flatMap { site in
            (sites[site] ?? []).filter { $0.isSent(to: origin, context, at: now) }
        }
        return sent.sorted(by: Self.isSentBefore).map(\.cookie)
    }

    /// The value of `Cookie` for a request, `nil` if there are no cookies for it. Marks the cookies as sent now, so
    /// that they are removed last.
    ///
    /// - Parameter names: The names of cookies to leave out.
    mutating func header(
        for origin: CookieOrigin, _ context: CookieContext = CookieContext(), without names: Set<String> = [], now: Date
    ) -> String? {
        let sent = cookies(for: origin, context, now: now).filter { !names.contains($0.name) }
        guard !sent.isEmpty else { return nil }
        markAsSent(to: origin, context, at: now)
        return sent.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    mutating func removeAll() {
        sites = [:]
        count = 0
    }

    mutating func remove(where isUnwanted: (Cookie) -> Bool) {
        for site in Array(sites.keys) { removeEntries(of: site) { isUnwanted($0.cookie) } }
    }

    /// Removes entries of a site, and the site if it becomes empty.
    mutating func removeEntries(of site: String, where isUnwanted: (StoredCookie) -> Bool) {
        guard let entries = sites[site] else { return }
        let kept = entries.filter { !isUnwanted($0) }
        count -= entries.count - kept.count
        sites[site] = kept.isEmpty ? nil : kept
    }

    /// A response over an insecure connection must not replace or shadow a secure cookie (RFC 6265bis §5.7): one of the
    /// same name, whose domain matches the other's in either direction.
    private func hidesSecureCookie(_ cookie: Cookie, _ now: Date) -> Bool {
        sites(of: cookie.domain).lazy.flatMap { sites[$0] ?? [] }.map(\.cookie).contains { other in
            other.isSecure && other.name.hasSameBytes(as: cookie.name) && !other.isExpired(at: now)
                && CookieMatching.path(other.path, matches: cookie.path)
                && (CookieMatching.domain(other.domain, matches: cookie.domain)
                    || CookieMatching.domain(cookie.domain, matches: other.domain))
        }
    }

    /// - Returns: The cookie as it is stored, `nil` if it has expired.
    private mutating func insert(_ cookie: Cookie, now: Date) -> Cookie? {
        let site = site(of: cookie.domain)
        var entry = StoredCookie(cookie: cookie, lastAccess: now, serial: nextSerial)
        nextSerial += 1
        if let old = sites[site]?.first(where: { $0.cookie.isSame(as: cookie) }) {
            if !old.cookie.isExpired(at: now) {
                entry.cookie.creation = old.cookie.creation
                entry.serial = old.serial
            }
            removeEntries(of: site) { $0.serial == old.serial }
        }
        guard !cookie.isExpired(at: now) else { return nil }
        sites[site, default: []].append(entry)
        count += 1
        makeRoom(in: site, now: now)
        return entry.cookie
    }

    private mutating func markAsSent(to origin: CookieOrigin, _ context: CookieContext, at now: Date) {
        for site in sites(of: origin.host) {
            for index in sites[site]?.indices ?? 0..<0
            where sites[site]?[index].isSent(to: origin, context, at: now) == true {
                sites[site]?[index].lastAccess = now
            }
        }
    }

    private static func isSentBefore(_ one: StoredCookie, _ other: StoredCookie) -> Bool {
        let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        return length == otherLength ? one.isOlder(than: other) : length > otherLength
    }

    // MARK: Sites

    /// The registrable domain: the shortest parent domain of the host, or the host itself, that has at least two labels
    /// and is not a public suffix.
    ///
    /// An address, a single label and a public suffix are sites of their own. All hosts below a public suffix that the
    /// rule does not know are one site, which affects only which cookies are removed and searched together.
    func site(of domain: String) -> String {
        let name = CookieMatching.withoutLastDots(domain)
        guard !CookieMatching.isShared(name) else { return name }
        return Self.parents(of: name).reversed().first { $0.utf8.contains(0x2E) && !isPublicSuffix($0) } ?? name
    }

    /// The site of a host, and the public suffixes above it, for which a program may have set cookies.
    private func sites(of host: String) -> [String] {
        let site = site(of: host)
        return CookieMatching.isAddress(site) ? [site] : [site] + Self.parents(of: site)
    }

    /// The parent domains: the rest of the host after each dot.
    private static func parents(of host: String) -> [String] {
        host.utf8.indices.filter { host.utf8[$0] == 0x2E }.map { String(host[host.utf8.index(after: $0)...]) }
    }
}
