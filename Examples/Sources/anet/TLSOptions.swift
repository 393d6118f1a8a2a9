import ArgumentParser
import AsyncNet
import Foundation

/// Whom the client trusts, and what it shows.
struct TLSOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Certificates to trust instead of the system's, in PEM.", valueName: "FILE"))
    var cacert: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Lists of revoked certificates, in PEM; one of the server's issuer must be there.", valueName: "FILE"))
    var crlfile: String?

    @Option(
        name: [.customLong("pin"), .customLong("pinnedpubkey")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Repeatable; the server's key must be one of these. With HOST, which may be *.example.com, for that host only.",
            valueName: "[HOST=]sha256//BASE64"))
    var pin: [PinArgument] = []

    @Option(
        name: [.customShort("E"), .long], parsing: .unconditional,
        help: ArgumentHelp("The client's certificate, in PEM.", valueName: "FILE[:PASSWORD]"))
    var cert: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The client's private key, in PEM; the --cert file by default.", valueName: "FILE"))
    var key: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The password of the private key.", valueName: "PASSWORD"))
    var pass: String?

    @Flag(name: [.customShort("k"), .long], help: "Accepts any certificate; --pin is still checked.")
    var insecure = false

    @Flag(help: "The server must prove that its certificate is not revoked (OCSP stapling).")
    var certStatus = false

    @Flag(help: "The certificates of servers on standard error, also of those that are not trusted.")
    var showCerts = false

    @Flag(name: [.customShort("1"), .customLong("tlsv1"), .customLong("tlsv1.0")], help: "TLS 1.0 or later.")
    var tls10 = false
    @Flag(name: .customLong("tlsv1.1"), help: "TLS 1.1 or later.")
    var tls11 = false
    @Flag(name: .customLong("tlsv1.2"), help: "TLS 1.2 or later, as by default.")
    var tls12 = false
    @Flag(name: .customLong("tlsv1.3"), help: "TLS 1.3.")
    var tls13 = false

    func validate() throws {
        if key != nil, cert == nil { throw ValidationError("--key needs --cert") }
        if pass != nil, cert == nil { throw ValidationError("--pass needs --cert") }
        if [tls10, tls11, tls12, tls13].filter(\.self).count > 1 {
            throw ValidationError("--tlsv1.0, --tlsv1.1, --tlsv1.2 and --tlsv1.3 exclude each other")
        }
    }

    /// The options that were given.
    var given: [String] {
        let given = [
            "--cacert": cacert != nil, "--crlfile": crlfile != nil, "--pin": !pin.isEmpty, "--cert": cert != nil,
            "--key": key != nil,
            "--cert-status": certStatus, "--show-certs": showCerts, "--insecure": insecure, "--tlsv1.0": tls10,
            "--tlsv1.1": tls11,
            "--tlsv1.2": tls12, "--tlsv1.3": tls13,
        ]
        return Array(given.filter(\.value).keys)
    }

    /// - Throws: ``ExitError`` for a file that cannot be read.
    func configuration() throws(ExitError) -> TLSConfiguration {
        var tls = TLSConfiguration(pins: pin.filter { $0.host == nil }.flatMap(\.pins))
        if let cacert { tls.trust = .anchors(file: try Input.file(cacert)) }
        if let crlfile { tls.revocationLists = .file(try Input.file(crlfile)) }
        tls.requiresStapledStatus = certStatus
        if insecure { tls.trust = .disabled }
        if tls10 { tls.minimumVersion = .tls10 } else if tls11 { tls.minimumVersion = .tls11 }
        if tls12 { tls.minimumVersion = .tls12 } else if tls13 { tls.minimumVersion = .tls13 }
        if let cert { tls.clientIdentity = try identity(cert) }
        return tls
    }

    /// The hosts with pins of their own, which replace the pins of all hosts.
    func hosts(_ tls: TLSConfiguration) -> [String: TLSConfiguration] {
        pin.reduce(into: [:]) { hosts, argument in
            guard let host = argument.host else { return }
            let pins = hosts[host]?.pins ?? []
            hosts[host] = tls
            hosts[host]?.pins = pins + argument.pins
        }
    }

    /// The settings for one host: those of the host, of the wildcard for it, or of all hosts.
    ///
    /// - Throws: ``ExitError`` for a file that cannot be read, and for a host of --pin that is none.
    func configuration(for host: String) throws(ExitError) -> TLSConfiguration {
        let tls = try configuration()
        do {
            return try SocketTransport.Configuration(tls: tls, tlsForHosts: hosts(tls)).tls(forHost: host)
        } catch {
            throw ExitError(caught: error)
        }
    }

    /// `FILE:PASSWORD`, unless the whole is a file's name.
    private func identity(_ cert: String) throws(ExitError) -> TLSConfiguration.ClientIdentity {
        let colon = access(cert, F_OK) == 0 ? nil : cert.lastIndex(of: ":")
        let name = colon.map { String(cert[..<$0]) } ?? cert
        let password = pass ?? colon.map { String(cert[cert.index(after: $0)...]) }
        return .init(certificateFile: try Input.file(name), keyFile: try Input.file(key ?? name), password: password)
    }
}
