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
