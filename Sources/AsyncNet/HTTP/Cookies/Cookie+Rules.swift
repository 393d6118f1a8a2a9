package import Foundation

extension Cookie {
    /// In octets: name and value together (RFC 6265bis §5.6).
    package static let maximumSize = 4096

    /// Of the value of one attribute, in octets (RFC 6265bis §5.6).
    package static let maximumAttributeSize = 1024

    /// How long a server's cookie lives at most (RFC 6265bis §5.5): 400 days.
    package static let maximumAge: Int64 = 400 * 86_400

    /// Whether it can be kept and sent: its size, its characters, and what its name and `SameSite=None` promise (RFC
    /// 6265bis §5.7).
    package var isStorable: Bool {
        let size = name.utf8.count + value.utf8.count
        return 1...Self.maximumSize ~= size && path.utf8.count <= Self.maximumAttributeSize
            && isWellFormed && keepsPrefix && (sameSite != .none || isSecure)
    }

    private var isWellFormed: Bool {
        Self.isText(name) && !name.utf8.contains(0x3D) && Self.isText(value) && Self.isText(path)
            && path.utf8.first == 0x2F
            && CookieMatching.isCanonicalDomain(domain)
    }

    /// No semicolon, and no control character but the tab.
    private static func isText(_ text: String) -> Bool {
        HTTPSyntax.isFieldValue(text) && !text.utf8.contains(0x3B)
    }

    /// RFC 6265bis §5.4. A bare value that begins like a prefix would be read by servers as the name.
    private var keepsPrefix: Bool {
        let isBare = name.isEmpty
        let text = isBare ? value : name
        if Self.begins(text, with: "__host-") { return !isBare && isSecure && isHostOnly && path == "/" }
        if Self.begins(text, with: "__secure-") { return !isBare && isSecure }
        return true
    }

    /// Byte by byte: `hasPrefix` would miss one before a combining character.
    static func begins(_ text: String, with prefix: String) -> Bool {
        text.utf8.prefix(prefix.utf8.count).lazy.map(\.asciiLowercased).elementsEqual(prefix.utf8)
    }

    /// Whether it has ended.
    package func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether it replaces, or is replaced by, the other one (RFC 6265bis §5.7).
    package func isSame(as other: Cookie) -> Bool {
        name.hasSameBytes(as: other.name) && domain.hasSameBytes(as: other.domain) && path.hasSameBytes(as: other.path)
            && isHostOnly == other.isHostOnly
    }

    /// Whether a request to `origin` gets it, expiry aside (RFC 6265bis §5.8.3).
    package func isSent(to origin: CookieOrigin, _ context: CookieContext) -> Bool {
        let isHost =
            isHostOnly ? domain.hasSameBytes(as: origin.host) : CookieMatching.domain(domain, matches: origin.host)
        return isHost && (origin.isSecure || !isSecure) && context.allowsSending(sameSite)
            && CookieMatching.path(path, matches: origin.path)
    }
}

/// What caused a request, as `SameSite` asks.
package struct CookieContext: Hashable, Sendable {
    package var isSameSite: Bool
    /// Of a safe method.
    package var isTopLevelNavigation: Bool

    package init(isSameSite: Bool = true, isTopLevelNavigation: Bool = false) {
        self.isSameSite = isSameSite
        self.isTopLevelNavigation = isTopLevelNavigation
    }

    /// RFC 6265bis §5.8.3.
    func allowsSending(_ sameSite: Cookie.SameSite) -> Bool {
        isSameSite || sameSite == .none || isTopLevelNavigation && sameSite != .strict
    }

    /// RFC 6265bis §5.7: a navigation may set cookies that it does not get.
    package func allowsStoring(_ sameSite: Cookie.SameSite) -> Bool {
        isSameSite || isTopLevelNavigation || sameSite == .none
    }
}
