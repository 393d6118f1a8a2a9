package import Foundation

/// The proxy that a transport uses.
///
/// Passwords do not appear in descriptions or errors. A proxy's URL with an unknown scheme ends each request with
/// `.invalidConfiguration`.
public struct ProxyConfiguration: Sendable {
    package enum Kind: Sendable {
        case none, environment
        case url(String)
    }
    package let kind: Kind
    package var username: String?
    package var password: String?
    var bypassedHosts: [String] = []
    package private(set) var alwaysTunnels = false
    /// Which HTTPS proxies are trusted, and the client certificate for them. ``TLSConfiguration/system`` by default.
    /// The settings for servers, such as ``SocketTransport/Configuration/tls``, do not apply to the proxy, and these
    /// settings do not apply to servers.
    public var tls = TLSConfiguration.system
    /// Headers for an HTTP or HTTPS proxy: of CONNECT, and of each request that the proxy passes on, unless the request has
    /// the same header. Empty by default.
    ///
    /// Servers behind a tunnel do not receive these headers. A `Proxy-Authorization` is sent instead of user and
    /// password. With headers for the URL of a SOCKS proxy, or with a header that the transport writes itself, such as
    /// `Host`, each request ends with `.invalidConfiguration`; a SOCKS proxy of the environment is sent no headers.
    public var headers: HTTPHeaders = [:]

    /// No proxy. The environment is ignored.
    public static let none = ProxyConfiguration(kind: .none)

    /// The proxy in the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read for each
    /// request. `no_proxy` has the forms of ``bypassing(_:)``, separated by commas or spaces.
    public static let environment = ProxyConfiguration(kind: .environment)

    /// An HTTP proxy, with the credentials that it requires: sent as Basic at once (RFC 7617), and by ``SocketTransport`` as
    /// Digest (RFC 7616) after a challenge.
    public static func http(_ host: String, port: Int, username: String? = nil, password: String? = nil)
        -> ProxyConfiguration
    {
        ProxyConfiguration(kind: .url("http://\(bracketed(host)):\(port)"), username: username, password: password)
    }

    /// A SOCKS5 proxy (RFC 1928, RFC 1929), which also looks up host names.
    public static func socks5(_ host: String, port: Int, username: String? = nil, password: String? = nil)
        -> ProxyConfiguration
    {
        ProxyConfiguration(kind: .url("socks5h://\(bracketed(host)):\(port)"), username: username, password: password)
    }

    /// A proxy by its URL. The scheme is `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, as in curl; user
    /// and password may stand before the host.
    ///
    /// - Parameters:
    ///   - url: The proxy's URL.
    ///   - tls: See ``tls``. Over libcurl, another value, or headers, end each request with `.unsupportedByTransport`.
    ///   - headers: See ``headers``.
    public static func url(
        _ url: String, tls: TLSConfiguration = .system, headers: HTTPHeaders = [:]
    ) -> ProxyConfiguration {
        var proxy = ProxyConfiguration(kind: .url(url))
        (proxy.tls, proxy.headers) = (tls, headers)
        return proxy
    }

    /// A copy that connects to these hosts without the proxy.
    ///
    /// `example.com` and `.example.com` are for the name and its subdomains, `*.example.com` for the subdomains only,
    /// `10.0.0.1`, `::1` and `[::1]` for the address, `10.0.0.0/8` and `fd00::/8` for the network, `*` for all. A port
    /// may follow, and the entry is then for this port only: `example.com:8443`, `[::1]:8080`. Names are not looked up.
    public func bypassing(_ hosts: [String]) -> ProxyConfiguration {
        var copy = self
        copy.bypassedHosts = hosts
        return copy
    }

    /// A copy that uses a tunnel (CONNECT, RFC 9110 §9.3.6) for `http` requests too, as `https` requests always do.
    public func tunnelling() -> ProxyConfiguration {
        var copy = self
        copy.alwaysTunnels = true
        return copy
    }

    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    package func isBypassed(by url: URL) -> Bool {
        if case .none = kind { return false }
        guard let host = url.host else { return false }
        return isBypassed(by: host, port: url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))
    }

    func isBypassed(by host: String, port: Int) -> Bool {
        switch kind {
        case .none: return false
        case .url: return ProxyBypass(bypassedHosts).contains(host, port: port)
        case .environment:
            let hosts = Self.environmentBypass().map { bypassedHosts + [$0] } ?? bypassedHosts
            return ProxyBypass(hosts).contains(host, port: port)
        }
    }

    /// The list of hosts without a proxy in the environment now; an empty variable counts as none, as in curl.
    static func environmentBypass(
        _ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> String? {
        ["no_proxy", "NO_PROXY"].lazy.compactMap(variable).first { !$0.isEmpty }
    }

    /// The proxy's URL in the environment now, as curl looks for it; `nil` without one. `HTTP_PROXY` does not count: in
    /// a CGI program this variable has the value of a client's header (CVE-2016-5385).
    package static func environmentURL(
        isTLS: Bool, _ variable: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> String? {
        let names = (isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        return names.lazy.compactMap(variable).first { !$0.isEmpty }
    }

    /// Refuses host names of more than 255 bytes if the proxy may be SOCKS, which cannot carry them (RFC 1928 §5).
    package func checkHost(_ host: String) throws(AsyncNetError) {
        let mayBeSOCKS =
            switch kind {
            case .none: false
            case .environment: true
            case .url(let url): url.lowercased().hasPrefix("socks")
            }
        guard mayBeSOCKS, host.utf8.count > 255 else { return }
        throw AsyncNetError(
            .malformedURL, "The URL's host has \(host.utf8.count) bytes; a SOCKS proxy accepts at most 255")
    }

    package static let schemes = "A proxy's URL must have the scheme http, https, socks4, socks4a, socks5 or socks5h"

    /// Refuses the settings that only sockets support.
    package func checkWithoutSockets() throws(AsyncNetError) {
        guard tls != .system || !headers.isEmpty else { return }
        throw AsyncNetError(
            .unsupportedByTransport,
            "This transport has no TLS settings and no headers for proxies: use .sockets()")
    }

    package func validate() throws(AsyncNetError) {
        try tls.validate()
        if tls.isRefused {
            throw AsyncNetError(.invalidConfiguration, "A proxy's tls cannot be .refused: no proxy could be reached")
        }
        try checkHeaders()
        guard case .url(let url) = kind else { return }
        let scheme = url.contains("://") ? String(url.prefix { $0 != ":" }).lowercased() : "http"
        if scheme.hasPrefix("socks"), !headers.isEmpty {
            throw AsyncNetError(.invalidConfiguration, "A SOCKS proxy is sent no headers")
        }
        guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
            throw AsyncNetError(.invalidConfiguration, "\(Self.schemes), not \(scheme.prefix(20))")
        }
    }

    private static let ownHeaders: HTTPHeaders = [
        "Host": "", "Connection": "", "Proxy-Connection": "", "Content-Length": "", "Transfer-Encoding": "", "TE": "",
        "Trailer": "", "Upgrade": "",
    ]

    private func checkHeaders() throws(AsyncNetError) {
        for header in headers where Self.ownHeaders.contains(name: header.name) {
            throw AsyncNetError(
                .invalidConfiguration, "\(header.name) cannot be a header for a proxy: the transport writes it")
        }
        do throws(AsyncNetError) { try headers.validate() } catch {
            throw AsyncNetError(.invalidConfiguration, "A header for the proxy is invalid: \(error.message)")
        }
    }
}

extension ProxyConfiguration: ShownByDescription {
    /// The kind of proxy, without its URL and credentials.
    public var description: String {
        switch kind {
        case .none: "no proxy"
        case .environment: "proxy from the environment"
        case .url: "proxy <redacted>"
        }
    }
}
