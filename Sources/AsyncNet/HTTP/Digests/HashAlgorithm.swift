/// A hash function, under the name that HTTP's registries have for it, in lower case.
///
/// MD5 proves nothing against an attacker; it is here for RFC 7616, whose servers still ask for it.
package enum HashAlgorithm: String, Sendable, CaseIterable {
    case md5
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    /// SHA-512 with initial values of its own and its output cut to 256 bits (FIPS 180-4 §6.7).
    case sha512_256 = "sha-512-256"

    /// How many bytes a digest has.
    package var digestSize: Int {
        switch self {
        case .md5: 16
        case .sha256, .sha512_256: 32
        case .sha512: 64
        }
    }

    var blockHash: any BlockHash {
        switch self {
        case .md5: MD5Blocks()
        case .sha256: SHA256Blocks()
        case .sha512: SHA512Blocks(initial: SHA512Blocks.sha512)
        case .sha512_256: SHA512Blocks(initial: SHA512Blocks.sha512_256)
        }
    }
}

/// The state of a hash function between blocks.
protocol BlockHash: Sendable {
    /// How many bytes a block has; a power of two.
    var blockSize: Int { get }
    /// Whether the message's length and the state are written with the most significant byte first.
    var isBigEndian: Bool { get }
    /// The state as bytes; the first of them are the digest.
    var bytes: [UInt8] { get }
    /// Takes any number of whole blocks.
    mutating func compress(_ blocks: UnsafeRawBufferPointer)
}

extension BlockHash {
    mutating func compress(_ blocks: [UInt8]) {
        blocks.withUnsafeBytes { compress($0) }
    }
}
