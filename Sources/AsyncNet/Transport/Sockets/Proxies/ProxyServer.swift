import Foundation

struct ProxyServer: Hashable, Sendable {
    enum Kind: String, Sendable {
        case http, https, socks4, socks4a, socks5, socks5h

        var isHTTP: Bool { self == .http || self == .https }
        /// Whether the proxy gets the server's address, which this machine looks up, and not its name.
        var takesAddress: Bool { self == .socks4 || self == .socks5 }
    }

    struct Credentials: Hashable, Sendable {
        let user: String
        let password: String
    }

    let kind: Kind
    let endpoint: ServerEndpoint
    let credentials: Credentials?
    let headers: HTTPHeaders

    /// - Parameters:
    ///   - url: As in ``ProxyConfiguration/url(_:)``; without a scheme it is an HTTP proxy, as in curl.
    ///   - headers: Headers for an HTTP proxy; a `Proxy-Authorization` among them replaces all other credentials.
    init(
        _ url: String, _ credentials: Credentials? = nil, _ headers: HTTPHeaders = [:]
    ) throws(AsyncNetError) {
        let start = url.range(of: "://")
        // GNOME writes `socks` into the environment, which is SOCKS4 to curl.
        let scheme = start.map { url[..<$0.lowerBound].lowercased() } ?? "http"
        guard let kind = Kind(rawValue: scheme == "socks" ? "socks4" : scheme) else {
            throw AsyncNetError(.invalidConfiguration, ProxyConfiguration.schemes)
        }
        self.kind = kind
        let authority = url[(start?.upperBound ?? url.startIndex)...].prefix { !"/?#".contains($0) }
        let at = authority.lastIndex(of: "@")
        endpoint = try Self.endpoint(authority[(at.map(authority.index(after:)) ?? authority.startIndex)...], kind)
        let isAuthorized = headers.contains(name: "Proxy-Authorization")
        self.credentials = isAuthorized ? nil : at.flatMap { Self.credentials(authority[..<$0]) } ?? credentials
        // The environment may name a proxy of another kind, to which the headers do not apply.
        self.headers = kind.isHTTP ? headers : [:]
        try check()
    }

    /// If the URL has no port, the port is curl's default: 443 for an HTTPS proxy, else 1080.
    private static func endpoint(_ authority: Substring, _ kind: Kind) throws(AsyncNetError) -> ServerEndpoint {
        let isTLS = kind == .https
        do throws(AsyncNetError) {
            let (host, port) = try ServerEndpoint.split(authority)
            guard HostName(host) != nil else { throw AsyncNetError(.malformedURL) }
            let number = try ServerEndpoint.port(port) ?? (isTLS ? 443 : 1080)
            return ServerEndpoint(isTLS: isTLS, host: host.lowercased(), port: number)
        } catch {
            throw AsyncNetError(.invalidConfiguration, "The proxy's URL has no valid host and port")
        }
    }

    private static func credentials(_ userinfo: Substring) -> Credentials? {
        guard !userinfo.isEmpty else { return nil }
        let user = userinfo.prefix { $0 != ":" }
        return Credentials(user: decoded(user), password: decoded(userinfo[user.endIndex...].dropFirst()))
    }

    private static func decoded(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }

    /// Refuses credentials that the proxy's protocol cannot carry.
    private func check() throws(AsyncNetError) {
        guard let credentials else { return }
        let lengths = [credentials.user.utf8.count, credentials.password.utf8.count]
        let problem: String? =
            if credentials.user.hasControlCharacter || credentials.password.hasControlCharacter {
                "must not have control characters"
            } else if kind.isHTTP {
                credentials.user.utf8.contains(UInt8(ascii: ":"))
                    ? "cannot be sent: in Basic authentication a colon ends the user's name" : nil
            } else {
                lengths.contains { $0 > 255 } ? "must have at most 255 bytes each for a SOCKS proxy" : nil
            }
        guard let problem else { return }
        throw AsyncNetError(.invalidConfiguration, "The proxy's user and password \(problem)")
    }
}
