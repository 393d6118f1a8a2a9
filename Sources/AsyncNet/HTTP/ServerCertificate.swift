public import Foundation

/// A certificate that a server showed, or one to pin (RFC 5280).
///
/// Only what people and pins need is read. The signature is not verified: that a certificate can be read says nothing
/// about whether to trust it.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate in PEM (RFC 7468 §5).
    public let pem: String
    /// Whose key it is, such as `CN=example.com,O=Example,C=SE` (RFC 4514); empty if there are only
    /// ``subjectAlternativeNames``. Control characters are escaped.
    public let subject: String
    /// Who signed it, in the form of ``subject``.
    public let issuer: String
    /// The first moment at which it is valid.
    public let notBefore: Date
    /// The last second at which it is valid.
    public let notAfter: Date
    /// The names that it is valid for, each with its kind: `DNS:example.com`, `DNS:*.example.com`, `IP:192.0.2.1`,
    /// `URI:...`, `email:...`, `DirName:...` (RFC 5280 §4.2.1.6). Names of other kinds are left out.
    public let subjectAlternativeNames: [String]
    /// The pin of its public key, for ``TLSConfiguration/pins``: `sha256//` and the base64 form of the SHA-256 of the
    /// SubjectPublicKeyInfo (RFC 7469 §2.4).
    public let pin: String

    /// Reads a certificate in DER, or the first certificate of a PEM.
    ///
    /// - Throws: ``AsyncNetError`` with code `.invalidConfiguration` for other bytes.
    public init(_ certificate: Data) throws(AsyncNetError) {
        let der = PEM.isPEM(certificate) ? PEM.firstCertificate(in: certificate) : certificate
        guard let der else { throw Self.unreadable("the PEM has no certificate, or its base64 is damaged") }
        do {
            self.init(try CertificateFields(Array(der)), PEM.text(ofDER: der))
        } catch {
            throw Self.unreadable(error.reason)
        }
    }

    private init(_ fields: CertificateFields, _ pem: String) {
        self.pem = pem
        subject = fields.subject
        issuer = fields.issuer
        notBefore = fields.notBefore
        notAfter = fields.notAfter
        subjectAlternativeNames = fields.alternativeNames
        let hash = MessageDigest.of(Array(fields.publicKeyInfo), algorithm: .sha256)
        pin = "sha256//\(Data(hash).base64EncodedString())"
    }

    private static func unreadable(_ reason: String) -> AsyncNetError {
        AsyncNetError(.invalidConfiguration, "The certificate cannot be read as PEM or DER: \(reason)")
    }
}

extension ServerCertificate: ShownByDescription {
    /// Subject, issuer, dates and names in a line of at most about 500 characters.
    public var description: String {
        let (first, more) = (subjectAlternativeNames.prefix(4), subjectAlternativeNames.count - 4)
        let names = first.map { Self.cut($0, 60) }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return
            "\(subject.isEmpty ? "no subject" : Self.cut(subject, 80)), issued by \(Self.cut(issuer, 80)), valid from "
            + "\(notBefore.formatted(.iso8601)) to \(notAfter.formatted(.iso8601))"
            + (names.isEmpty ? "" : ", for \(names)")
    }

    private static func cut(_ text: String, _ length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count > length ? "\(String(scalars.prefix(length)))..." : text
    }
}
