package import Foundation

/// The settings that decide how a request reaches its server: unix socket, proxy, fixed addresses and resolver.
package struct RequestRoute {
    var unixSocket: String?
    var proxy: ProxyConfiguration
    var addresses: [String: [String]]
    var resolver: String?

    package init(
        unixSocket: String?, proxy: ProxyConfiguration, addresses: [String: [String]], resolver: String? = nil
    ) {
        self.unixSocket = unixSocket
        self.proxy = proxy
        self.addresses = addresses
        self.resolver = resolver
    }

    /// The settings that apply to this URL as a text, for comparisons; empty if none does.
    package func text(to url: URL) -> String {
        var parts: [String] = []
        if let unixSocket { parts.append("unix \(unixSocket)") }
        if !proxy.isBypassed(by: url), let text = proxy.route { parts.append("proxy \(text)") }
        if !addresses.isEmpty, let host = url.host(percentEncoded: true) {
            let name = "\(host):\(url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80))".addressesKey
            let list = addresses.first { $0.key.addressesKey == name }?.value
            if let list { parts.append("addresses \(list.joined(separator: ","))") }
        }
        if let resolver { parts.append("resolver \(resolver)") }
        return parts.joined(separator: " ")
    }
}

extension String {
    /// A key of the setting `addresses` in the form in which keys are compared: in lower case, and without an IPv6
    /// address's brackets, which a URL has and a lookup has not.
    var addressesKey: String { lowercased().filter { $0 != "[" && $0 != "]" } }
}

extension ProxyConfiguration {
    /// The proxy's URL without user and password; `nil` without a proxy. Each use reads the environment.
    fileprivate var route: String? {
        switch kind {
        case .none: return nil
        case .url(let url): return Self.withoutUserinfo(url)
        case .environment:
            let environment = ProcessInfo.processInfo.environment
            let texts = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
                .compactMap { name in environment[name].flatMap { $0.isEmpty ? nil : Self.withoutUserinfo($0) } }
            return texts.isEmpty ? nil : texts.joined(separator: " ")
        }
    }

    private static func withoutUserinfo(_ url: String) -> String {
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return url }
        return String(url[..<start] + url[url.index(after: at)...])
    }
}
