/// A hash function, with its name in HTTP's registries in lower case.
///
/// MD5 is not secure; servers of RFC 7616 still require it.
enum HashAlgorithm: String, Sendable, CaseIterable {
    case md5
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    /// SHA-512 with other initial values, truncated to 256 bits (FIPS 180-4 §6.7).
    case sha512_256 = "sha-512-256"

    /// The number of bytes of a digest.
    var digestSize: Int {
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
    /// The number of bytes of a block; a power of two.
    var blockSize: Int { get }
    /// Whether the message's length and the state are written with the most significant byte first.
    var isBigEndian: Bool { get }
    /// The state as bytes, which begin with the digest.
    var bytes: [UInt8] { get }
    /// Processes any number of whole blocks.
    mutating func compress(_ blocks: UnsafeRawBufferPointer)
}

extension BlockHash {
    mutating func compress(_ blocks: [UInt8]) {
        blocks.withUnsafeBytes { compress($0) }
    }
}
