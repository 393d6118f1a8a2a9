import Foundation

/// The fields that are read of a certificate in DER (RFC 5280 §4.1).
struct CertificateFields: Equatable {
    let issuer: String
    let notBefore: Date
    let notAfter: Date
    let subject: String
    /// The SubjectPublicKeyInfo, as it is encoded.
    let publicKeyInfo: ArraySlice<UInt8>
    let alternativeNames: [String]

    private static let version: UInt8 = 0xA0
    private static let extensions: UInt8 = 0xA3

    init(_ der: [UInt8]) throws(DERReader.Malformed) {
        var file = DERReader(der[...])
        var certificate = try file.enter()
        guard file.isAtEnd else { throw DERReader.Malformed(reason: "bytes follow the certificate") }
        var body = try certificate.enter()
        _ = try certificate.next(DERReader.Tag.sequence)
        _ = try certificate.next()
        _ = try body.nextIf(Self.version)
        _ = try body.next(DERReader.Tag.integer)
        _ = try body.next(DERReader.Tag.sequence)
        issuer = try DistinguishedName(body.next(DERReader.Tag.sequence).content).text
        var validity = try body.enter()
        notBefore = try CertificateTime(validity.next()).date
        notAfter = try CertificateTime(validity.next()).date
        subject = try DistinguishedName(body.next(DERReader.Tag.sequence).content).text
        publicKeyInfo = try body.next(DERReader.Tag.sequence).encoding
        alternativeNames = try Self.alternativeNames(body)
    }

    private static func alternativeNames(_ body: DERReader) throws(DERReader.Malformed) -> [String] {
        var body = body
        while !body.isAtEnd {
            let element = try body.next()
            guard element.tag == extensions else { continue }
            var explicit = DERReader(element.content)
            return try alternativeNames(in: explicit.enter())
        }
        return []
    }

    private static func alternativeNames(in extensions: DERReader) throws(DERReader.Malformed) -> [String] {
        var extensions = extensions
        while !extensions.isAtEnd {
            var one = try extensions.enter()
            let kind = DERObjectIdentifier(try one.next(DERReader.Tag.objectIdentifier).content)
            _ = try one.nextIf(DERReader.Tag.boolean)
            let value = try one.next(DERReader.Tag.octetString).content
            if kind?.text == "2.5.29.17" { return try AlternativeNames(value).texts }
        }
        return []
    }
}
