/// SHA-256's state and compression function (FIPS 180-4 §6.2).
///
/// Blocks depend on each other in their rounds, not in their message schedules: those of four blocks are made at once, a block in each
/// lane of a vector, which saves about a tenth of the time with large pieces.
struct SHA256Blocks: BlockHash {
    private typealias Words = SIMD4<UInt32>

    private var state = SIMD8<UInt32>(
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19)

    var blockSize: Int { 64 }
    var isBigEndian: Bool { true }

    var bytes: [UInt8] {
        (0..<8).flatMap { index in withUnsafeBytes(of: state[index].bigEndian) { Array($0) } }
    }

    /// The pointers' bounds are checked in debug builds only, arrays' would be in all.
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

    /// The message schedules (FIPS 180-4 §6.2.2, step 1) of one to four blocks. Lanes without a block repeat the first one's.
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

    /// Eight rounds a turn, each with the letters one further, so that no word is moved. The schedule's words have their round's constants in them.
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

    /// `differing` is `b ^ c`, which was the round before's `a ^ b`.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32, _ differing: inout UInt32
    ) {
        let choice = (e & (f ^ g)) ^ g
        let next = a ^ b
        let majority = (next & differing) ^ b
        differing = next
        let first = h &+ rotated(e ^ rotated(e ^ rotated(e, 14), 5), 6) &+ choice &+ word
        d = d &+ first
        h = first &+ rotated(a ^ rotated(a ^ rotated(a, 9), 11), 2) &+ majority
    }

    /// To the right; the field's own name for it is ROTR.
    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    @inline(__always)
    private static func rotated(_ words: Words, _ count: UInt32) -> Words {
        (words &>> Words(repeating: count)) | (words &<< Words(repeating: 32 &- count))
    }

    private static let constants: [UInt32] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ]
}
