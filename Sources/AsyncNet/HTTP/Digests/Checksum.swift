import Foundation

/// The expected hash of a file.
///
/// Text that is neither hexadecimal nor base64 of the right length makes an invalid checksum, with which a download
/// ends at its start with `.invalidRequest`.
public struct Checksum: Hashable, Sendable {
    let algorithm: HashAlgorithm
    /// The bytes of the hash; empty if the text was invalid.
    let bytes: [UInt8]

    /// Parses a SHA-256 checksum: 64 hexadecimal digits in any case, or 44 characters of base64 (RFC 4648 §4). White
    /// space around it is ignored.
    public static func sha256(_ text: String) -> Checksum { Checksum(.sha256, text: text) }

    /// Parses a SHA-512 checksum: 128 hexadecimal digits in any case, or 88 characters of base64 (RFC 4648 §4). White
    /// space around it is ignored.
    public static func sha512(_ text: String) -> Checksum { Checksum(.sha512, text: text) }

    init?(_ algorithm: HashAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.digestSize else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    private init(_ algorithm: HashAlgorithm, text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let isBase64Size = text.utf8.count == (algorithm.digestSize + 2) / 3 * 4
        let read = isBase64Size ? Data(base64Encoded: text).map { Array($0) } ?? [] : Self.hexadecimal(text)
        self.algorithm = algorithm
        bytes = read.count == algorithm.digestSize ? read : []
    }

    var isValid: Bool { !bytes.isEmpty }

    /// The bytes of hexadecimal text; empty if the text contains anything else.
    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap(\.hexValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Checksum: CustomStringConvertible {
    /// The algorithm and lower-case hexadecimal digits, such as `sha-256:e3b0…`.
    public var description: String { "\(algorithm.rawValue):\(isValid ? bytes.hexadecimal : "<invalid>")" }
}
