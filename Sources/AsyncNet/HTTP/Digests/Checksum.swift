import Foundation

/// What the bytes of a file must hash to.
///
/// Text that is neither hexadecimal nor base64 of the right length makes a checksum that nothing fits; a download that
/// is given one fails at its start with `.invalidRequest`.
public struct Checksum: Hashable, Sendable {
    package let algorithm: HashAlgorithm
    /// None if the text was no checksum.
    package let bytes: [UInt8]

    /// Reads a SHA-256 checksum: 64 hexadecimal digits in any case, or 44 characters of base64 (RFC 4648 §4). Space
    /// around is ignored.
    public static func sha256(_ text: String) -> Checksum { Checksum(.sha256, text: text) }

    /// Reads a SHA-512 checksum: 128 hexadecimal digits in any case, or 88 characters of base64 (RFC 4648 §4). Space
    /// around is ignored.
    public static func sha512(_ text: String) -> Checksum { Checksum(.sha512, text: text) }

    /// `nil` if the algorithm's digests have another number of bytes.
    package init?(_ algorithm: HashAlgorithm, bytes: [UInt8]) {
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

    /// Whether there is anything that bytes could hash to.
    package var isValid: Bool { !bytes.isEmpty }

    /// None if there is anything else.
    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Checksum: CustomStringConvertible {
    /// The algorithm and lower-case hexadecimal digits, such as `sha-256:e3b0…`.
    public var description: String { "\(algorithm.rawValue):\(isValid ? bytes.hexadecimal : "<invalid>")" }
}

extension UInt8 {
    /// Of an ASCII digit or a letter up to F; `nil` for others.
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
