/// The Huffman code of strings (RFC 7541 §5.2, appendix B).
///
/// Codes grow with their length, and within a length with the symbol, so that the lengths are enough to make the
/// tables, about 2 KB, once. A code is found by comparing with the first code of each length: those of the symbols that
/// are common in fields have the first four lengths.
struct HPACKHuffman: Sendable {
    static let code = HPACKHuffman()

    private static let endOfString = 256
    private static let shortest = 5
    private static let longest = 30

    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23,
        23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22,
        22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26,
        27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27,
        26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    ]

    /// The codes, by symbol, in the lowest bits.
    private var codes = [UInt32](repeating: 0, count: lengths.count)
    private let symbols: [UInt16]
    /// By the length of a code. `ends`: the first code that is longer, shifted to the top of 32 bits; 0 for a length
    /// without codes. `offsets`: a code plus this number is its index in `symbols`.
    private var ends = [UInt64](repeating: 0, count: longest + 1)
    private var offsets = [Int](repeating: 0, count: longest + 1)

    private init() {
        let ordered = (0...Self.endOfString).sorted { (Self.lengths[$0], $0) < (Self.lengths[$1], $1) }
        symbols = ordered.map(UInt16.init)
        var next: UInt64 = 0
        for (place, symbol) in ordered.enumerated() {
            let length = Int(Self.lengths[symbol])
            let code = next >> (32 - length)
            codes[symbol] = UInt32(code)
            next += 1 << (32 - length)
            ends[length] = next
            offsets[length] = place - Int(code)
        }
    }

    func encodedCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let lengths = Self.lengths
        return (text.reduce(7) { $0 &+ Int(lengths[Int($1)]) }) / 8
    }

    func encode(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
        var (bits, count): (UInt64, UInt64) = (0, 0)
        let lengths = Self.lengths
        for byte in text {
            let length = UInt64(lengths[Int(byte)])
            bits = bits << length | UInt64(codes[Int(byte)])
            count += length
            while count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // The rest of the last byte is the beginning of EOS: ones.
        if count > 0 { output.append(UInt8(truncatingIfNeeded: bits << (8 - count)) | 0xFF >> UInt8(count)) }
    }

    static func mostDecoded(_ count: Int) -> Int { count * 8 / 5 }

    /// - Parameter output: A buffer with room for `mostDecoded` bytes.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(HTTP2Violation) -> Int {
        // The next bits of the input, in the highest bits, and how many they are.
        var (bits, left): (UInt64, Int) = (0, 0)
        var (position, count) = (0, 0)
        while true {
            while left <= 56, position < input.count {
                bits |= UInt64(input[position]) << UInt64(56 - left)
                left += 8
                position += 1
            }
            // Ones follow the end of the input, where fewer than 8 of them are the padding.
            let next = (bits | (left < 32 ? .max >> UInt64(left) : 0)) >> 32
            if left < 8, next == UInt32.max { return count }
            var length = Self.shortest
            while length < Self.longest, next >= ends[length] { length += 1 }
            guard length <= left else {
                throw .undecodable("a Huffman-coded string with invalid padding (RFC 7541 §5.2)")
            }
            let symbol = symbols[Int(next >> UInt64(32 - length)) + offsets[length]]
            guard symbol < Self.endOfString else {
                throw .undecodable("a Huffman-coded string that contains EOS (RFC 7541 §5.2)")
            }
            output[count] = UInt8(symbol)
            count += 1
            bits <<= UInt64(length)
            left -= length
        }
    }
}
