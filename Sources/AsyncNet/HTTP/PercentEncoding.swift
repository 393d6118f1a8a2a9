import Foundation

/// Percent-encoding of text that becomes a part of a URL (RFC 3986 §2.1).
enum PercentEncoding {
    /// Whether a percent sign is encoded, is kept if two hexadecimal digits follow, or is always kept.
    enum PercentSign { case encoded, keptBeforeDigits, kept }

    /// Encodes all bytes except the unreserved characters.
    static func encoded(_ text: String) -> String { encoded(text, keeping: "-._~") }

    /// Encodes all bytes except unreserved and reserved characters and percent-encoded bytes.
    static func encodedKeepingReserved(_ text: String) -> String {
        encoded(text, keeping: "-._~:/?#[]@!$&'()*+,;=", percent: .keptBeforeDigits)
    }

    /// Encodes all bytes except letters, digits and these characters.
    static func encoded(_ text: String, keeping kept: StaticString, percent: PercentSign = .encoded) -> String {
        let bytes = Array(text.utf8)
        let others = UnsafeBufferPointer(start: kept.utf8Start, count: kept.utf8CodeUnitCount)
        func stays(_ index: Int) -> Bool {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "%") else { return HTTPSyntax.isAlphanumeric(byte) || others.contains(byte) }
            return percent == .kept || percent == .keptBeforeDigits && isEncoded(bytes, at: index)
        }
        guard !bytes.indices.allSatisfy(stays) else { return text }
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if stays(index) { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        for half in [byte >> 4, byte & 15] { bytes.append(half < 10 ? 0x30 + half : 0x41 + half - 10) }
    }

    static func encodedDots(_ text: some StringProtocol) -> String {
        text.map { $0 == "." ? "%2E" : String($0) }.joined()
    }

    /// Whether this path segment is `.` or `..`, which a resolver removes (RFC 3986 §3.3, §5.2.4).
    static func isDotSegment(_ segment: some StringProtocol) -> Bool { segment == "." || segment == ".." }

    /// Whether this path segment would be `.` or `..` if its dots were decoded.
    static func isEncodedDotSegment(_ segment: some StringProtocol) -> Bool {
        segment.contains("%")
            && isDotSegment(segment.replacingOccurrences(of: "%2E", with: ".", options: .caseInsensitive))
    }

    /// Whether two hexadecimal digits follow each percent sign.
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || isEncoded(bytes, at: $0) }
    }

    private static func isEncoded(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index + 1].hexValue != nil && bytes[index + 2].hexValue != nil
    }
}

extension UInt8 {
    var hexValue: UInt8? {
        if self &- 0x30 < 10 { return self - 0x30 }
        return asciiLowercased &- 0x61 < 6 ? asciiLowercased - 0x61 + 10 : nil
    }
}

extension DefaultStringInterpolation {
    /// Appends a value as one segment of a URL's path: `session.get("users/\(segment: name)")`.
    ///
    /// All characters except unreserved ones (RFC 3986 §2.3) are percent-encoded, so that a slash, a question mark or a
    /// number sign is a part of the segment, and so are the dots of `.` and `..`. Some servers decode `%2E%2E` before
    /// they resolve a path: a server that takes names of users as segments should refuse these two.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        let encoded = PercentEncoding.encoded(value.description)
        appendLiteral(PercentEncoding.isDotSegment(encoded) ? PercentEncoding.encodedDots(encoded) : encoded)
    }
}
