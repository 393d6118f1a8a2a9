/// MD5's state and compression function (RFC 1321 §3.4).
struct MD5Blocks: BlockHash {
    private var state = SIMD4<UInt32>(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)

    var blockSize: Int { 64 }
    var isBigEndian: Bool { false }

    var bytes: [UInt8] {
        (0..<4).flatMap { index in withUnsafeBytes(of: state[index].littleEndian) { Array($0) } }
    }

    /// The pointers' bounds are checked in debug builds only, the array's would be in all.
    mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        Self.constants.withUnsafeBufferPointer { constants in
            for start in stride(from: 0, to: blocks.count, by: 64) {
                state &+= Self.rounds(state, UnsafeRawBufferPointer(rebasing: blocks[start..<start + 64]), constants)
            }
        }
    }

    /// The four rounds of sixteen steps each; `places` is where in the block a round's words stand.
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
        _ s: inout SIMD4<UInt32>, _ shifts: (UInt32, UInt32, UInt32, UInt32), _ step: Int, places: (factor: Int, offset: Int),
        _ block: UnsafeRawBufferPointer, _ constants: UnsafeBufferPointer<UInt32>, _ mix: (UInt32, UInt32, UInt32) -> UInt32
    ) {
        func word(_ step: Int) -> UInt32 {
            let place = (step &* places.factor &+ places.offset) & 15
            return UInt32(littleEndian: block.loadUnaligned(fromByteOffset: place &* 4, as: UInt32.self)) &+ constants[step]
        }
        var (a, b, c, d) = (s[0], s[1], s[2], s[3])
        a = b &+ (a &+ mix(b, c, d) &+ word(step)).rotated(shifts.0)
        d = a &+ (d &+ mix(a, b, c) &+ word(step &+ 1)).rotated(shifts.1)
        c = d &+ (c &+ mix(d, a, b) &+ word(step &+ 2)).rotated(shifts.2)
        b = c &+ (b &+ mix(c, d, a) &+ word(step &+ 3)).rotated(shifts.3)
        s = SIMD4(a, b, c, d)
    }

    private static let constants: [UInt32] = [
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    ]
}

extension UInt32 {
    /// To the left.
    @inline(__always)
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self &<< count | self &>> (32 &- count) }
}
