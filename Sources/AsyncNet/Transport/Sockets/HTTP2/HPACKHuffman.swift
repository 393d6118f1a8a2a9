/// The Huffman code of strings (RFC 7541 §5.2, appendix B).
///
/// Codes grow with their length, and within a length with the symbol, so that the lengths are enough to make the
/// tables, about 3 KB, once. The next 8 bits look up the symbols that are common in fields; a longer code is found by
/// comparing with the first code of each length.
struct HPACKHuffman: Sendable {
    static let code = HPACKHuffman()

    private static let endOfString = 256
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
    private let codes: [UInt32]
    /// By the next 8 bits of the input: the symbol and, in the bits above it, the length of its code; 0 if the code is
    /// longer.
    private let short: [UInt16]
    private let symbols: [UInt16]
    /// By the length of a code. `ends`: the first code that is longer, shifted to the top of 32 bits; 0 for a length
    /// without codes. `offsets`: a code plus this number is its index in `symbols`.
    private let ends: [UInt64]
    private let offsets: [Int]

    private init() {
        let ordered = (0...Self.endOfString).sorted { (Self.lengths[$0], $0) < (Self.lengths[$1], $1) }
        var codes = [UInt32](repeating: 0, count: ordered.count)
        var short = [UInt16](repeating: 0, count: 256)
        var ends = [UInt64](repeating: 0, count: Self.longest + 1)
        var offsets = [Int](repeating: 0, count: Self.longest + 1)
        var next: UInt64 = 0
        for (place, symbol) in ordered.enumerated() {
            let length = Int(Self.lengths[symbol])
            let code = next >> (32 - length)
            codes[symbol] = UInt32(code)
            next += 1 << (32 - length)
            ends[length] = next
            offsets[length] = place - Int(code)
            guard length <= 8 else { continue }
            for rest in 0..<1 << (8 - length) {
                short[Int(code) << (8 - length) + rest] = UInt16(length << 8 | symbol)
            }
        }
        self.codes = codes
        self.short = short
        self.ends = ends
        self.offsets = offsets
        symbols = ordered.map(UInt16.init)
    }

    func encodedCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        Self.lengths.withUnsafeBufferPointer { lengths in
            (text.reduce(0) { $0 &+ Int(lengths[Int($1)]) } + 7) / 8
        }
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
        var bits = Bits(input)
        var count = 0
        while true {
            bits.fill()
            let found = short[Int(bits.next(8))]
            if found != 0, bits.skip(Int(found >> 8)) {
                output[count] = UInt8(truncatingIfNeeded: found)
            } else {
                guard !bits.isPadding else { return count }
                output[count] = try longSymbol(&bits)
            }
            count += 1
        }
    }

    private func longSymbol(_ bits: inout Bits) throws(HTTP2Violation) -> UInt8 {
        let next = UInt64(bits.next(32))
        var length = 5
        while length < Self.longest, next >= ends[length] { length += 1 }
        guard bits.skip(length) else {
            throw .undecodable("a Huffman-coded string with invalid padding (RFC 7541 §5.2)")
        }
        let place = Int(next >> (32 - length)) + offsets[length]
        guard place < symbols.count, symbols[place] < Self.endOfString else {
            throw .undecodable("a Huffman-coded string that contains EOS (RFC 7541 §5.2)")
        }
        return UInt8(truncatingIfNeeded: symbols[place])
    }
}

/// The bits of a string, with ones after its end.
private struct Bits {
    private let input: UnsafeRawBufferPointer
    private var position = 0
    private var bits: UInt64 = 0
    private var count = 0

    init(_ input: UnsafeRawBufferPointer) { self.input = input }

    private var left: Int { count - max(0, position - input.count) * 8 }

    /// Whether fewer than 8 bits are left, all of them ones.
    var isPadding: Bool { left < 8 && next(32) == .max }

    /// Called before each symbol: afterwards there are 32 bits or more.
    mutating func fill() {
        while count < 32 {
            bits = bits << 8 | (position < input.count ? UInt64(input[position]) : 0xFF)
            position += 1
            count += 8
        }
    }

    func next(_ length: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: bits >> UInt64(count - length)) & (.max >> UInt32(32 - length))
    }

    /// Skips `length` bits, and returns `true`; returns `false`, and skips nothing, if the string has fewer.
    mutating func skip(_ length: Int) -> Bool {
        guard length <= left else { return false }
        count -= length
        return true
    }
}
