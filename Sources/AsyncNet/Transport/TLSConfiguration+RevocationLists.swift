public import Foundation

extension TLSConfiguration {
    /// Lists of revoked certificates (CRL, RFC 5280 §5).
    ///
    /// The issuer of the server's own certificate must have a list here that is up to date and does not contain the
    /// certificate. Intermediate certificates are checked too, if their issuer has a list here. Anchors are trusted as
    /// they are. A revoked certificate ends the request with `.certificateRevoked`; a missing list of the server's
    /// issuer, a list that is out of date, and a list with a wrong signature end the request with
    /// `.certificateNotTrusted`.
    public struct RevocationLists: Sendable, Hashable {
        enum Kind: Hashable {
            case memory(Data)
            case file(String)
        }
        let kind: Kind

        /// The lists in this text, in PEM, one after another.
        public static func pem(_ text: String) -> RevocationLists { RevocationLists(kind: .memory(Data(text.utf8))) }

        /// The lists in this file, in PEM, one after another.
        ///
        /// The file is read again when it has changed, see ``ClientIdentity/init(certificateFile:keyFile:password:)``.
        /// If it cannot be read at first, or has no list, each request ends with `.invalidConfiguration`. Open
        /// connections stay open; no TLS session from before the change is resumed.
        public static func file(_ file: URL) -> RevocationLists { RevocationLists(kind: .file(file.path)) }
    }
}
