public import Foundation

/// Whom a transport trusts over TLS, and who it says it is.
///
/// The default trusts what the system trusts, checks the host's name and speaks TLS 1.2 or newer.
public struct TLSConfiguration: Sendable {
    /// Whose certificates are accepted.
    public var trust: Trust
    /// Public keys, one of which the server's own certificate must have: `sha256//` and the base64 form of the SHA-256
    /// of its SubjectPublicKeyInfo (RFC 7469 §2.4). None by default. Pins hold besides `trust`, also where that is
    /// `.disabled`.
    public var pins: [String]
    /// What is shown to a server that asks for a certificate.
    public var clientIdentity: ClientIdentity?
    public var minimumVersion: Version
    /// Whether the certificate must name the host that was asked for.
    public var verifiesHostName: Bool

    public init(
        trust: Trust = .system, pins: [String] = [], clientIdentity: ClientIdentity? = nil,
        minimumVersion: Version = .tls12,
        verifiesHostName: Bool = true
    ) {
        self.trust = trust
        self.pins = pins
        self.clientIdentity = clientIdentity
        self.minimumVersion = minimumVersion
        self.verifiesHostName = verifiesHostName
    }

    /// Whose certificates are accepted.
    public struct Trust: Sendable {
        enum Kind: Sendable {
            case system, disabled
            case anchors(Data)
            case file(String)
        }
        let kind: Kind

        /// Authorities that the system trusts.
        public static let system = Trust(kind: .system)

        /// Anyone's. Everything sent and received can then be read and changed by whoever is on the way; making a
        /// transport with it says so on standard error, and so does its description. For tests only.
        public static let disabled = Trust(kind: .disabled)

        /// These certificates, in PEM (any number in one) or DER, instead of the system's.
        public static func anchors(_ certificates: [Data]) -> Trust {
            Trust(kind: .anchors(Data(certificates.map(PEM.certificate).joined(separator: Data("\n".utf8)))))
        }

        /// These certificates, in PEM, instead of the system's.
        public static func anchors(_ certificates: [String]) -> Trust { anchors(certificates.map { Data($0.utf8) }) }

        /// The certificates in this PEM file, instead of the system's.
        public static func anchors(file: URL) -> Trust { Trust(kind: .file(file.path)) }
    }

    /// A certificate with its private key. Neither is ever shown.
    public struct ClientIdentity: Sendable, CustomStringConvertible, CustomReflectable {
        enum Kind: Sendable {
            case memory(certificate: Data, key: Data)
            case files(certificate: String, key: String)
        }
        let kind: Kind
        let password: String?

        /// - Parameters:
        ///   - certificate: PEM, with intermediate certificates after it, or a single one in DER.
        ///   - key: PEM.
        ///   - password: Of the key, if that is encrypted.
        public init(certificate: Data, key: Data, password: String? = nil) {
            kind = .memory(certificate: PEM.certificate(certificate), key: key)
            self.password = password
        }

        /// The same in text.
        public init(certificate: String, key: String, password: String? = nil) {
            self.init(certificate: Data(certificate.utf8), key: Data(key.utf8), password: password)
        }

        /// Both in PEM files, which may be the same; read when a connection is made.
        public init(certificateFile: URL, keyFile: URL, password: String? = nil) {
            kind = .files(certificate: certificateFile.path, key: keyFile.path)
            self.password = password
        }

        public var description: String { "client identity <redacted>" }
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }

    /// A version of TLS, older than which is refused.
    public enum Version: Sendable {
        case tls10, tls11, tls12, tls13
    }

    /// Whether this is what a transport does by itself.
    var isDefault: Bool {
        guard case .system = trust.kind else { return false }
        return pins.isEmpty && clientIdentity == nil && minimumVersion == .tls12 && verifiesHostName
    }

    var isDisabled: Bool {
        if case .disabled = trust.kind { true } else { !verifiesHostName }
    }

    /// Refuses what could only be meant otherwise.
    func validate() throws(AsyncNetError) {
        for pin in pins {
            let key = pin.hasPrefix("sha256//") ? Data(base64Encoded: String(pin.dropFirst(8))) : nil
            guard key?.count == 32 else {
                throw AsyncNetError(
                    .invalidConfiguration,
                    "A pin is not \"sha256//\" and the base64 form of 32 bytes: \(pin.prefix(80))")
            }
        }
        if case .anchors(let data) = trust.kind, data.isEmpty {
            throw AsyncNetError(.invalidConfiguration, "There is no certificate among the trust anchors")
        }
        if case .memory(_, let key) = clientIdentity?.kind, key.range(of: Data("-----BEGIN".utf8)) == nil {
            throw AsyncNetError(.invalidConfiguration, "The client identity's key is not PEM")
        }
    }
}

/// RFC 7468.
enum PEM {
    /// A certificate as PEM, which it is already or which it becomes.
    static func certificate(_ data: Data) -> Data {
        guard !data.isEmpty, data.range(of: Data("-----BEGIN".utf8)) == nil else { return data }
        let lines = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Data("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8)
    }
}
