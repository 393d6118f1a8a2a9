import Foundation

/// How many cookies are kept (RFC 6265bis §6.1 requires at least 50 of a domain and 3000 in all).
struct CookieLimits: Sendable {
    /// 180 is the limit of Chrome and Firefox for a site.
    var perSite = 180
    var total = 3000
}

extension CookieStore {
    /// Removes cookies above the limits, expired cookies first (RFC 6265bis §5.7).
    ///
    /// - Of a site above its limit, cookies that are not secure are removed before others, so that no site displaces the
    ///   cookies of others.
    /// - Above the total, a tenth of all is removed, so that the next cookies need no search.
    ///
    /// Among equals, the cookies that were sent longest ago are removed first.
    mutating func makeRoom(in site: String, now: Date) {
        if (sites[site]?.count ?? 0) > limits.perSite {
            removeEntries(of: site) { $0.cookie.isExpired(at: now) }
            remove((sites[site]?.count ?? 0) - limits.perSite, of: [site]) {
                ($0.cookie.isSecure ? 1 : 0, $0.lastAccess, $0.serial)
            }
        }
        guard count > limits.total else { return }
        remove { $0.isExpired(at: now) }
        remove(count - limits.total + limits.total / 10, of: Array(sites.keys)) { (0, $0.lastAccess, $0.serial) }
    }

    /// Removes the `excess` cookies with the lowest ranks.
    private mutating func remove(_ excess: Int, of candidates: [String], rank: (StoredCookie) -> (Int, Date, Int)) {
        guard excess > 0 else { return }
        let ranks = candidates.flatMap { (sites[$0] ?? []).map(rank) }
        guard let last = excess == 1 ? ranks.min(by: <) : ranks.sorted(by: <).prefix(excess).last else { return }
        for site in candidates { removeEntries(of: site) { rank($0) <= last } }
    }
}
