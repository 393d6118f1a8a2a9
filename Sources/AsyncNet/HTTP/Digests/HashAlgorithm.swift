/// A hash function, with its name in HTTP's registries in lower case. Servers of RFC 7616 still require MD5, which is
/// not secure.
enum HashAlgorithm: String, Sendable, CaseIterable {
    case md5
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    /// SHA-512 with other initial values, truncated to 256 bits (FIPS 180-4 §6.7).
    case sha512_256 = "sha-512-256"

    var digestSize: Int {
        switch self {
        case .md5: 16
        case .sha256, .sha512_256: 32
        case .sha512: 64
        }
    }
}
