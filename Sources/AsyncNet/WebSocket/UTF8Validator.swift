/// Validates UTF-8 in pieces (RFC 3629 §4), and refuses the first byte that cannot follow the bytes before it.
struct UTF8Validator: Sendable {
    /// How many bytes of the current character are missing, and the values that the next one may have.
    private var missing = 0
    private var (lowest, highest): (UInt8, UInt8) = (0x80, 0xBF)

    /// Whether the bytes so far end with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Whether a text can continue with these bytes. After `false`, the validator must not be used.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < bytes.count {
            if missing == 0 { place = Self.endOfASCII(bytes, from: place) }
            guard place < bytes.count else { return true }
            guard missing == 0 ? begin(bytes[place]) : proceed(bytes[place]) else { return false }
            place += 1
        }
        return true
    }

    /// Skips ASCII, eight bytes at a time.
    private static func endOfASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place &+ 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            place &+= 8
        }
        while place < bytes.count, bytes[place] < 0x80 { place &+= 1 }
        return place
    }

    /// Begins a character. Its second byte's values exclude overlong forms, surrogates, and what is above U+10FFFF.
    private mutating func begin(_ byte: UInt8) -> Bool {
        (lowest, highest) = (0x80, 0xBF)
        switch byte {
        case ..<0x80: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    private mutating func proceed(_ byte: UInt8) -> Bool {
        guard byte >= lowest, byte <= highest else { return false }
        (lowest, highest) = (0x80, 0xBF)
        missing -= 1
        return true
    }
}
