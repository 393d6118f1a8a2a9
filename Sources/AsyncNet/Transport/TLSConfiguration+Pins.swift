public import Foundation

extension TLSConfiguration {
    /// The pin of a certificate's public key, for ``pins``.
    ///
    /// A certificate that is renewed with the same key keeps its pin. Pin a second key too, whose private half is kept
    /// elsewhere (RFC 7469 §2.5): without it a server that loses its key cannot be connected to.
    ///
    /// - Parameter certificate: DER, or PEM, whose first certificate counts. With other bytes each request of the transport
    ///   ends with `.invalidConfiguration` and the reason.
    public static func pin(of certificate: Data) -> String {
        do {
            return try ServerCertificate(certificate).pin
        } catch {
            return unreadable + error.message
        }
    }

    /// The pin of the public key of a PEM's first certificate, for ``pins``.
    ///
    /// With other text each request of the transport ends with `.invalidConfiguration` and the reason.
    public static func pin(of certificate: String) -> String { pin(of: Data(certificate.utf8)) }

    private static let unreadable = "no pin: "

    /// Why `pin(of:)` could not make this pin; `nil` for a pin that it has made.
    static func reason(ofPin pin: String) -> String? {
        pin.hasPrefix(unreadable) ? "A pin of a certificate could not be made. \(pin.dropFirst(unreadable.count))" : nil
    }

    var files: [String] {
        var files: [String] = []
        if case .file(let path) = trust.kind { files.append(path) }
        if case .file(let path) = revocationLists?.kind { files.append(path) }
        switch clientIdentity?.kind {
        case .files(let certificate, let key): files += [certificate, key]
        case .pkcs12File(let path): files.append(path)
        case nil, .memory, .pkcs12: break
        }
        return files
    }
}
