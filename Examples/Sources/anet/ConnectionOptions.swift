import ArgumentParser
import AsyncNet
import Foundation

/// What carries the requests, and over which connections.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The options below need libcurl.", valueName: "automatic|urlsession|libcurl"))
    var transport = TransportChoice.automatic

    @Option(help: ArgumentHelp("Certificates to trust instead of the system's, in PEM.", valueName: "FILE"))
    var cacert: String?

    @Option(help: ArgumentHelp("Repeatable; the server's key must be one of these.", valueName: "sha256//BASE64"))
    var pin: [String] = []

    @Option(help: ArgumentHelp("The client's certificate, in PEM.", valueName: "FILE"))
    var cert: String?

    @Option(help: ArgumentHelp("The client's private key, in PEM; the --cert file by default.", valueName: "FILE"))
    var key: String?

    @Flag(name: [.customShort("k"), .long], help: "Accepts any certificate; --pin is still checked.")
    var insecure = false

    @Option(help: ArgumentHelp("HTTP or SOCKS proxy; '' for none. By default the environment's.", valueName: "URL"))
    var proxy: String?

    @Option(help: ArgumentHelp("A socket to connect to, whatever the URL's host.", valueName: "PATH"))
    var unixSocket: String?

    @Flag(name: .customLong("http1.1"), help: "No HTTP/2.")
    var http1 = false

    @Flag(name: .customLong("http2"), help: "HTTP/2, also without TLS.")
    var http2 = false

    @Option(help: ArgumentHelp("How long connecting may take; fractions allowed.", valueName: "SECONDS"))
    var connectTimeout: Double?

    func validate() throws {
        if http1, http2 { throw ValidationError("--http1.1 and --http2 exclude each other") }
        if key != nil, cert == nil { throw ValidationError("--key needs --cert") }
        if let connectTimeout, !(connectTimeout > 0 && connectTimeout <= 1e9) {
            throw ValidationError("--connect-timeout needs seconds above 0")
        }
        if transport == .urlsession, let option = givenForLibcurl.first {
            throw ValidationError("\(option) needs the libcurl transport, not --transport urlsession")
        }
    }

    private var givenForLibcurl: [String] {
        let given = [
            "--cacert": cacert != nil, "--pin": !pin.isEmpty, "--cert": cert != nil, "--key": key != nil,
            "--insecure": insecure, "--proxy": proxy != nil, "--unix-socket": unixSocket != nil, "--http1.1": http1,
            "--http2": http2, "--connect-timeout": connectTimeout != nil,
        ]
        return given.filter(\.value).keys.sorted()
    }

    /// - Throws: ``ExitError`` for a file that cannot be read, before a server is asked anything.
    func makeTransport() throws(ExitError) -> any Transport {
        if transport == .urlsession { return URLSessionTransport() }
        let automatic = AutomaticTransport()
        let isLibcurl = transport == .libcurl || automatic.transportDescription.hasPrefix("libcurl")
        // An option that only libcurl honours asks for libcurl, rather than be ignored.
        guard isLibcurl || !givenForLibcurl.isEmpty else { return automatic }
        return LibcurlTransport(configuration: try configuration())
    }

    private func configuration() throws(ExitError) -> LibcurlTransport.Configuration {
        var configuration = LibcurlTransport.Configuration(
            tls: try tls(), proxy: usedProxy, unixSocket: unixSocket,
            httpVersion: http1 ? .http1 : http2 ? .http2 : .automatic)
        if let connectTimeout { configuration.connectTimeout = .seconds(connectTimeout) }
        return configuration
    }

    private var usedProxy: ProxyConfiguration {
        guard let proxy else { return .environment }
        return proxy.isEmpty ? .none : .url(proxy)
    }

    private func tls() throws(ExitError) -> TLSConfiguration {
        var tls = TLSConfiguration(pins: pin)
        if let cacert { tls.trust = .anchors(file: try Input.file(cacert)) }
        if insecure { tls.trust = .disabled }
        if let cert {
            tls.clientIdentity = .init(certificateFile: try Input.file(cert), keyFile: try Input.file(key ?? cert))
        }
        return tls
    }
}

enum TransportChoice: String, ExpressibleByArgument {
    case automatic, urlsession, libcurl
}
