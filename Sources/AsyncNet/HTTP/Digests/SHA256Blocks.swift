/// SHA-256's state and compression function (FIPS 180-4 §6.2).
///
/// The message schedules of four blocks are computed at once in the lanes of a vector, which saves about a tenth of the
/// time for large inputs. The rounds are computed block by block, since each block needs the state after the one
/// before.
struct SHA256Blocks: BlockHash {
    private typealias Words = SIMD4<UInt32>

    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    var blockSize: Int { 64 }
    var isBigEndian: Bool { true }

    var bytes: [UInt8] {
        (0..<8).flatMap { index in withUnsafeBytes(of: state[index].bigEndian) { Array($0) } }
    }

    /// Uses pointers: their bounds are checked in debug builds only, those of an array always.
    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        Self.constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: Words.self, capacity: 64) { schedule in
                for start in stride(from: 0, to: blocks.count, by: 256) {
                    let some = UnsafeRawBufferPointer(rebasing: blocks[start..<min(start + 256, blocks.count)])
                    Self.expand(some, into: schedule)
                    for index in 0..<64 { schedule[index] &+= Words(repeating: constants[index]) }
                    for lane in 0..<some.count / 64 { state &+= Self.rounds(state, schedule, lane) }
                }
            }
        }
    }

    /// The message schedules (FIPS 180-4 §6.2.2, step 1) of one to four blocks. Unused lanes repeat the first block.
    @inline(__always)
    private static func expand(_ blocks: UnsafeRawBufferPointer, into schedule: UnsafeMutableBufferPointer<Words>) {
        let starts = (0, 64 < blocks.count ? 64 : 0, 128 < blocks.count ? 128 : 0, 192 < blocks.count ? 192 : 0)
        for index in 0..<16 {
            func word(_ start: Int) -> UInt32 {
                UInt32(bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self))
            }
            schedule[index] = Words(word(starts.0), word(starts.1), word(starts.2), word(starts.3))
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index &- 15], schedule[index &- 2])
            let small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early &>> Words(repeating: 3))
            let small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late &>> Words(repeating: 10))
            schedule[index] = schedule[index &- 16] &+ small0 &+ schedule[index &- 7] &+ small1
        }
    }

    /// Eight rounds per iteration, each with the variables shifted by one, so that no word is moved. The schedule's
    /// words include the constants of their rounds.
    @inline(__always)
    private static func rounds(
        _ state: SIMD8<UInt32>, _ schedule: UnsafeMutableBufferPointer<Words>, _ lane: Int
    ) -> SIMD8<UInt32> {
        let words = UnsafeRawBufferPointer(schedule)
        func word(_ index: Int) -> UInt32 {
            words.load(fromByteOffset: index &* 16 &+ lane &* 4, as: UInt32.self)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        var differing = b ^ c
        for index in stride(from: 0, to: 64, by: 8) {
            round(a, b, &d, e, f, g, &h, word(index), &differing)
            round(h, a, &c, d, e, f, &g, word(index &+ 1), &differing)
            round(g, h, &b, c, d, e, &f, word(index &+ 2), &differing)
            round(f, g, &a, b, c, d, &e, word(index &+ 3), &differing)
            round(e, f, &h, a, b, c, &d, word(index &+ 4), &differing)
            round(d, e, &g, h, a, b, &c, word(index &+ 5), &differing)
            round(c, d, &f, g, h, a, &b, word(index &+ 6), &differing)
            round(b, c, &e, f, g, h, &a, word(index &+ 7), &differing)
        }
        return SIMD8(a, b, c, d, e, f, g, h)
    }

    /// - Parameter differing: `b ^ c`, which the round before has computed as its `a ^ b`.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
        _ word: UInt32, _ differing: inout UInt32
    ) {
        let choice = (e & (f ^ g)) ^ g
        let next = a ^ b
        let majority = (next & differing) ^ b
        differing = next
        let first = h &+ rotated(e ^ rotated(e ^ rotated(e, 14), 5), 6) &+ choice &+ word
        d = d &+ first
        h = first &+ rotated(a ^ rotated(a ^ rotated(a, 9), 11), 2) &+ majority
    }

    /// Rotates to the right (ROTR).
    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    @inline(__always)
    private static func rotated(_ words: Words, _ count: UInt32) -> Words {
        (words &>> Words(repeating: count)) | (words &<< Words(repeating: 32 &- count))
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
