/// Reads a field value from its front.
package protocol ByteScanner {
    var rest: Substring.UTF8View { get set }
}

extension ByteScanner {
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    @discardableResult
    package mutating func skip(while belongs: (UInt8) -> Bool) -> Substring.UTF8View {
        let skipped = rest.prefix(while: belongs)
        rest = rest.dropFirst(skipped.count)
        return skipped
    }

    /// A token (RFC 9110 §5.6.2); `nil` if none begins here.
    package mutating func token() -> String? {
        let token = skip(while: HTTPSyntax.isTokenByte)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// A quoted string (RFC 9110 §5.6.4); `nil` if none begins here, it does not end, or it has a control character.
    package mutating func strictQuotedString() -> String? {
        guard take("\"") else { return nil }
        var value: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return nil }
            value.append(byte)
        }
        return nil
    }

    package mutating func skipSpaces() { skip { $0 == 0x20 || $0 == 0x09 } }

    /// A token or a quoted string after spaces (RFC 9110 §5.6.6), up to one of these characters.
    mutating func value(endingAt ends: StaticString) -> String {
        skipSpaces()
        if take("\"") { return quotedString() }
        let marks = UnsafeBufferPointer(start: ends.utf8Start, count: ends.utf8CodeUnitCount)
        return String(Substring(skip { !marks.contains($0) }.trimmedHTTPSpace))
    }

    /// The text of a quoted string whose opening quote has been read, up to the closing quote or the end.
    mutating func quotedString() -> String {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            if let escaped = rest.popFirst() { value.append(escaped) }
        }
        return String(decoding: value, as: UTF8.self)
    }
}
