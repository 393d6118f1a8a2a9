/// Decoding of percent-encoded bytes of any kind (RFC 3986 §2.1); a percent sign without two digits stands for itself.
package enum PercentBytes {
    /// A value in a query or a form, in which `+` is a space.
    package static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: decoded(bytes), as: UTF8.self) }

    /// The bytes decoded as often as they were encoded, but at most three times.
    static func decodedFully(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded = Self.decoded(bytes)
        for _ in 0..<2 where decoded.contains(0x25) { decoded = Self.decoded(decoded[...]) }
        return decoded
    }

    /// - Parameter plus: What a plus sign stands for, a space in a query or a form.
    static func decoded(_ bytes: ArraySlice<UInt8>, plus: UInt8 = 0x20) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == 0x25, let high = rest.first?.hexValue, let low = rest.dropFirst().first?.hexValue {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte == 0x2B ? plus : byte)
            }
        }
        return decoded
    }
}
