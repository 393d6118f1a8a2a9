public import Foundation

/// Which servers a transport trusts over TLS, and the client certificate that it sends.
///
/// The default trusts the system's certificate authorities, verifies the host name, and requires TLS 1.2 or newer.
public struct TLSConfiguration: Sendable, Hashable {
    /// The certificates that servers are verified against. `.system` by default.
    public var trust: Trust
    /// Public keys: the server's certificate must have one of them. Empty by default, which allows all keys.
    ///
    /// Each pin is `sha256//` and the base64 form of the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4). Pins are
    /// checked in addition to `trust`, also if that is `.disabled`. `TLSConfiguration.pin(of:)` makes the pin of a
    /// certificate. Pins are compared with the server's own certificate; to require another certificate of the chain,
    /// make it the only one of `trust`, with `.anchors`.
    public var pins: [String]
    /// The certificate for servers that require one. `nil` by default.
    public var clientIdentity: ClientIdentity?
    /// The oldest version of TLS that is accepted. `.tls12` by default.
    public var minimumVersion: Version
    /// The newest version of TLS that is offered. `nil` by default: the newest version of the TLS library. Transports
    /// other than sockets end each request with `.unsupportedByTransport` if this is set.
    public var maximumVersion: Version?
    /// Whether the certificate must name the URL's host (RFC 9110 §4.3.4). `true` by default.
    public var verifiesHostName: Bool
    /// Whether the server must prove in the handshake that its certificate is not revoked: by OCSP stapling (RFC 6066
    /// §8). `false` by default.
    ///
    /// A server without a valid proof ends the request with `.certificateRevoked`. A libcurl whose TLS library cannot ask
    /// for the proof ends each request with `.unsupportedByTransport`.
    public var requiresStapledStatus: Bool
    /// Whether the keys of connections are written to a file, so that a tool such as Wireshark can decrypt packets.
    /// `.none` by default. Other transports than sockets end each request with `.unsupportedByTransport`.
    public var keyLog: KeyLog
    /// Lists of revoked certificates that servers are checked against, see ``RevocationLists``. `nil` by default. Other
    /// transports than sockets end each request with `.unsupportedByTransport`; so they do with each setting below.
    public var revocationLists: RevocationLists?
    /// The cipher suites to offer, the most preferred one first, by OpenSSL's names: `TLS_AES_256_GCM_SHA384` for TLS
    /// 1.3, `ECDHE-RSA-AES128-GCM-SHA256` for older versions. Empty by default: the suites of the TLS library.
    ///
    /// Nothing else is offered: a version of TLS without a suite here is not offered either. A name that OpenSSL does not know,
    /// and a suite without encryption or without a certificate, end each request with `.invalidConfiguration`.
    public var cipherSuites: [String]
    /// The groups of the key exchange to offer, the most preferred one first, by OpenSSL's names such as `X25519` and
    /// `P-256`. Empty by default: the groups of the TLS library.
    ///
    /// A name that OpenSSL does not know ends each request with `.invalidConfiguration`.
    public var groups: [String]
    /// The name that the client sends to the server (SNI, RFC 6066 §3), and that the server's certificate must have.
    /// `nil` by default: the URL's host.
    ///
    /// The connection and the request are for the URL's host all the same. A name that is an IP address is not sent.
    public var serverName: String?

    /// The defaults: the system's certificate authorities.
    public static let system = TLSConfiguration()

    /// Makes a configuration with the given values, and the defaults that each property documents.
    public init(
        trust: Trust = .system, pins: [String] = [], clientIdentity: ClientIdentity? = nil,
        minimumVersion: Version = .tls12,
        verifiesHostName: Bool = true, requiresStapledStatus: Bool = false, maximumVersion: Version? = nil,
        keyLog: KeyLog = .none, revocationLists: RevocationLists? = nil, cipherSuites: [String] = [],
        groups: [String] = [], serverName: String? = nil
    ) {
        self.trust = trust
        self.pins = pins
        self.clientIdentity = clientIdentity
        self.minimumVersion = minimumVersion
        self.verifiesHostName = verifiesHostName
        self.requiresStapledStatus = requiresStapledStatus
        self.maximumVersion = maximumVersion
        self.keyLog = keyLog
        self.revocationLists = revocationLists
        self.cipherSuites = cipherSuites
        self.groups = groups
        self.serverName = serverName
    }

    /// Settings that refuse every server: with them as the transport's `tls`, only hosts in
    /// ``SocketTransport/Configuration/tlsForHosts`` can be requested over TLS.
    ///
    /// A request to another host ends with `.certificateNotTrusted` before a connection is made. Requests without TLS are
    /// not affected.
    public static let refused = TLSConfiguration(trust: Trust(kind: .refused))

    /// The certificates that servers are verified against.
    public struct Trust: Sendable, Hashable {
        package enum Kind: Hashable, Sendable {
            case system, disabled, refused
            case anchors(Data)
            case file(String)
        }
        package let kind: Kind

        /// The certificate authorities of the system.
        ///
        /// Each thread of a socket transport reads the system's file of certificates once; libcurl reads it again after
        /// ten minutes.
        public static let system = Trust(kind: .system)

        /// No verification: every certificate is accepted. For tests only.
        ///
        /// A third party can then read and change all that is sent and received. Making a transport with it writes a
        /// warning to standard error, and the transport's description contains it too.
        public static let disabled = Trust(kind: .disabled)

        /// These certificates instead of the system's. Each `Data` is PEM with any number of certificates, or DER with
        /// a single certificate.
        public static func anchors(_ certificates: [Data]) -> Trust {
            Trust(kind: .anchors(Data(certificates.map(PEM.certificate).joined(separator: Data("\n".utf8)))))
        }

        /// These certificates, in PEM, instead of the system's.
        public static func anchors(_ certificates: [String]) -> Trust { anchors(certificates.map { Data($0.utf8) }) }

        /// The certificates in this PEM file, instead of the system's. Sockets read it again when it has changed, see
        /// ``ClientIdentity/init(certificateFile:keyFile:password:)``.
        public static func anchors(file: URL) -> Trust { Trust(kind: .file(file.path)) }
    }

    /// A client certificate with its private key. Descriptions contain neither.
    public struct ClientIdentity: Sendable, Hashable, ShownByDescription {
        package enum Kind: Hashable, Sendable {
            case memory(certificate: Data, key: Data)
            case files(certificate: String, key: String)
            case pkcs12(Data)
            case pkcs12File(String)
        }
        package let kind: Kind
        package let password: String?

        /// An identity in memory.
        ///
        /// - Parameters:
        ///   - certificate: PEM, with intermediate certificates after it, or a single certificate in DER.
        ///   - key: PEM.
        ///   - password: The password of an encrypted key.
        public init(certificate: Data, key: Data, password: String? = nil) {
            kind = .memory(certificate: PEM.certificate(certificate), key: key)
            self.password = password
        }

        /// An identity in memory, as PEM text.
        public init(certificate: String, key: String, password: String? = nil) {
            self.init(certificate: Data(certificate.utf8), key: Data(key.utf8), password: password)
        }

        /// An identity in PEM files, which may be one file.
        ///
        /// libcurl reads the files for each connection. Sockets read them for the first connection, and again after a
        /// change, which they look for when a connection is made, at most once a second. Files that do not fit each
        /// other, as while they are being replaced, are tried again at the next look; until they fit, the former
        /// identity is sent. Open connections keep the identity that they were opened with.
        public init(certificateFile: URL, keyFile: URL, password: String? = nil) {
            kind = .files(certificate: certificateFile.path, key: keyFile.path)
            self.password = password
        }

        /// An identity in PKCS#12 (RFC 7292). Only sockets support it.
        ///
        /// Files of old programs are encrypted with RC2, which OpenSSL 3 does not read; `openssl pkcs12 -legacy` converts them.
        public init(pkcs12: Data, password: String? = nil) {
            kind = .pkcs12(pkcs12)
            self.password = password
        }

        /// An identity in a PKCS#12 file. Only sockets support it; they read the file again when it has changed, see
        /// ``init(certificateFile:keyFile:password:)``.
        public init(pkcs12File: URL, password: String? = nil) {
            kind = .pkcs12File(pkcs12File.path)
            self.password = password
        }

        var isPKCS12: Bool {
            switch kind {
            case .memory, .files: false
            case .pkcs12, .pkcs12File: true
            }
        }

        /// A fixed text, without certificate, key and password.
        public var description: String { "client identity <redacted>" }
    }

    /// Where the keys of connections are written.
    public struct KeyLog: Sendable, Hashable {
        enum Kind: Hashable {
            case none, environment
            case file(String)
        }
        let kind: Kind

        /// Nowhere; the environment is ignored.
        public static let none = KeyLog(kind: .none)
        /// The file that the environment variable `SSLKEYLOGFILE` names; nowhere without it. Whoever can read the file can
        /// read all that is sent and received.
        public static let environment = KeyLog(kind: .environment)

        var path: String? {
            switch kind {
            case .none: nil
            case .environment: ProcessInfo.processInfo.environment["SSLKEYLOGFILE"]
            case .file(let path): path
            }
        }
    }

    /// A version of TLS.
    public enum Version: Sendable, Comparable {
        /// TLS 1.0, which is deprecated (RFC 8996).
        case tls10
        /// TLS 1.1, which is deprecated (RFC 8996).
        case tls11
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }
}
