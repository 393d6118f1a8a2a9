/// The text of a certificate's subject or issuer, such as `CN=example.com,O=Example,C=SE` (RFC 4514).
///
/// Besides the characters that RFC 4514 §2.4 escapes, control characters and others without a shape of their own are
/// escaped, so that a name can change neither a terminal nor the text around it.
struct DistinguishedName: Equatable {
    let text: String

    init(_ name: ArraySlice<UInt8>) throws(DERReader.Malformed) {
        var reader = DERReader(name)
        var parts: [String] = []
        while !reader.isAtEnd { parts.append(try Self.relative(reader.enter(DERReader.Tag.set))) }
        text = parts.reversed().joined(separator: ",")
    }

    private static func relative(_ set: DERReader) throws(DERReader.Malformed) -> String {
        var (reader, parts) = (set, [String]())
        while !reader.isAtEnd { parts.append(try attribute(reader.enter())) }
        return parts.joined(separator: "+")
    }

    private static func attribute(_ pair: DERReader) throws(DERReader.Malformed) -> String {
        var pair = pair
        let type = DERObjectIdentifier(try pair.next(DERReader.Tag.objectIdentifier).content)
        let value = try pair.next()
        guard let type else { throw DERReader.Malformed(reason: "an object identifier is not valid") }
        guard let short = shortNames[type.text], let text = text(of: value) else {
            return "\(type.text)=#\(value.encoding.hexadecimal)"
        }
        return "\(short)=\(escaped(text))"
    }

    /// The names of RFC 4514 §3.
    private static let shortNames = [
        "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.9": "STREET", "2.5.4.10": "O",
        "2.5.4.11": "OU", "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
    ]

    /// The value of a string type; `nil` for another type, such as the obsolete TeletexString and BMPString, or for
    /// bytes that are not of the type.
    private static func text(of value: DERReader.Element) -> String? {
        switch value.tag {
        case 0x0C: String(validating: value.content, as: UTF8.self)
        case 0x12, 0x13, 0x16: String(validating: value.content, as: Unicode.ASCII.self)
        default: nil
        }
    }

    static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var escaped = ""
        for (index, scalar) in scalars.enumerated() {
            let isOuterSpace = scalar == " " && (index == 0 || index == scalars.count - 1)
            if isOuterSpace || "\"+,;<>\\".unicodeScalars.contains(scalar) || scalar == "#" && index == 0 {
                escaped += "\\\(scalar)"
            } else if scalar.isShapeless {
                escaped += String(scalar).utf8.map { "\\\([$0].hexadecimal)" }.joined()
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension Unicode.Scalar {
    /// Whether the character has no shape of its own: a control, format, private-use or unassigned
    /// character, or a line or paragraph separator.
    var isShapeless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
