import Foundation

/// Parses a dictionary of Structured Fields (RFC 9651 §4.2.2): returns its byte sequences, and validates all other
/// values.
struct StructuredFieldScanner: ByteScanner {
    var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// The keys, each once, with the bytes of its last member, or `nil` if that is not a byte sequence. `nil` if the
    /// text is malformed.
    mutating func dictionary() -> [(key: String, bytes: [UInt8]?)]? {
        var members: [(key: String, bytes: [UInt8]?)] = []
        var places: [String: Int] = [:]
        skip { $0 == 0x20 }
        guard !rest.isEmpty else { return [] }
        while true {
            guard let key = key(), let value = member() else { return nil }
            if let place = places[key] {
                members[place].bytes = value.bytes
            } else {
                places[key] = members.count
                members.append((key, value.bytes))
            }
            skip { $0 == 0x20 || $0 == 0x09 }
            if rest.isEmpty { return members }
            guard take(",") else { return nil }
            skip { $0 == 0x20 || $0 == 0x09 }
        }
    }

    private enum StructuredValue {
        case byteSequence([UInt8])
        case other

        var bytes: [UInt8]? {
            guard case .byteSequence(let bytes) = self else { return nil }
            return bytes
        }
    }

    /// Reads the value after a key (`true` if there is none), then its parameters.
    private mutating func member() -> StructuredValue? {
        guard take("=") else { return parameters() ? .other : nil }
        if take("(") { return innerList() && parameters() ? .other : nil }
        guard let value = bareItem(), parameters() else { return nil }
        return value
    }

    private mutating func innerList() -> Bool {
        while true {
            skip { $0 == 0x20 }
            if take(")") { return true }
            guard bareItem() != nil, parameters(), rest.first == 0x20 || rest.first == UInt8(ascii: ")") else {
                return false
            }
        }
    }

    private mutating func parameters() -> Bool {
        while take(";") {
            skip { $0 == 0x20 }
            guard key() != nil else { return false }
            if take("="), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func key() -> String? {
        guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
        return text(skip { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) })
    }

    private mutating func bareItem() -> StructuredValue? {
        guard let first = rest.first else { return nil }
        let isThere: Bool
        switch first {
        case UInt8(ascii: ":"): return byteSequence().map { .byteSequence($0) }
        case UInt8(ascii: "\""): isThere = string()
        case UInt8(ascii: "?"): isThere = take("?") && (take("0") || take("1"))
        case UInt8(ascii: "%"): isThere = displayString()
        case UInt8(ascii: "@"): isThere = take("@") && number(allowsFraction: false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): isThere = number(allowsFraction: true)
        default: isThere = token()
        }
        return isThere ? .other : nil
    }

    /// Reads a byte sequence, whose padding may be missing (§4.2.7).
    private mutating func byteSequence() -> [UInt8]? {
        guard take(":") else { return nil }
        let base64 = text(skip { $0 != UInt8(ascii: ":") })
        let missing = base64.hasSuffix("=") ? 0 : (4 - base64.utf8.count % 4) % 4
        let padded = base64 + String(repeating: "=", count: missing)
        guard take(":"), padded.utf8.count.isMultiple(of: 4), !padded.hasSuffix("==="),
            let data = Data(base64Encoded: padded)
        else { return nil }
        return Array(data)
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"): guard take("\"") || take("\\") else { return false }
            case 0x20...0x7E: continue
            default: return false
            }
        }
        return false
    }

    /// Reads percent-encoded UTF-8 with lower-case digits, such as `%"f%c3%bc"` (§4.2.10).
    private mutating func displayString() -> Bool {
        guard take("%"), take("\"") else { return false }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self) != nil
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Self.isDigit($0) || 0x61...0x66 ~= $0 }) else {
                    return false
                }
                bytes += UInt8(text(digits), radix: 16).map { [$0] } ?? []
                rest = rest.dropFirst(2)
            case 0x20...0x7E: bytes.append(byte)
            default: return false
            }
        }
        return false
    }

    /// Reads at most 15 digits, or 12 with a fraction of at most three (§4.2.4).
    private mutating func number(allowsFraction: Bool) -> Bool {
        _ = take("-")
        let whole = skip(while: Self.isDigit).count
        guard allowsFraction, take(".") else { return 1...15 ~= whole }
        return 1...12 ~= whole && 1...3 ~= skip(while: Self.isDigit).count
    }

    private mutating func token() -> Bool {
        guard let first = rest.first, Self.isLower(first | 0x20) && first < 0x80 || first == UInt8(ascii: "*") else {
            return false
        }
        skip { HTTPSyntax.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        return true
    }

    private func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self) }
    private static func isLower(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
