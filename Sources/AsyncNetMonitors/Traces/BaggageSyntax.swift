import AsyncNet

/// The syntax of the header `baggage` (W3C Baggage §3.2).
enum BaggageSyntax {
    /// Reads one member; `nil` if it is invalid.
    static func member(_ text: Substring) -> TraceContext.Baggage.Member? {
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(trimmed)
        let (name, value) = pair(parts.removeFirst())
        guard let value, value.utf8.allSatisfy(isOctet) else { return nil }
        return TraceContext.Baggage.Member(
            name: name, value: decoded(value), properties: parts.filter { !$0.isEmpty }.map(normalized))
    }

    /// Whether the text is `key` or `key=value`.
    static func isProperty(_ text: String) -> Bool {
        let (key, value) = pair(text)
        return HTTPSyntax.isToken(key) && value?.utf8.allSatisfy(isOctet) != false
    }

    /// Without optional whitespace around the equals sign.
    private static func normalized(_ property: String) -> String {
        let (key, value) = pair(property)
        return value.map { key + "=" + $0 } ?? key
    }

    private static func pair(_ text: String) -> (String, String?) {
        let parts = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        return (parts.first.map(trimmed) ?? "", parts.count > 1 ? trimmed(parts[1]) : nil)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String { String(Substring(text)).trimmedHTTPSpace }

    /// Printable characters of ASCII but quotation mark, comma, semicolon and backslash.
    private static func isOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Percent-encodes all bytes that a value cannot have, and the percent sign.
    static func encoded(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if isOctet(byte), byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A percent sign without two digits is kept; bytes that are not UTF-8 become U+FFFD.
    static func decoded(_ value: String) -> String {
        let source = Array(value.utf8)
        var (bytes, index): ([UInt8], Int) = ([], 0)
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let byte = hexadecimal(source[index + 1], source[index + 2])
            {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ high: UInt8, _ low: UInt8) -> UInt8? {
        let digits = [high.asciiLowercased, low.asciiLowercased]
        return Hexadecimal.number(digits[...]).map { UInt8(truncatingIfNeeded: $0) }
    }
}
