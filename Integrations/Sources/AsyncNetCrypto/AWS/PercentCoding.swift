/// Percent-encoding as AWS has it: all but RFC 3986's unreserved characters, with upper-case digits.
enum PercentCoding {
    /// - Parameter kept: A byte that is kept besides, such as the slash of paths.
    static func encode(_ bytes: some Sequence<UInt8>, keeping kept: UInt8? = nil) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || byte == kept {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that the text encodes; a percent sign without two digits stands for itself.
    static func decode(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = value(rest.prefix(2)) {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func value(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
            return nil
        }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || "-._~".utf8.contains(byte)
    }
}
