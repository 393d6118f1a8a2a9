/// The values of parameters whose names end in `*`, as in `filename*` and `title*` (RFC 8187).
enum ExtendedValue {
    /// Decodes `charset'language'percent-encoded` (RFC 8187 §3.2) in UTF-8 or ISO-8859-1; the language is ignored.
    static func decoded(_ text: String) -> String? {
        let parts = text.unicodeScalars.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
        switch String(parts[0]).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    /// `nil` for a percent sign without two hex digits, and for non-ASCII characters.
    private static func percentDecoded(_ text: Substring.UnicodeScalarView) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let scalar = rest.popFirst() {
            guard scalar.isASCII else { return nil }
            guard scalar == "%" else {
                bytes.append(UInt8(ascii: scalar))
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension Unicode.Scalar {
    fileprivate var hexValue: UInt8? {
        switch self {
        case "0"..."9": UInt8(value - 0x30)
        case "A"..."F": UInt8(value - 0x41 + 10)
        case "a"..."f": UInt8(value - 0x61 + 10)
        default: nil
        }
    }
}
