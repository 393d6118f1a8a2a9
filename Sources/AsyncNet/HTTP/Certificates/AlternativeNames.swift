import Foundation

/// The names in a certificate's subjectAltName extension (RFC 5280 §4.2.1.6), each with its kind: `DNS:example.com`,
/// `IP:192.0.2.1`, `URI:...`, `email:...`, `DirName:CN=...`. Names of other kinds are left out.
struct AlternativeNames: Equatable {
    var texts: [String] = []

    init(_ value: ArraySlice<UInt8>) throws(DERReader.Malformed) {
        var outer = DERReader(value)
        var names = try outer.enter()
        while !names.isAtEnd {
            if let text = try Self.text(of: names.next()) { texts.append(text) }
        }
    }

    private static func text(of name: DERReader.Element) throws(DERReader.Malformed) -> String? {
        switch name.tag {
        case 0x81: return "email:\(shown(name.content))"
        case 0x82: return "DNS:\(shown(name.content))"
        case 0x86: return "URI:\(shown(name.content))"
        case 0x87: return "IP:\(address(name.content) ?? "#\(name.content.hexadecimal)")"
        case 0xA4:
            var explicit = DERReader(name.content)
            return "DirName:\(try DistinguishedName(explicit.next(DERReader.Tag.sequence).content).text)"
        default: return nil
        }
    }

    /// The characters of an IA5String; others as `\xx`.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { 0x21...0x7E ~= $0 && $0 != 0x5C ? String(Unicode.Scalar($0)) : "\\\([$0].hexadecimal)" }.joined()
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> String? {
        let family = [4: AF_INET, 16: AF_INET6][bytes.count]
        return family.flatMap { IPText.text(of: Array(bytes), family: $0) }
    }
}
