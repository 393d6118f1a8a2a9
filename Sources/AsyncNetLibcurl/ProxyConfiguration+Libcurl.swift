import AsyncNet
import Foundation

extension ProxyConfiguration {
    /// The proxy's host, without port, user or password.
    var host: String? {
        guard case .url(let url) = kind else { return nil }
        let authority = (url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]).prefix { $0 != "/" }
        let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let host =
            hostAndPort.hasPrefix("[") ? hostAndPort.dropFirst().prefix { $0 != "]" } : hostAndPort.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    /// Whether this configuration names a proxy; the environment may name one too.
    var isConfigured: Bool {
        if case .url = kind { true } else { false }
    }

    /// Whether connections may be made through a proxy: this configuration or, at this time, the environment names one.
    func mayBeUsed(isTLS: Bool) -> Bool {
        switch kind {
        case .none: return false
        case .url: return true
        case .environment: return ProxyConfiguration.environmentURL(isTLS: isTLS) != nil
        }
    }

    /// Refuses a host so long that libcurl 7.69 to 8.3 overflows a buffer with it for a SOCKS proxy (CVE-2023-38545).
    func checkHost(of url: URL) throws(AsyncNetError) {
        if let host = url.host(percentEncoded: true) { try checkHost(host) }
    }
}
