/// SHA-512's state and compression function (FIPS 180-4 §6.4), also for its truncated variants.
struct SHA512Blocks: BlockHash {
    private var state: SIMD8<UInt64>

    init(initial: SIMD8<UInt64>) { state = initial }

    static let sha512 = SIMD8<UInt64>(
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179)
    static let sha512_256 = SIMD8<UInt64>(
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2)

    var blockSize: Int { 128 }
    var isBigEndian: Bool { true }

    var bytes: [UInt8] {
        (0..<8).flatMap { index in withUnsafeBytes(of: state[index].bigEndian) { Array($0) } }
    }

    /// Uses pointers: their bounds are checked in debug builds only, those of an array always.
    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        Self.constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 80) { schedule in
                for start in stride(from: 0, to: blocks.count, by: 128) {
                    Self.expand(blocks, from: start, into: schedule)
                    state &+= Self.rounds(state, schedule, constants)
                }
            }
        }
    }

    /// The message schedule (FIPS 180-4 §6.4.2, step 1).
    @inline(__always)
    private static func expand(
        _ blocks: UnsafeRawBufferPointer, from start: Int, into schedule: UnsafeMutableBufferPointer<UInt64>
    ) {
        for index in 0..<16 {
            schedule[index] = UInt64(
                bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ index &* 8, as: UInt64.self))
        }
        for index in 16..<80 {
            let (early, late) = (schedule[index &- 15], schedule[index &- 2])
            let small0 = early.rotated(1) ^ early.rotated(8) ^ early &>> 7
            let small1 = late.rotated(19) ^ late.rotated(61) ^ late &>> 6
            schedule[index] = schedule[index &- 16] &+ small0 &+ schedule[index &- 7] &+ small1
        }
    }

    /// Eight rounds per iteration, each with the variables shifted by one, so that no word is moved.
    @inline(__always)
    private static func rounds(
        _ state: SIMD8<UInt64>, _ schedule: UnsafeMutableBufferPointer<UInt64>, _ constants: UnsafeBufferPointer<UInt64>
    ) -> SIMD8<UInt64> {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in stride(from: 0, to: 80, by: 8) {
            round(a, b, c, &d, e, f, g, &h, schedule[index] &+ constants[index])
            round(h, a, b, &c, d, e, f, &g, schedule[index &+ 1] &+ constants[index &+ 1])
            round(g, h, a, &b, c, d, e, &f, schedule[index &+ 2] &+ constants[index &+ 2])
            round(f, g, h, &a, b, c, d, &e, schedule[index &+ 3] &+ constants[index &+ 3])
            round(e, f, g, &h, a, b, c, &d, schedule[index &+ 4] &+ constants[index &+ 4])
            round(d, e, f, &g, h, a, b, &c, schedule[index &+ 5] &+ constants[index &+ 5])
            round(c, d, e, &f, g, h, a, &b, schedule[index &+ 6] &+ constants[index &+ 6])
            round(b, c, d, &e, f, g, h, &a, schedule[index &+ 7] &+ constants[index &+ 7])
        }
        return SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func round(
        _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: inout UInt64, _ e: UInt64, _ f: UInt64, _ g: UInt64,
        _ h: inout UInt64, _ word: UInt64
    ) {
        let choice = (e & (f ^ g)) ^ g
        let majority = (a & b) | (c & (a | b))
        let first = h &+ (e.rotated(14) ^ e.rotated(18) ^ e.rotated(41)) &+ choice &+ word
        d = d &+ first
        h = first &+ (a.rotated(28) ^ a.rotated(34) ^ a.rotated(39)) &+ majority
    }

    private static let constants: [UInt64] = [
        0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
        0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
        0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
        0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
        0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
        0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
        0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
        0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
        0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
        0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
        0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
        0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
        0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
        0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
        0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
        0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
        0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
        0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
        0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
        0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
    ]
}

extension UInt64 {
    /// Rotates to the right (ROTR).
    @inline(__always)
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &>> count | self &<< (64 &- count) }
}
