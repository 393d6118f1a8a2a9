/// MD5's state and compression function (RFC 1321 §3.4).
struct MD5Blocks: BlockHash {
    private var state = SIMD4<UInt32>(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476)

    var blockSize: Int { 64 }
    var isBigEndian: Bool { false }

    var bytes: [UInt8] {
        (0..<4).flatMap { index in withUnsafeBytes(of: state[index].littleEndian) { Array($0) } }
    }

    /// Uses pointers: their bounds are checked in debug builds only, those of an array always.
    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        Self.constants.withUnsafeBufferPointer { constants in
            for start in stride(from: 0, to: blocks.count, by: 64) {
                state &+= Self.rounds(state, UnsafeRawBufferPointer(rebasing: blocks[start..<start + 64]), constants)
            }
        }
    }

    /// The four rounds of 16 steps each; `places` gives the positions of a round's words in the block.
    @inline(__always)
    private static func rounds(
        _ state: SIMD4<UInt32>, _ block: UnsafeRawBufferPointer, _ constants: UnsafeBufferPointer<UInt32>
    ) -> SIMD4<UInt32> {
        var s = state
        for step in stride(from: 0, to: 16, by: 4) {
            four(&s, (7, 12, 17, 22), step, places: (1, 0), block, constants) { ($0 & ($1 ^ $2)) ^ $2 }
        }
        for step in stride(from: 16, to: 32, by: 4) {
            four(&s, (5, 9, 14, 20), step, places: (5, 1), block, constants) { ($0 & $2) | ($1 & ~$2) }
        }
        for step in stride(from: 32, to: 48, by: 4) {
            four(&s, (4, 11, 16, 23), step, places: (3, 5), block, constants) { $0 ^ $1 ^ $2 }
        }
        for step in stride(from: 48, to: 64, by: 4) {
            four(&s, (6, 10, 15, 21), step, places: (7, 0), block, constants) { $1 ^ ($0 | ~$2) }
        }
        return s
    }

    @inline(__always)
    private static func four(
        _ s: inout SIMD4<UInt32>, _ shifts: (UInt32, UInt32, UInt32, UInt32), _ step: Int,
        places: (factor: Int, offset: Int),
        _ block: UnsafeRawBufferPointer, _ constants: UnsafeBufferPointer<UInt32>,
        _ mix: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        func word(_ step: Int) -> UInt32 {
            let place = (step &* places.factor &+ places.offset) & 15
            return UInt32(littleEndian: block.loadUnaligned(fromByteOffset: place &* 4, as: UInt32.self))
                &+ constants[step]
        }
        var (a, b, c, d) = (s[0], s[1], s[2], s[3])
        a = b &+ (a &+ mix(b, c, d) &+ word(step)).rotated(shifts.0)
        d = a &+ (d &+ mix(a, b, c) &+ word(step &+ 1)).rotated(shifts.1)
        c = d &+ (c &+ mix(d, a, b) &+ word(step &+ 2)).rotated(shifts.2)
        b = c &+ (b &+ mix(c, d, a) &+ word(step &+ 3)).rotated(shifts.3)
        s = SIMD4(a, b, c, d)
    }

    private static let constants: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}

extension UInt32 {
    /// Rotates to the left.
    @inline(__always)
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self &<< count | self &>> (32 &- count) }
}
