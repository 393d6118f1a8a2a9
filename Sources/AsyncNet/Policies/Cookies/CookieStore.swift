import Foundation

/// A client's cookies: which are stored, which replace others, and which a request carries (RFC 6265bis §5.7, §5.8).
///
/// A value without clock and I/O. Cookies are grouped by domain, so that a request searches only those of its host and
/// the parent domains; domains are grouped by site (``site(of:)``), so that the limits of a site do not search the
/// cookies of other sites.
struct CookieStore: Sendable {
    var domains: [String: StoredDomain] = [:]
    var sites: [String: StoredSite] = [:]
    var count = 0
    /// A time before which no cookie expires.
    var nextExpiry = Date.distantFuture
    private var nextSerial = 0
    let limits: CookieLimits
    let isPublicSuffix: @Sendable (String) -> Bool

    /// The cookies of one domain; never empty.
    struct StoredDomain: Sendable {
        let site: String
        var entries: [StoredCookie] = []
    }

    struct StoredSite: Sendable {
        var domains: Set<String> = []
        var count = 0
    }

    struct StoredCookie: Sendable {
        var cookie: Cookie
        var lastAccess: Date
        /// The order of setting, since the cookies of one response have the same creation date.
        var serial: Int

        func isSent(to origin: CookieOrigin, _ context: CookieContext, _ now: Date) -> Bool {
            !cookie.isExpired(at: now) && cookie.isSent(to: origin, context)
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

    /// Stores a cookie that the program sets; if it has expired, removes the stored one instead. Returns `false` for a
    /// cookie that cannot be stored and sent.
    mutating func set(_ cookie: Cookie, now: Date) -> Bool {
        guard cookie.isStorable else { return false }
        _ = insert(cookie, now: now)
        return true
    }

    /// All cookies that have not expired, in the order of setting.
    func cookies(now: Date) -> [Cookie] {
        domains.values.lazy.flatMap(\.entries).filter { !$0.cookie.isExpired(at: now) }
            .sorted { $0.serial < $1.serial }.map(\.cookie)
    }

    /// The cookies for a request, in the order of sending: longer paths first, then older cookies.
    func cookies(for origin: CookieOrigin, _ context: CookieContext = CookieContext(), now: Date) -> [Cookie] {
        let matches = Self.domains(above: origin.host).flatMap { domain in
            (domains[domain]?.entries ?? []).filter { $0.isSent(to: origin, context, now) }
        }
        return matches.sorted(by: Self.isSentBefore).map(\.cookie)
    }

    /// The value of `Cookie` for a request, `nil` if there are no cookies for it. Marks the cookies as sent now, so
    /// that they are removed last.
    mutating func header(
        for origin: CookieOrigin, _ context: CookieContext = CookieContext(), without names: Set<String> = [], now: Date
    ) -> String? {
        guard count > 0 else { return nil }
        let sent = sending(to: origin, context, now).filter { !names.contains($0.cookie.name) }.sorted(
            by: Self.isSentBefore)
        guard !sent.isEmpty else { return nil }
        return sent.map { $0.cookie.name.isEmpty ? $0.cookie.value : "\($0.cookie.name)=\($0.cookie.value)" }.joined(
            separator: "; ")
    }

    mutating func removeAll() {
        (domains, sites, count, nextExpiry) = ([:], [:], 0, .distantFuture)
    }

    mutating func remove(where isUnwanted: (Cookie) -> Bool) {
        for domain in Array(domains.keys) { removeEntries(of: domain) { isUnwanted($0.cookie) } }
    }

    /// A response over an insecure connection must not replace or shadow a secure cookie (RFC 6265bis §5.7).
    private func hidesSecureCookie(_ cookie: Cookie, _ now: Date) -> Bool {
        relatives(of: cookie.domain).contains { domain in
            domains[domain]?.entries.contains {
                $0.cookie.isSecure && $0.cookie.name.hasSameBytes(as: cookie.name) && !$0.cookie.isExpired(at: now)
                    && CookieMatching.path($0.cookie.path, matches: cookie.path)
            } ?? false
        }
    }

    /// - Returns: The cookie as it is stored, `nil` if it has expired.
    private mutating func insert(_ cookie: Cookie, now: Date) -> Cookie? {
        var entry = StoredCookie(cookie: cookie, lastAccess: now, serial: nextSerial)
        nextSerial += 1
        let index = domains[cookie.domain]?.entries.firstIndex { $0.cookie.isSame(as: cookie) }
        if let index, let old = domains[cookie.domain]?.entries[index], !old.cookie.isExpired(at: now) {
            entry.cookie.creation = old.cookie.creation
            entry.serial = old.serial
        }
        guard !cookie.isExpired(at: now) else {
            if index != nil { removeEntries(of: cookie.domain) { $0.cookie.isSame(as: cookie) } }
            return nil
        }
        nextExpiry = min(nextExpiry, cookie.expires ?? .distantFuture)
        if let index {
            domains[cookie.domain]?.entries[index] = entry
            return entry.cookie
        }
        append(entry)
        makeRoom(in: cookie.domain, now: now)
        return entry.cookie
    }

    /// The matching cookies, marked as sent now.
    private mutating func sending(to origin: CookieOrigin, _ context: CookieContext, _ now: Date) -> [StoredCookie] {
        var sent: [StoredCookie] = []
        for domain in Self.domains(above: origin.host) {
            guard let index = domains.index(forKey: domain) else { continue }
            Self.touch(&domains.values[index].entries, origin, context, now, &sent)
        }
        return sent
    }

    private static func touch(
        _ entries: inout [StoredCookie], _ origin: CookieOrigin, _ context: CookieContext, _ now: Date,
        _ sent: inout [StoredCookie]
    ) {
        for index in entries.indices where entries[index].isSent(to: origin, context, now) {
            entries[index].lastAccess = now
            sent.append(entries[index])
        }
    }

    private static func isSentBefore(_ one: StoredCookie, _ other: StoredCookie) -> Bool {
        let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        guard length == otherLength else { return length > otherLength }
        return (one.cookie.creation, one.serial) < (other.cookie.creation, other.serial)
    }
}
