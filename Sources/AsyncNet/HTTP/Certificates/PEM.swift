import Foundation

/// The textual form of certificates and keys (RFC 7468).
enum PEM {
    private static let begin = Data("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Data("-----END CERTIFICATE-----".utf8)

    /// Whether the bytes are PEM, of a certificate or another thing.
    static func isPEM(_ data: Data) -> Bool { data.range(of: Data("-----BEGIN ".utf8)) != nil }

    /// A certificate in PEM, converted from DER if necessary.
    static func certificate(_ data: Data) -> Data {
        guard !data.isEmpty, !isPEM(data) else { return data }
        return Data(text(ofDER: data).utf8)
    }

    static func text(ofDER der: Data) -> String {
        let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }

    /// The first certificate of a PEM in DER; keys and text around it are skipped. `nil` if there is none.
    static func firstCertificate(in pem: Data) -> Data? { nextCertificate(in: pem, from: pem.startIndex)?.der }

    /// All certificates of a PEM in DER; none if one of them is damaged.
    static func certificates(in pem: Data) -> [Data] {
        var (certificates, position): ([Data], Data.Index) = ([], pem.startIndex)
        while pem.range(of: begin, in: position..<pem.endIndex) != nil {
            guard let next = nextCertificate(in: pem, from: position) else { return [] }
            certificates.append(next.der)
            position = next.end
        }
        return certificates
    }

    private static func nextCertificate(in pem: Data, from start: Data.Index) -> (der: Data, end: Data.Index)? {
        guard let begin = pem.range(of: begin, in: start..<pem.endIndex),
            let end = pem.range(of: end, in: begin.upperBound..<pem.endIndex)
        else { return nil }
        let digits = pem[begin.upperBound..<end.lowerBound].filter { $0 > 0x20 }
        guard let der = Data(base64Encoded: Data(digits)), !der.isEmpty else { return nil }
        return (der, end.upperBound)
    }
}
