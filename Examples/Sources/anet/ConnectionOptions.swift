import ArgumentParser
import AsyncNet
import AsyncNetLibcurl
import Foundation

/// What carries the requests, and over which connections.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The options below need sockets or libcurl.", valueName: "automatic|sockets|urlsession|libcurl"))
    var transport = TransportChoice.automatic

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A socket to connect to, whatever the URL's host.", valueName: "PATH"))
    var unixSocket: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A socket with an abstract name, which no file has.", valueName: "NAME"))
    var abstractUnixSocket: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repeatable; addresses in place of the name lookup.", valueName: "HOST:PORT:ADDRESS[,ADDRESS]"))
    var resolve: [String] = []

    @Flag(help: "Only servers on the Internet: no private, loopback or other special address, whatever the name.")
    var publicOnly = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The local interface, name or address.", valueName: "NAME"))
    var interface: String?

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "IPv6 only.")
    var ipv6 = false

    @Flag(name: .customLong("http1.1"), help: "No HTTP/2.")
    var http1 = false

    @Flag(name: [.customLong("http2"), .customLong("http2-prior-knowledge")], help: "HTTP/2, also without TLS.")
    var http2 = false

    @Flag(help: "HTTP/3 is tried first, and HTTP/2 shortly after it.")
    var http3 = false

    @Flag(name: .customLong("http3-only"), help: "HTTP/3 and nothing else.")
    var onlyHTTP3 = false

    @Option(help: ArgumentHelp("How long connecting may take; fractions allowed.", valueName: "SECONDS"))
    var connectTimeout: Double?

    @Option(help: ArgumentHelp("After how much silence TCP asks whether the peer is there.", valueName: "SECONDS"))
    var keepaliveTime: Int?

    @Flag(help: "TCP never asks whether the peer is there.")
    var noKeepalive = false

    @Option(help: ArgumentHelp("How long a 100 response is waited for before an upload begins.", valueName: "SECONDS"))
    var expect100Timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Bytes a second at most, each way; with K, M or G.", valueName: "SPEED"))
    var limitRate: String?

    func validate() throws {
        let versions = givenVersions.filter(\.isGiven).map(\.name)
        if versions.count > 1 { throw ValidationError("\(versions[0]) and \(versions[1]) exclude each other") }
        if unixSocket != nil, abstractUnixSocket != nil {
            throw ValidationError("--unix-socket and --abstract-unix-socket exclude each other")
        }
        if let keepaliveTime, !(1...32_767 ~= keepaliveTime) {
            throw ValidationError("--keepalive-time needs seconds from 1 to 32767")
        }
        if ipv4, ipv6 { throw ValidationError("--ipv4 and --ipv6 exclude each other") }
        for (name, value) in [("--connect-timeout", connectTimeout), ("--expect100-timeout", expect100Timeout)] {
            if let value, !(value > 0 && value <= 1e9) { throw ValidationError("\(name) needs seconds above 0") }
        }
        if let limitRate, Self.bytes(limitRate) == nil {
            throw ValidationError("--limit-rate needs a speed such as 100K")
        }
        if let wrong = resolve.first(where: { Self.address($0) == nil }) {
            throw ValidationError("--resolve needs HOST:PORT:ADDRESS[,ADDRESS], not '\(wrong)'")
        }
        if publicOnly, transport == .libcurl || !givenForLibcurl.isEmpty {
            throw ValidationError("--public-only needs the transport sockets")
        }
        if transport == .sockets, let option = givenForLibcurl.first {
            throw ValidationError("\(option) needs the libcurl transport, not --transport sockets")
        }
    }

    func check(_ tls: TLSOptions, _ proxies: ProxyOptions) throws {
        guard transport == .urlsession, let option = givenSettings(tls, proxies).first else { return }
        let others =
            ["--public-only", "--abstract-unix-socket"].contains(option)
            ? "sockets" : givenForLibcurl.contains(option) ? "libcurl" : "sockets or libcurl"
        throw ValidationError("\(option) needs the transport \(others), not --transport urlsession")
    }

    /// Whether a large body waits for a 100 response: not over HTTP/2 and HTTP/3, which can refuse a body at any time.
    var asksToContinue: Bool { !http2 && !http3 && !onlyHTTP3 }

    private var givenVersions: [(name: String, isGiven: Bool, version: SocketTransport.HTTPVersion)] {
        [
            ("--http1.1", http1, .http1), ("--http2", http2, .http2), ("--http3", http3, .http3Preferred),
            ("--http3-only", onlyHTTP3, .http3),
        ]
    }

    /// The versions that only libcurl has.
    private var givenForLibcurl: [String] {
        givenVersions.filter { $0.isGiven && $0.version != .http1 && $0.version != .http2 }.map(\.name)
    }

    private func givenSettings(_ tls: TLSOptions, _ proxies: ProxyOptions) -> [String] {
        let given =
            [
                "--unix-socket": unixSocket != nil, "--connect-timeout": connectTimeout != nil,
                "--abstract-unix-socket": abstractUnixSocket != nil, "--keepalive-time": keepaliveTime != nil,
                "--no-keepalive": noKeepalive,
                "--resolve": !resolve.isEmpty, "--public-only": publicOnly, "--ipv4": ipv4,
                "--ipv6": ipv6, "--interface": interface != nil, "--limit-rate": limitRate != nil,
                "--expect100-timeout": expect100Timeout != nil,
            ].filter(\.value).keys + givenVersions.filter(\.isGiven).map(\.name) + tls.given + proxies.given
        return given.sorted()
    }

    /// `100`, `2.5M`: curl's units are powers of 1024.
    private static func bytes(_ text: String) -> Int64? {
        let units: [Character: Double] = ["B": 1, "K": 0x1p10, "M": 0x1p20, "G": 0x1p30, "T": 0x1p40]
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        guard let number = Double(unit == nil ? text : String(text.dropLast())) else { return nil }
        let bytes = number * (unit ?? 1)
        return bytes >= 1 && bytes < 1e15 ? Int64(bytes) : nil
    }

    /// The host and port, and the addresses, which may be in brackets.
    private static func address(_ text: String) -> (String, [String])? {
        let parts = text.drop { $0 == "+" }.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[0].hasPrefix("-"), parts[0] != "*", UInt16(parts[1]) != nil,
            !parts[2].isEmpty
        else { return nil }
        return ("\(parts[0]):\(parts[1])", parts[2].split(separator: ",").map(String.init))
    }

    /// - Throws: ``ExitError`` for a file that cannot be read, before a server is asked anything.
    func makeTransport(
        timeout: Double, _ tls: TLSOptions, _ proxies: ProxyOptions
    ) throws(ExitError) -> any Transport {
        if transport == .urlsession { return URLSessionTransport() }
        let automatic = AutomaticTransport()
        // On Apple's systems the automatic transport is URLSession, unless an option needs another one.
        let isAutomatic = transport == .automatic && givenSettings(tls, proxies).isEmpty
        if isAutomatic, !automatic.transportDescription.hasPrefix("sockets") { return automatic }
        let settings = try configuration(timeout, tls, proxies)
        guard transport == .libcurl || !givenForLibcurl.isEmpty else { return SocketTransport(settings) }
        return LibcurlTransport(configuration: settings)
    }

    /// Who waits for a 100 response must not be taken for silent.
    private func configuration(
        _ timeout: Double, _ tls: TLSOptions, _ proxies: ProxyOptions
    ) throws(ExitError) -> SocketTransport.Configuration {
        let trust = try tls.configuration()
        var configuration = SocketTransport.Configuration(
            tls: trust, tlsForHosts: tls.hosts(trust), reportsCertificates: tls.showCerts, proxy: proxies.configuration,
            unixSocket: unixSocket ?? abstractUnixSocket.map { "\0\($0)" },
            httpVersion: givenVersions.first(where: \.isGiven)?.version ?? .automatic,
            expectContinueTimeout: .seconds(min(expect100Timeout ?? 1, timeout / 2)),
            localInterface: interface, ipVersion: ipv4 ? .v4 : ipv6 ? .v6 : .any)
        if let keepaliveTime { configuration.tcpKeepAlive = .seconds(keepaliveTime) }
        if noKeepalive { configuration.tcpKeepAlive = nil }
        if let connectTimeout { configuration.connectTimeout = .seconds(connectTimeout) }
        if let rate = limitRate.flatMap(Self.bytes) {
            (configuration.maximumReceiveRate, configuration.maximumSendRate) = (rate, rate)
        }
        for (name, addresses) in resolve.compactMap(Self.address) { configuration.addresses[name] = addresses }
        return configuration
    }
}

enum TransportChoice: String, ExpressibleByArgument {
    case automatic, sockets, urlsession, libcurl
}
