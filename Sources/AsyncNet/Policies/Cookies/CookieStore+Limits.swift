import Foundation

/// How many cookies are kept (RFC 6265bis §6.1 asks for 50 of a domain and 3000 at least).
package struct CookieLimits: Sendable {
    /// 180 is what Chrome and Firefox keep of a site.
    package var perDomain = 180
    package var total = 3000
    /// Domains with more than these give way first when all cookies together are too many.
    package var crowdedDomain = 50

    package init() {}
}

extension CookieStore {
    /// Keeps the limits. Expired cookies go first, then those that are not secure of crowded domains, then any of crowded domains, then any;
    /// always the one that was sent longest ago (RFC 6265bis §5.7).
    ///
    /// When all are too many a tenth goes at once, so that the next ones need no search.
    mutating func makeRoom(in domain: String, now: Date) {
        if size(of: domain) > limits.perDomain {
            removeEntries(of: domain) { $0.cookie.isExpired(at: now) }
            removeLeastWanted(size(of: domain) - limits.perDomain, of: [domain], crowded: limits.perDomain)
        }
        guard count > limits.total else { return }
        let domains = Array(domains.keys)
        for domain in domains { removeEntries(of: domain) { $0.cookie.isExpired(at: now) } }
        guard count > limits.total else { return }
        removeLeastWanted(count - limits.total + limits.total / 10, of: domains, crowded: limits.crowdedDomain)
    }

    private func size(of domain: String) -> Int { domains[domain]?.count ?? 0 }

    private mutating func removeLeastWanted(_ excess: Int, of candidates: [String], crowded limit: Int) {
        var excess = excess
        while excess > 0 {
            let removed = removeLeastWantedOnce(excess, of: candidates, crowded: limit)
            guard removed > 0 else { return }
            excess -= removed
        }
    }

    /// Removes as many as are wanted less than all others; the rest of a domain that is crowded no longer waits for the next round.
    private mutating func removeLeastWantedOnce(_ excess: Int, of candidates: [String], crowded limit: Int) -> Int {
        var sizes = Dictionary(uniqueKeysWithValues: candidates.map { ($0, size(of: $0)) })
        var unwanted: [String: Set<Int>] = [:]
        var (left, someWait) = (excess, false)
        for rank in ranks(of: candidates, crowded: limit) where left > 0 {
            let size = sizes[rank.domain] ?? 0
            if someWait, !rank.isCrowded { break }
            if rank.isCrowded, size <= limit {
                someWait = true
                continue
            }
            sizes[rank.domain] = size - 1
            unwanted[rank.domain, default: []].insert(rank.serial)
            left -= 1
        }
        for (domain, serials) in unwanted { removeEntries(of: domain) { serials.contains($0.serial) } }
        return excess - left
    }

    private func ranks(of candidates: [String], crowded limit: Int) -> [EvictionRank] {
        candidates.flatMap { domain in
            let entries = domains[domain] ?? []
            return entries.map { EvictionRank($0, isCrowded: entries.count > limit) }
        }.sorted()
    }

    /// The lowest goes first.
    private struct EvictionRank: Comparable {
        let priority: Int
        let lastAccess: Date
        let serial: Int
        let domain: String
        var isCrowded: Bool { priority < 2 }

        init(_ entry: StoredCookie, isCrowded: Bool) {
            priority = !isCrowded ? 2 : entry.cookie.isSecure ? 1 : 0
            lastAccess = entry.lastAccess
            serial = entry.serial
            domain = entry.cookie.domain
        }

        static func < (one: EvictionRank, other: EvictionRank) -> Bool {
            (one.priority, one.lastAccess, one.serial) < (other.priority, other.lastAccess, other.serial)
        }
    }
}
