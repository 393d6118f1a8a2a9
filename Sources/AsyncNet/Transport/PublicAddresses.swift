/// Which addresses belong to servers on the Internet, by IANA's special-purpose address registries (RFC 6890) of October 2025.
enum PublicAddresses {
    /// Why an address of 4 or 16 bytes is not public; `nil` if it is public.
    static func objection(to address: [UInt8]) -> String? {
        guard address.count == 16 else { return objection(to: address, special: ipv4, global: globalIPv4) }
        let embedded = EmbeddedAddresses(in: address)
        if let target = embedded.target { return objection(to: target) }
        if let objection = objection(to: address, special: ipv6, global: globalIPv6) { return objection }
        if let objection = embedded.others.lazy.compactMap({ objection(to: $0) }).first { return objection }
        return globalUnicast.contains(address) ? nil : "not a global unicast address (2000::/3)"
    }

    private static func objection(
        to address: [UInt8], special: [(networks: [IPNetwork], text: String)], global: [IPNetwork]
    ) -> String? {
        guard !global.contains(address) else { return nil }
        return special.first { $0.networks.contains(address) }?.text
    }

    private static func special(_ list: [(StaticString, String)]) -> [(networks: [IPNetwork], text: String)] {
        list.map { (IPNetwork.known($0), "\($1) (\($0))") }
    }

    private static let ipv4 = special([
        ("0.0.0.0/8", "an address of this host"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "of a carrier's NAT"),
        ("127.0.0.0/8", "loopback"), ("169.254.0.0/16", "link-local"), ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols"), ("192.0.2.0/24", "for documentation"),
        ("192.88.99.0/24", "of 6to4 relays"), ("192.168.0.0/16", "private"), ("198.18.0.0/15", "for benchmarks"),
        ("198.51.100.0/24", "for documentation"), ("203.0.113.0/24", "for documentation"), ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"), ("168.63.129.16/32", "of a cloud's own services"),
    ])
    private static let globalIPv4 = ["192.0.0.9/32", "192.0.0.10/32"].flatMap(IPNetwork.known)

    private static let globalUnicast = IPNetwork.known("2000::/3")
    private static let ipv6 = special([
        ("::/128", "an address of this host"), ("::1/128", "loopback"), ("64:ff9b:1::/48", "of a local translator"),
        ("100::/64", "discarded"), ("100:0:0:1::/64", "a dummy"), ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "for documentation"), ("3fff::/20", "for documentation"), ("5f00::/16", "of segment routing"),
        ("fc00::/7", "private"), ("fe80::/10", "link-local"), ("fec0::/10", "site-local"), ("ff00::/8", "multicast"),
    ])
    /// Public networks within those of `ipv6`; also Teredo (2001::/32, RFC 4380), whose embedded addresses are judged.
    private static let globalIPv6 = [
        "2001::/32", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48",
        "2001:20::/28", "2001:30::/28",
    ].flatMap(IPNetwork.known)
}
