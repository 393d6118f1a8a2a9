import Foundation

/// What a transport goes through on its way.
public struct ProxyConfiguration: Sendable {
    enum Kind: Sendable {
        case none, environment
        case url(String)
    }
    let kind: Kind
    var username: String?
    var password: String?
    /// Hosts that are reached directly: names, which stand for their subdomains too, addresses, or `*` for all.
    public var bypassedHosts: [String] = []
    /// Whether `http` requests go through a tunnel (CONNECT) too, as `https` requests always do.
    public var alwaysTunnels = false

    /// None, whatever the environment says.
    public static let none = ProxyConfiguration(kind: .none)

    /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say when a request is sent.
    public static let environment = ProxyConfiguration(kind: .environment)

    /// An HTTP proxy.
    public static func http(_ host: String, port: Int, username: String? = nil, password: String? = nil)
        -> ProxyConfiguration
    {
        ProxyConfiguration(kind: .url("http://\(bracketed(host)):\(port)"), username: username, password: password)
    }

    /// A SOCKS5 proxy (RFC 1928, RFC 1929), which also looks up the names of hosts.
    public static func socks5(_ host: String, port: Int, username: String? = nil, password: String? = nil)
        -> ProxyConfiguration
    {
        ProxyConfiguration(kind: .url("socks5h://\(bracketed(host)):\(port)"), username: username, password: password)
    }

    /// A proxy by its URL, in curl's words: `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, with user and
    /// password if it needs them.
    public static func url(_ url: String) -> ProxyConfiguration { ProxyConfiguration(kind: .url(url)) }

    /// The same, but these hosts are reached directly.
    public func bypassing(_ hosts: [String]) -> ProxyConfiguration {
        var copy = self
        copy.bypassedHosts = hosts
        return copy
    }

    /// The same, with `http` requests tunnelled too.
    public func tunnelling() -> ProxyConfiguration {
        var copy = self
        copy.alwaysTunnels = true
        return copy
    }

    private init(kind: Kind, username: String? = nil, password: String? = nil) {
        self.kind = kind
        self.username = username
        self.password = password
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// The proxy's own name, without port, user or password.
    var host: String? {
        guard case .url(let url) = kind else { return nil }
        let authority = (url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]).prefix { $0 != "/" }
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let host =
            hostAndPort.hasPrefix("[") ? hostAndPort.dropFirst().prefix { $0 != "]" } : hostAndPort.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    private var mayBeSOCKS: Bool {
        switch kind {
        case .none: false
        case .environment: true
        case .url(let url): url.lowercased().hasPrefix("socks")
        }
    }

    /// SOCKS5 carries host names of up to 255 bytes (RFC 1928 §5). libcurl 7.69 to 8.3 write longer ones beyond their
    /// buffer (CVE-2023-38545).
    func checkHost(of url: URL) throws(AsyncNetError) {
        guard mayBeSOCKS, let host = url.host(percentEncoded: true), host.utf8.count > 255 else { return }
        throw AsyncNetError(
            .malformedURL, "The URL's host has \(host.utf8.count) bytes; a SOCKS proxy is told at most 255")
    }

    func validate() throws(AsyncNetError) {
        guard case .url(let url) = kind else { return }
        let scheme = url.contains("://") ? String(url.prefix { $0 != ":" }).lowercased() : "http"
        guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
            throw AsyncNetError(
                .invalidConfiguration,
                "A proxy's URL begins with http, https, socks4, socks4a, socks5 or socks5h, not with \(scheme.prefix(20))"
            )
        }
    }
}

extension ProxyConfiguration: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch kind {
        case .none: "no proxy"
        case .environment: "proxy from the environment"
        case .url: "proxy <redacted>"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
