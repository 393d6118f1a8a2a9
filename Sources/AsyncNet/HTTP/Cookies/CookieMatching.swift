import Foundation

/// The parts of a URL that decide about cookies.
struct CookieOrigin: Hashable, Sendable {
    /// The host in lower case; an IPv6 address without brackets.
    let host: String
    /// The path as in the URL, percent-encoded; `/` if it is empty.
    let path: String
    /// Whether the scheme is `https` or `wss`. `http://localhost` is not: other users' programs may listen there.
    let isSecure: Bool

    init(host: String, path: String, isSecure: Bool) {
        (self.host, self.path, self.isSecure) = (host, path, isSecure)
    }

    init?(_ url: URL) {
        guard let host = url.host(percentEncoded: false), 1...CookieMatching.maximumHostSize ~= host.utf8.count else {
            return nil
        }
        self.host = CookieMatching.canonicalHost(host)
        let path = url.path(percentEncoded: true)
        self.path = path.utf8.first == 0x2F ? path : "/"
        isSecure = ["https", "wss"].contains(url.scheme?.asciiLowercased)
    }
}

/// Comparison of hosts and paths (RFC 6265bis §5.1.2 to §5.1.4), by bytes. As in browsers, `example.com.` is another
/// host than `example.com`.
package enum CookieMatching {
    /// The limit of a host in octets, as in DNS (RFC 1035 §2.3.4). Longer hosts have no cookies.
    static let maximumHostSize = 255

    package static func canonicalHost(_ host: String) -> String {
        let bare = host.utf8.first == 0x5B && host.utf8.last == 0x5D ? String(host.dropFirst().dropLast()) : host
        return bare.asciiLowercased
    }

    /// The domain of an attribute or a file, without a leading dot.
    static func canonicalDomain(_ domain: String) -> String {
        canonicalHost(domain.utf8.first == 0x2E ? String(domain.unicodeScalars.dropFirst()) : domain)
    }

    static func isCanonicalDomain(_ domain: String) -> Bool {
        guard let first = domain.utf8.first, first != 0x2E, first != 0x5B else { return false }
        guard domain.utf8.count <= maximumHostSize else { return false }
        return domain.utf8.allSatisfy { 0x21...0x7E ~= $0 && !(0x41...0x5A ~= $0) && !notInDomains.contains($0) }
    }

    private static let notInDomains = Set("#/;,?@\\\"".utf8)

    /// Whether the host is an address: it has a colon, or its last label is a number, as in the URL Standard.
    static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(0x3A) { return true }
        let name = host.utf8.last == 0x2E ? host.utf8.dropLast() : host.utf8[...]
        let label = name.suffix(from: name.lastIndex(of: 0x2E).map(name.index(after:)) ?? name.startIndex)
        if label.starts(with: "0x".utf8) { return label.dropFirst(2).allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 } }
        return !label.isEmpty && label.allSatisfy { $0 &- 0x30 < 10 }
    }

    /// Whether no cookie may be set for the domain's subdomains: an address, or a single label such as `com`.
    static func isShared(_ domain: String) -> Bool {
        isAddress(domain) || !withoutLastDots(domain).utf8.contains(0x2E)
    }

    static func withoutLastDots(_ domain: String) -> String {
        var rest = domain.utf8[...]
        while rest.last == 0x2E { rest = rest.dropLast() }
        return String(Substring(rest))
    }

    /// Whether the host equals the domain or is below it; addresses must be equal (RFC 6265bis §5.1.3).
    static func domain(_ domain: String, matches host: String) -> Bool {
        if domain.hasSameBytes(as: host) { return true }
        let (domain, host) = (domain.utf8, host.utf8)
        guard !domain.isEmpty, host.count > domain.count, host.suffix(domain.count).elementsEqual(domain) else {
            return false
        }
        return host.dropLast(domain.count).last == 0x2E && !isAddress(String(Substring(host[...])))
    }

    /// Whether the requested path equals the path or is below it (RFC 6265bis §5.1.4).
    static func path(_ path: String, matches requested: String) -> Bool {
        guard requested.utf8.starts(with: path.utf8) else { return false }
        let rest = requested.utf8.dropFirst(path.utf8.count)
        return rest.isEmpty || path.utf8.last == 0x2F || rest.first == 0x2F
    }

    /// The path of a cookie without a `Path` attribute (RFC 6265bis §5.1.4).
    static func defaultPath(of path: String) -> String {
        guard path.utf8.first == 0x2F, let slash = path.utf8.lastIndex(of: 0x2F), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }
}

extension String {
    /// The text with ASCII letters in lower case; other letters are kept, so that none becomes an ASCII letter.
    var asciiLowercased: String {
        utf8.contains { 0x41...0x5A ~= $0 } ? String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) : self
    }

    /// Compares bytes, since `==` treats `é` and `e` with a combining accent as equal, and servers do not.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
