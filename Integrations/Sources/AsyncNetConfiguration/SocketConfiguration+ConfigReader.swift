public import AsyncNet
public import Configuration
import Foundation

extension SocketTransport.Configuration {
    /// The settings of a transport over sockets, read from environment, files, or other providers of
    /// swift-configuration: connections, proxy, and TLS.
    ///
    /// As for `SessionConfiguration`, whose keys may be in the same scope: the README of this package lists them. The
    /// proxy's URL and the password of the client's key are read as secrets. No key turns the verification of servers
    /// off.
    ///
    /// - Parameter config: Has the keys, in a scope of the program's choice.
    /// - Throws: `.invalidConfiguration` for a value that cannot be used; the message has the key and what is expected,
    ///   never the value. Files are read when connections are made.
    public init(_ config: ConfigReader) async throws(AsyncNetError) {
        self.init()
        let settings = Settings(config)
        try await settings.set(&connectTimeout, "connectTimeout", .seconds)
        try await settings.set(&idleTimeout, "idleTimeout", .seconds)
        try await settings.set(&maximumConnections, "maximumConnections", .count(from: 1))
        try await settings.set(&maximumConnectionsPerOrigin, "maximumConnectionsPerOrigin", .count(from: 1))
        try await settings.set(&maximumConnectionLifetime, "maximumConnectionLifetime", .lifetime)
        let versions: SettingKind<SocketTransport.HTTPVersion> = .choice([
            "automatic": .automatic, "1.1": .http1, "2": .http2,
        ])
        try await settings.set(&httpVersion, "httpVersion", versions)
        proxy = try await settings.proxy()
        try await settings.readTLS(into: &tls)
    }
}

extension SettingKind<Duration> {
    fileprivate static var lifetime: Self {
        seconds.accepting("a number of seconds above 0 and up to 2000000") { $0 <= .seconds(2_000_000) ? $0 : nil }
    }
}

extension SettingKind<ProxyConfiguration> {
    fileprivate static var proxy: Self {
        let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        return SettingKind<String>.secret.accepting(
            "environment, or a proxy's URL such as http://proxy:3128 or socks5h://proxy:1080"
        ) {
            if $0 == "environment" { return .environment }
            return URL(string: $0, schemes: schemes) == nil ? nil : .url($0)
        }
    }
}

extension Settings {
    fileprivate func proxy() async throws(AsyncNetError) -> ProxyConfiguration {
        let proxy = try await value("proxy.url", .proxy)
        guard let hosts = try await value("proxy.bypassedHosts", .texts) else { return proxy ?? .none }
        guard let proxy else { throw missing("proxy.url", for: "proxy.bypassedHosts") }
        return proxy.bypassing(hosts)
    }

    fileprivate func readTLS(into tls: inout TLSConfiguration) async throws(AsyncNetError) {
        if let file = try await value("tls.anchorsFile", .file) { tls.trust = .anchors(file: file) }
        try await set(&tls.pins, "tls.pins", .pins)
        let versions: SettingKind<TLSConfiguration.Version> = .choice(["1.2": .tls12, "1.3": .tls13])
        try await set(&tls.minimumVersion, "tls.minimumVersion", versions)
        try await set(&tls.maximumVersion, "tls.maximumVersion", versions)
        tls.clientIdentity = try await clientIdentity()
    }

    private func clientIdentity() async throws(AsyncNetError) -> TLSConfiguration.ClientIdentity? {
        let password = try await value("tls.keyPassword", .secret)
        let certificate = try await value("tls.certificateFile", .file)
        let key = try await value("tls.keyFile", .file)
        if let certificate {
            guard let key else { throw missing("tls.keyFile", for: "tls.certificateFile") }
            return .init(certificateFile: certificate, keyFile: key, password: password)
        }
        guard key == nil, password == nil else {
            throw missing("tls.certificateFile", for: key == nil ? "tls.keyPassword" : "tls.keyFile")
        }
        return nil
    }
}
