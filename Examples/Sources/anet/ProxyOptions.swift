import ArgumentParser
import AsyncNet
import Foundation

/// Which proxy is used, and for which hosts.
struct ProxyOptions: ParsableArguments {
    @Option(
        name: [.customShort("x"), .long], parsing: .unconditional,
        help: ArgumentHelp("HTTP or SOCKS proxy; '' for none. By default the environment's.", valueName: "URL"))
    var proxy: String?

    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp("For the proxy, by Basic.", valueName: "NAME:PASSWORD"))
    var proxyUser: String?

    @Flag(name: [.customShort("p"), .long], help: "A tunnel through the proxy for http too.")
    var proxytunnel = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Hosts that no proxy is used for; * is all. By default $no_proxy.", valueName: "HOST,HOST"))
    var noproxy: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("-x socks4://…", valueName: "HOST:PORT"))
    var socks4: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("-x socks4a://…", valueName: "HOST:PORT"))
    var socks4a: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("-x socks5://…", valueName: "HOST:PORT"))
    var socks5: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("-x socks5h://…", valueName: "HOST:PORT"))
    var socks5Hostname: String?

    private var urls: [String] {
        let schemes = [("socks4", socks4), ("socks4a", socks4a), ("socks5", socks5), ("socks5h", socks5Hostname)]
        return [proxy].compactMap { $0 } + schemes.compactMap { scheme, host in host.map { "\(scheme)://\($0)" } }
    }

    func validate() throws {
        if urls.count > 1 { throw ValidationError("Only one proxy can be used") }
        if proxyUser != nil, urls.first?.isEmpty != false { throw ValidationError("--proxy-user needs --proxy") }
        if proxytunnel, urls.first?.isEmpty != false { throw ValidationError("--proxytunnel needs --proxy") }
    }

    /// The options that were given.
    var given: [String] { (urls.isEmpty ? [] : ["--proxy"]) + (noproxy == nil ? [] : ["--noproxy"]) }

    var configuration: ProxyConfiguration {
        guard let url = urls.first else {
            // libcurl reads the environment, with its list of hosts that need no proxy.
            if let noproxy { setenv("no_proxy", noproxy, 1) }
            return .environment
        }
        guard !url.isEmpty else { return .none }
        let environment = ProcessInfo.processInfo.environment
        let hosts = noproxy ?? environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
        let proxy = ProxyConfiguration.url(withUser(url))
            .bypassing(hosts.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        return proxytunnel ? proxy.tunnelling() : proxy
    }

    /// With the user and password in front of the host, and curl's port where none is given.
    private func withUser(_ url: String) -> String {
        guard let proxyUser else { return url }
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        let host = url[start...].lastIndex(of: "@").map { url[url.index(after: $0)...] } ?? url[start...]
        let parts = proxyUser.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let user = parts.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
        return "\(url[..<start])\(user.joined(separator: ":"))@\(host)"
    }
}
