import CAsyncNetPlatform

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

/// MD5 (RFC 1321 §3.3 and §3.4).
struct MD5Blocks: BlockHash {
    private var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]

    var blockSize: Int { 64 }
    var isBigEndian: Bool { false }
    var bytes: [UInt8] { state.map(\.littleEndian).withUnsafeBytes { Array($0) } }

    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        cp_md5_blocks(&state, start, blocks.count / blockSize)
    }
}

/// SHA-256 (FIPS 180-4 §5.3.3 and §6.2).
struct SHA256Blocks: BlockHash {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    var blockSize: Int { 64 }
    var isBigEndian: Bool { true }
    var bytes: [UInt8] { state.map(\.bigEndian).withUnsafeBytes { Array($0) } }

    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        cp_sha256_blocks(&state, start, blocks.count / blockSize)
    }
}

/// SHA-512 (FIPS 180-4 §6.4), also for its truncated variants.
struct SHA512Blocks: BlockHash {
    private var state: [UInt64]

    init(initial: [UInt64]) { state = initial }

    static let sha512: [UInt64] = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]
    static let sha512_256: [UInt64] = [
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
    ]

    var blockSize: Int { 128 }
    var isBigEndian: Bool { true }
    var bytes: [UInt8] { state.map(\.bigEndian).withUnsafeBytes { Array($0) } }

    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        cp_sha512_blocks(&state, start, blocks.count / blockSize)
    }
}
