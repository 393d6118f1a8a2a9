extension CookieStore {
    /// The registrable domain: the shortest parent domain of the host, or the host itself, that has at least two labels
    /// and is not a public suffix.
    ///
    /// An address, a single label and a public suffix are sites of their own. All hosts below a public suffix that
    /// `isPublicSuffix` does not know are one site, which affects only which cookies are removed and searched together.
    func site(of domain: String) -> String {
        let name = CookieMatching.withoutLastDots(domain)
        guard !CookieMatching.isShared(name) else { return name }
        return Self.parents(of: name).reversed().first { $0.utf8.contains(0x2E) && !isPublicSuffix($0) } ?? name
    }

    /// The domains with cookies that equal this domain, or are above or below it (RFC 6265bis §5.7: either
    /// domain-matches the other).
    ///
    /// A public suffix has no such domains below it, as all cookies of a public suffix are host-only.
    func relatives(of domain: String) -> [String] {
        let above = Self.domains(above: domain).filter { domains[$0] != nil }
        let below = sites[site(of: domain)]?.domains.filter { Self.isBelow($0, domain) }
        return above + (below ?? [])
    }

    /// Whether the name is below the domain; neither is an address. The dot usually decides, so it is compared first.
    private static func isBelow(_ name: String, _ domain: String) -> Bool {
        let (bytes, count) = (name.utf8, domain.utf8.count)
        guard bytes.count > count else { return false }
        let start = bytes.index(bytes.endIndex, offsetBy: -count)
        return bytes[bytes.index(before: start)] == 0x2E && bytes[start...].elementsEqual(domain.utf8)
    }

    static func domains(above host: String) -> [String] {
        guard !CookieMatching.isAddress(host) else { return [host] }
        return [host] + parents(of: host)
    }

    private static func parents(of host: String) -> [String] {
        host.utf8.indices.filter { host.utf8[$0] == 0x2E }.map { String(host[host.utf8.index(after: $0)...]) }
    }

    mutating func append(_ entry: StoredCookie) {
        let domain = entry.cookie.domain
        let site = domains[domain]?.site ?? site(of: domain)
        domains[domain, default: StoredDomain(site: site)].entries.append(entry)
        sites[site, default: StoredSite()].domains.insert(domain)
        sites[site]?.count += 1
        count += 1
    }

    /// Removes entries, and domains and sites that become empty.
    mutating func removeEntries(of domain: String, where isUnwanted: (StoredCookie) -> Bool) {
        guard let index = domains.index(forKey: domain) else { return }
        let (before, site) = (domains.values[index].entries.count, domains.values[index].site)
        domains.values[index].entries.removeAll(where: isUnwanted)
        let left = domains.values[index].entries.count
        guard left < before else { return }
        if left == 0 { domains.remove(at: index) }
        forget(before - left, of: site, domain: left == 0 ? domain : nil)
    }

    /// - Parameter domain: The domain whose last cookie was removed; `nil` if the domain has cookies left.
    private mutating func forget(_ removed: Int, of site: String, domain: String?) {
        count -= removed
        if let domain { sites[site]?.domains.remove(domain) }
        sites[site]?.count -= removed
        if sites[site]?.count == 0 { sites[site] = nil }
    }
}
