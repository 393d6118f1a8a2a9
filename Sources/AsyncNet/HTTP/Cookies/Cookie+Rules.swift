import Foundation

extension Cookie {
    /// The limit of name and value together, in octets (RFC 6265bis §5.6).
    static let maximumSize = 4096

    /// The limit of an attribute's value, in octets (RFC 6265bis §5.6).
    static let maximumAttributeSize = 1024

    /// The longest lifetime of a server's cookie, 400 days (RFC 6265bis §5.5).
    static let maximumAge: Int64 = 400 * 86_400

    /// Whether the cookie can be stored and sent: its size and characters are valid, and it keeps the rules of its
    /// prefix and of `SameSite=None` (RFC 6265bis §5.7).
    var isStorable: Bool {
        let size = name.utf8.count + value.utf8.count
        return 1...Self.maximumSize ~= size && path.utf8.count <= Self.maximumAttributeSize
            && isWellFormed && keepsPrefix && (sameSite != .none || isSecure)
    }

    private var isWellFormed: Bool {
        Self.isText(name) && !name.utf8.contains(0x3D) && Self.isText(value) && Self.isText(path)
            && path.utf8.first == 0x2F
            && CookieMatching.isCanonicalDomain(domain)
    }

    /// No semicolon, and no control character except the tab.
    private static func isText(_ text: String) -> Bool {
        HTTPSyntax.isFieldValue(text) && !text.utf8.contains(0x3B)
    }

    /// Whether the rules of name prefixes are kept (RFC 6265bis §5.4). Without a name, a value that begins with a
    /// prefix is refused, since servers would read it as a name.
    private var keepsPrefix: Bool {
        let isBare = name.isEmpty
        let text = isBare ? value : name
        if Self.begins(text, with: "__host-") { return !isBare && isSecure && isHostOnly && path == "/" }
        if Self.begins(text, with: "__secure-") { return !isBare && isSecure }
        return true
    }

    /// Compares bytes: `hasPrefix` would miss a prefix before a combining character.
    static func begins(_ text: String, with prefix: String) -> Bool {
        text.utf8.prefix(prefix.utf8.count).lazy.map(\.asciiLowercased).elementsEqual(prefix.utf8)
    }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether name, domain, path and `isHostOnly` are equal: the later cookie replaces the earlier (RFC 6265bis §5.7).
    func isSame(as other: Cookie) -> Bool {
        name.hasSameBytes(as: other.name) && domain.hasSameBytes(as: other.domain) && path.hasSameBytes(as: other.path)
            && isHostOnly == other.isHostOnly
    }

    /// Whether a request to `origin` carries the cookie, regardless of expiry (RFC 6265bis §5.8.3).
    func isSent(to origin: CookieOrigin, _ context: CookieContext) -> Bool {
        let isHost =
            isHostOnly ? domain.hasSameBytes(as: origin.host) : CookieMatching.domain(domain, matches: origin.host)
        return isHost && (origin.isSecure || !isSecure) && context.allowsSending(sameSite)
            && CookieMatching.path(path, matches: origin.path)
    }
}

/// The cause of a request, which `SameSite` depends on.
struct CookieContext: Hashable, Sendable {
    var isSameSite = true
    /// Whether a user navigates to the page, by a safe method.
    var isTopLevelNavigation = false

    /// Whether a request with this cause carries a cookie (RFC 6265bis §5.8.3).
    func allowsSending(_ sameSite: Cookie.SameSite) -> Bool {
        isSameSite || sameSite == .none || isTopLevelNavigation && sameSite != .strict
    }

    /// Whether the response to a request with this cause may set a cookie (RFC 6265bis §5.7): the response to a
    /// navigation may set cookies that the request does not carry.
    func allowsStoring(_ sameSite: Cookie.SameSite) -> Bool {
        isSameSite || isTopLevelNavigation || sameSite == .none
    }
}
