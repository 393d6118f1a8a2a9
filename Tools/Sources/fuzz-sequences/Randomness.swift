import Foundation

/// SplitMix64: the same numbers for the same seed on every machine.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// One of its own for each of several numbers, so that what is drawn for one changes nothing for the next.
    init(seed: UInt64, _ numbers: Int...) {
        self.init(seed: seed)
        for number in numbers { state = next() ^ UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// `true` with that probability.
    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Small numbers are as likely as large ones: each power of two has the same share.
    mutating func size(upTo most: Int) -> Int {
        let bits = number(0...(Int.bitWidth - most.leadingZeroBitCount))
        return bits == 0 ? 0 : min(most, number((1 << (bits - 1))...((1 << bits) - 1)))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...(elements.count - 1))] }

    mutating func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + 8)
        while data.count < count { withUnsafeBytes(of: next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }

    /// Letters and digits.
    mutating func word(_ count: Int) -> String {
        String(decoding: (0..<count).map { _ in pick(Self.letters) }, as: UTF8.self)
    }

    private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
}
