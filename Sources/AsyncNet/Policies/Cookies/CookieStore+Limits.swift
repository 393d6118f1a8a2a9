import Foundation

/// How many cookies are kept (RFC 6265bis §6.1 requires at least 50 of a domain and 3000 in all).
struct CookieLimits: Sendable {
    /// 180 is the limit of Chrome and Firefox for a site.
    var perDomain = 180
    var total = 3000
    /// Above the total, cookies of sites with more cookies than this are removed first.
    var crowdedSite = 50
}

extension CookieStore {
    /// Removes cookies above the limits, expired cookies first (RFC 6265bis §5.7).
    ///
    /// In a domain above its limit, cookies that are not secure are removed before secure ones. Above the total, sites
    /// with more than 50 cookies lose some, the largest site first, so that no site displaces the cookies of others. If
    /// that is not enough, a tenth of all cookies is removed, so that the next cookies need no search. Otherwise the
    /// cookies that were sent longest ago are removed first.
    mutating func makeRoom(in domain: String, now: Date) {
        if size(of: domain) > limits.perDomain {
            removeEntries(of: domain) { $0.cookie.isExpired(at: now) }
            removeLeastWanted(size(of: domain) - limits.perDomain, of: [domain])
        }
        guard count > limits.total else { return }
        removeExpired(now)
        guard count > limits.total else { return }
        let excess = count - limits.total + limits.total / 10
        removeFromCrowdedSites(excess)
        guard count > limits.total else { return }
        remove(count - limits.total + limits.total / 10, of: Array(domains.keys)) { (0, $0.lastAccess, $0.serial) }
    }

    private func size(of domain: String) -> Int { domains[domain]?.entries.count ?? 0 }

    /// Searches all cookies only if one may have expired.
    private mutating func removeExpired(_ now: Date) {
        guard nextExpiry <= now else { return }
        for domain in Array(domains.keys) { removeEntries(of: domain) { $0.cookie.isExpired(at: now) } }
        nextExpiry = domains.values.lazy.flatMap(\.entries).compactMap(\.cookie.expires).min() ?? .distantFuture
    }

    /// Reduces the largest sites to equal numbers of cookies, at least `crowdedSite`, until `excess` are removed.
    private mutating func removeFromCrowdedSites(_ excess: Int) {
        let crowded = sites.filter { $0.value.count > limits.crowdedSite }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let level = Self.level(of: crowded.map(\.value.count), removing: excess, least: limits.crowdedSite)
        var left = excess
        for (_, site) in crowded where left > 0 && site.count > level {
            removeLeastWanted(min(left, site.count - level), of: Array(site.domains))
            left -= site.count - level
        }
    }

    /// How many cookies each site may keep, so that `excess` cookies are removed in all. `sizes` are descending.
    static func level(of sizes: [Int], removing excess: Int, least: Int) -> Int {
        var sum = 0
        for (index, size) in sizes.enumerated() {
            sum += size
            let next = index + 1 < sizes.count ? sizes[index + 1] : least
            let kept = sum - excess
            if kept >= next * (index + 1) { return max(least, kept / (index + 1)) }
        }
        return least
    }

    /// Removes `excess` cookies of these domains, those that are not secure first.
    private mutating func removeLeastWanted(_ excess: Int, of candidates: [String]) {
        remove(excess, of: candidates) { ($0.cookie.isSecure ? 1 : 0, $0.lastAccess, $0.serial) }
    }

    private mutating func remove(_ excess: Int, of candidates: [String], rank: (StoredCookie) -> (Int, Date, Int)) {
        guard excess > 0 else { return }
        let ranks = candidates.flatMap { (domains[$0]?.entries ?? []).map(rank) }
        guard let last = excess == 1 ? ranks.min(by: <) : ranks.sorted(by: <).prefix(excess).last else { return }
        for domain in candidates { removeEntries(of: domain) { rank($0) <= last } }
    }
}
