import AsyncNet
import Foundation

/// `--show-certs`: the certificates that servers have shown, for standard error.
enum CertificateText {
    /// Those of each hop that opened a connection, also of the last one that failed.
    static func notes(of metrics: RequestMetrics, label: String) -> [String] {
        metrics.hops.flatMap { hop in
            notes(of: hop.transport.serverCertificates, server(hop.url), label: label)
        }
    }

    /// Those of a connection.
    static func notes(of certificates: [ServerCertificate], _ server: String, label: String = "") -> [String] {
        guard !certificates.isEmpty else { return [] }
        return ["* \(label)certificates of \(server):"]
            + certificates.indices.map { text(of: certificates[$0], number: $0) }
    }

    private static func server(_ url: URL) -> String {
        "\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")"
    }

    private static func text(of certificate: ServerCertificate, number: Int) -> String {
        """
        * \(number) subject: \(certificate.subject)
        *   issuer: \(certificate.issuer)
        *   valid from \(certificate.notBefore.formatted(.iso8601)) to \(certificate.notAfter.formatted(.iso8601))
        *   names: \(certificate.subjectAlternativeNames.joined(separator: ", "))
        *   pin: \(certificate.pin)
        \(certificate.pem.trimmingCharacters(in: .newlines))
        """
    }
}
