package import Foundation

/// The cookies of a client: which are kept, which replace others, which a request gets (RFC 6265bis §5.7, §5.8).
///
/// A value without clock and I/O. Cookies are kept by domain, so that a request looks at those of its host and of the
/// domains above it only; domains are kept by site (``site(of:)``), so that whatever concerns a site does not look at
/// the cookies of others.
package struct CookieStore: Sendable {
    var domains: [String: StoredDomain] = [:]
    var sites: [String: StoredSite] = [:]
    package var count = 0
    /// No cookie expires before this moment.
    var nextExpiry = Date.distantFuture
    private var nextSerial = 0
    let limits: CookieLimits
    let isPublicSuffix: @Sendable (String) -> Bool

    /// The cookies of one domain, never empty.
    struct StoredDomain: Sendable {
        let site: String
        var entries: [StoredCookie] = []
    }

    /// The domains of one site that have cookies, and how many cookies they have together.
    struct StoredSite: Sendable {
        var domains: Set<String> = []
        var count = 0
    }

    /// A cookie and what the store knows about it.
    struct StoredCookie: Sendable {
        var cookie: Cookie
        var lastAccess: Date
        /// In the order of setting: cookies of one response have one creation date.
        var serial: Int

        func isSent(to origin: CookieOrigin, _ context: CookieContext, _ now: Date) -> Bool {
            !cookie.isExpired(at: now) && cookie.isSent(to: origin, context)
        }

        func isOlder(than other: StoredCookie) -> Bool {
            (cookie.creation, serial) < (other.cookie.creation, other.serial)
        }
    }

    package init(
        limits: CookieLimits = CookieLimits(), isPublicSuffix: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.limits = limits
        self.isPublicSuffix = isPublicSuffix
    }

    /// Keeps what a response from `origin` sets with its values of `Set-Cookie`; returns the cookies that were accepted
    /// and live.
    package mutating func receive(
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

    /// Keeps a cookie of the program's own, in the place of the one of the same name, domain and path.
    ///
    /// - Returns: `false` for one that cannot be kept and sent; one that has ended is removed.
    package mutating func set(_ cookie: Cookie, now: Date) -> Bool {
        guard cookie.isStorable else { return false }
        _ = insert(cookie, now: now)
        return true
    }

    /// All that live, in the order of setting.
    package func cookies(now: Date) -> [Cookie] {
        domains.values.lazy.flatMap(\.entries).filter { !$0.cookie.isExpired(at: now) }
            .sorted { $0.serial < $1.serial }.map(\.cookie)
    }

    /// Those that a request gets, in the order of sending: longer paths first, then older ones.
    package func cookies(for origin: CookieOrigin, _ context: CookieContext = CookieContext(), now: Date) -> [Cookie] {
        matches(origin, context, now).sorted(by: Self.isSentBefore).map(\.cookie)
    }

    /// The value of `Cookie` for a request, `nil` if it gets none. Cookies that are sent are the last to make room for
    /// others.
    ///
    /// - Parameter names: Of cookies that are left out.
    package mutating func header(
        for origin: CookieOrigin, _ context: CookieContext = CookieContext(), without names: Set<String> = [], now: Date
    ) -> String? {
        guard count > 0 else { return nil }
        let sent = sending(to: origin, context, now).filter { !names.contains($0.cookie.name) }.sorted(
            by: Self.isSentBefore)
        guard !sent.isEmpty else { return nil }
        return sent.map { $0.cookie.name.isEmpty ? $0.cookie.value : "\($0.cookie.name)=\($0.cookie.value)" }.joined(
            separator: "; ")
    }

    package mutating func removeAll() {
        (domains, sites, count, nextExpiry) = ([:], [:], 0, .distantFuture)
    }

    package mutating func remove(where isUnwanted: (Cookie) -> Bool) {
        for domain in Array(domains.keys) { removeEntries(of: domain) { isUnwanted($0.cookie) } }
    }

    /// RFC 6265bis §5.7: a response that anybody on the way may have changed must not put a cookie over or beside a
    /// secure one.
    private func hidesSecureCookie(_ cookie: Cookie, _ now: Date) -> Bool {
        relatives(of: cookie.domain).contains { domain in
            domains[domain]?.entries.contains {
                $0.cookie.isSecure && $0.cookie.name.hasSameBytes(as: cookie.name) && !$0.cookie.isExpired(at: now)
                    && CookieMatching.path($0.cookie.path, matches: cookie.path)
            } ?? false
        }
    }

    /// - Returns: The cookie as it is kept, `nil` if it has ended.
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

    private func matches(_ origin: CookieOrigin, _ context: CookieContext, _ now: Date) -> [StoredCookie] {
        Self.domains(above: origin.host).flatMap { domain in
            (domains[domain]?.entries ?? []).filter { $0.isSent(to: origin, context, now) }
        }
    }

    /// Those that match, which count as sent now.
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
        return length == otherLength ? one.isOlder(than: other) : length > otherLength
    }
}
