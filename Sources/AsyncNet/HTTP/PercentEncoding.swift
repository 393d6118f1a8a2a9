import Foundation

/// Percent-encoding of text that becomes a part of a URL (RFC 3986 §2.1).
enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let reserved = Array(":/?#[]@!$&'()*+,;=".utf8)

    /// Encodes all bytes except the unreserved characters.
    static func encoded(_ text: String) -> String { encoded(text) { _ in false } }

    /// Encodes all bytes except unreserved and reserved characters and percent-encoded bytes.
    static func encodedKeepingReserved(_ text: String) -> String {
        encoded(text, keepsEncoded: true) { reserved.contains($0) }
    }

    /// Encodes the dots, which otherwise stand for themselves.
    static func encodedDots(_ text: some StringProtocol) -> String {
        text.map { $0 == "." ? "%2E" : String($0) }.joined()
    }

    /// Whether this path segment means another segment (RFC 3986 §3.3).
    static func isDotSegment(_ segment: some StringProtocol) -> Bool { segment == "." || segment == ".." }

    /// Whether this path segment would mean another segment if its dots were decoded.
    static func isEncodedDotSegment(_ segment: some StringProtocol) -> Bool {
        segment.contains("%")
            && isDotSegment(segment.replacingOccurrences(of: "%2E", with: ".", options: .caseInsensitive))
    }

    /// Whether two hexadecimal digits follow each percent sign.
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || isEncoded(bytes, at: $0) }
    }

    private static func encoded(_ text: String, keepsEncoded: Bool = false, keeps: (UInt8) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isKept =
                byte == UInt8(ascii: "%")
                ? keepsEncoded && isEncoded(bytes, at: index) : isUnreserved(byte) || keeps(byte)
            if isKept {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        HTTPSyntax.isAlphanumeric(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
    }

    private static func isEncoded(_ bytes: [UInt8], at index: Int) -> Bool {
        bytes[index...].dropFirst().prefix(2).filter { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 | 0x20 }.count == 2
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
