import CAsyncNetPlatform

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

/// A hash function whose blocks have sixteen words.
private struct WordHash<Word: FixedWidthInteger & Sendable>: BlockHash {
    var state: [Word]
    let isBigEndian: Bool
    /// Adds `count` blocks to a state.
    let add: @Sendable (_ state: inout [Word], _ blocks: UnsafeRawPointer, _ count: Int) -> Void

    var blockSize: Int { 16 * MemoryLayout<Word>.size }
    var bytes: [UInt8] { state.map { isBigEndian ? $0.bigEndian : $0.littleEndian }.withUnsafeBytes { Array($0) } }

    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        add(&state, start, blocks.count / blockSize)
    }
}

extension HashAlgorithm {
    var blockHash: any BlockHash {
        switch self {
        case .md5: WordHash(state: Self.md5State, isBigEndian: false) { cp_md5_blocks(&$0, $1, $2) }
        case .sha256: WordHash(state: Self.sha256State, isBigEndian: true) { cp_sha256_blocks(&$0, $1, $2) }
        case .sha512: WordHash(state: Self.sha512State, isBigEndian: true) { cp_sha512_blocks(&$0, $1, $2) }
        case .sha512_256: WordHash(state: Self.sha512_256State, isBigEndian: true) { cp_sha512_blocks(&$0, $1, $2) }
        }
    }

    /// RFC 1321 §3.3.
    private static let md5State: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    /// FIPS 180-4 §5.3.3.
    private static let sha256State: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// FIPS 180-4 §5.3.5.
    private static let sha512State: [UInt64] = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]
    /// FIPS 180-4 §5.3.6.2.
    private static let sha512_256State: [UInt64] = [
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
    ]
}
