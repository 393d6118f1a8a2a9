extension TraceContext {
    /// The identifier of a trace, which all its spans have: 16 bytes, not all zero (W3C Trace Context §3.2.2.3).
    public struct TraceID: Hashable, Sendable, LosslessStringConvertible {
        private let high: UInt64
        private let low: UInt64

        /// An identifier of two numbers, the first of which has the first 8 bytes; `nil` if all bytes are zero.
        public init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            (self.high, self.low) = (high, low)
        }

        /// An identifier written as 32 lowercase hexadecimal digits; `nil` for any other text.
        public init?(_ text: String) {
            let digits = Array(text.utf8)
            guard digits.count == 32, let high = Hexadecimal.number(digits[..<16]),
                let low = Hexadecimal.number(digits[16...])
            else { return nil }
            self.init(high: high, low: low)
        }

        /// A new identifier, all of whose bytes are random.
        public static func random() -> TraceID {
            TraceID(high: .random(in: 0 ... .max), low: .random(in: 1 ... .max)) ?? .random()
        }

        /// The 16 bytes.
        public var bytes: [UInt8] { Hexadecimal.bytes(high) + Hexadecimal.bytes(low) }

        /// 32 lowercase hexadecimal digits.
        public var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }
    }

    /// The identifier of a span within its trace: 8 bytes, not all zero (W3C Trace Context §3.2.2.4).
    public struct SpanID: Hashable, Sendable, LosslessStringConvertible {
        private let number: UInt64

        /// An identifier of a number; `nil` if it is zero.
        public init?(_ number: UInt64) {
            guard number != 0 else { return nil }
            self.number = number
        }

        /// An identifier written as 16 lowercase hexadecimal digits; `nil` for any other text.
        public init?(_ text: String) {
            let digits = Array(text.utf8)
            guard digits.count == 16, let number = Hexadecimal.number(digits[...]) else { return nil }
            self.init(number)
        }

        /// A new random identifier.
        public static func random() -> SpanID { SpanID(UInt64.random(in: 1 ... .max)) ?? .random() }

        /// The 8 bytes.
        public var bytes: [UInt8] { Hexadecimal.bytes(number) }

        /// 16 lowercase hexadecimal digits.
        public var description: String { Hexadecimal.text(number) }
    }

    /// The flags of a trace (W3C Trace Context Level 2 §3.2.2.5). Other bits are reserved and not sent.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The flags as one byte.
        public let rawValue: UInt8

        /// Makes flags of a byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The caller may have recorded the trace: services that record what their callers record do so too.
        public static let sampled = Flags(rawValue: 1)
        /// At least the last 7 bytes of the trace's identifier are random.
        public static let random = Flags(rawValue: 2)
        static let all: Flags = [.sampled, .random]
    }
}

/// Numbers as lowercase hexadecimal digits, the only ones in a `traceparent`.
enum Hexadecimal {
    /// - Parameter digits: At most 16.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return number
    }

    static func text(_ number: UInt64, digits: Int = 16) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }
}
