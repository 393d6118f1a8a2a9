/// Redacts the values of secret names in JSON, without a parse that could fail: the text may be cut anywhere, may hold
/// several values, and need not be valid. Takes time in proportion to the length, and no stack for nesting.
struct JSONRedactor {
    let rule: RedactionRule
    /// How many levels of texts inside of strings are still redacted.
    var depth = RedactionRule.depth

    func redacted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var (copied, index) = (bytes.startIndex, bytes.startIndex)
        while let quote = bytes[index...].firstIndex(of: 0x22) {
            let text = JSONText(bytes, from: quote)
            let change = change(text, bytes)
            index = change.next
            guard let replacement = change.replacement else { continue }
            result += bytes[copied..<replacement.range.lowerBound] + replacement.bytes
            copied = replacement.range.upperBound
        }
        return result + bytes[copied...]
    }

    private typealias Replacement = (range: Range<Int>, bytes: [UInt8])
    private typealias Change = (replacement: Replacement?, next: Int)

    /// What replaces a string or the value after it, and where to read on. The string may be the text between two
    /// strings, since the quote at which it begins may end a string.
    private func change(_ text: JSONText, _ bytes: ArraySlice<UInt8>) -> Change {
        if let start = text.valueStart {
            guard let replacement = replacement(of: text.unescaped, at: start, bytes) else { return (nil, start) }
            return (replacement, replacement.range.upperBound)
        }
        guard let changed = changedString(text) else { return (nil, max(text.end, text.start + 1)) }
        return ((text.content, JSONText.escaped(changed)), text.end)
    }

    /// What replaces the value of a name; `nil` if the value is not secret.
    private func replacement(of name: String, at start: Int, _ bytes: ArraySlice<UInt8>) -> Replacement? {
        // The end of an array or object is searched only if its name is secret: the search is slow if they nest deeply.
        let isNested = start < bytes.endIndex && (bytes[start] == 0x5B || bytes[start] == 0x7B)
        guard rule.isSecret(name, in: .jsonField) || rule.readsValues && !isNested else { return nil }
        let end = JSONText.valueEnd(bytes, start)
        let value = bytes[start..<end]
        guard !JSONText.isLiteral(value) else { return nil }
        let replacement =
            isNested
            ? RedactionRule.mark : rule.replacement(for: name, in: .jsonField, JSONText.text(ofValue: value))
        return replacement.map { (start..<end, JSONText.quoted($0)) }
    }

    /// The string with secrets redacted in the URLs, form or JSON that it may hold; `nil` if it has no secret.
    private func changedString(_ text: JSONText) -> String? {
        guard text.mayHoldSecrets else { return nil }
        let before = text.unescaped
        let bytes = ArraySlice(before.utf8)
        guard depth > 0 else {
            return rule.mayHoldSecret(PercentBytes.decodedFully(bytes)) ? RedactionRule.mark : nil
        }
        var after = before
        if bytes.contains(0x22) {
            after = String(decoding: JSONRedactor(rule: rule, depth: depth - 1).redacted(bytes), as: UTF8.self)
        }
        after = PairRedactor(rule: rule, place: .queryItem, depth: depth).text(after)
        if BodyRedactor.beginsAsForm(bytes) {
            let form = PairRedactor(rule: rule, place: .formField, depth: depth).pairs(ArraySlice(after.utf8))
            after = String(decoding: form, as: UTF8.self)
        }
        return after == before ? nil : after
    }
}

/// A JSON string in a text, from its first quote to its last or to the end of the text (RFC 8259 §7).
private struct JSONText {
    let start: Int
    /// The bytes between the quotes.
    let content: Range<Int>
    /// The position of the last quote, or the end of the text.
    var end: Int { content.upperBound }
    /// Where the value begins, if the string is a name.
    let valueStart: Int?
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>, from quote: Int) {
        let end = Self.stringEnd(bytes, quote + 1)
        self.bytes = bytes
        start = quote
        content = quote + 1..<end
        let colon = Self.afterSpace(bytes, min(end + 1, bytes.endIndex))
        let isName = end < bytes.endIndex && colon < bytes.endIndex && bytes[colon] == 0x3A
        valueStart = isName ? Self.afterSpace(bytes, colon + 1) : nil
    }

    /// The position of the quote that ends a string, or the end of the text.
    private static func stringEnd(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < bytes.endIndex, bytes[index] != 0x22 { index += bytes[index] == 0x5C ? 2 : 1 }
        return min(index, bytes.endIndex)
    }

    private static func afterSpace(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int {
        bytes[start...].firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } ?? bytes.endIndex
    }

    // MARK: Values

    /// Where a value ends, by its quotes and brackets.
    static func valueEnd(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int {
        guard start < bytes.endIndex else { return start }
        switch bytes[start] {
        case 0x22: return min(stringEnd(bytes, start + 1) + 1, bytes.endIndex)
        case 0x5B, 0x7B: return bracketEnd(bytes, start)
        default:
            return bytes[start...].firstIndex { $0 <= 0x20 || $0 == 0x2C || $0 == 0x5D || $0 == 0x7D } ?? bytes.endIndex
        }
    }

    private static func bracketEnd(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0x22: index = min(stringEnd(bytes, index + 1), bytes.endIndex - 1)
            case 0x5B, 0x7B: depth += 1
            case 0x5D, 0x7D: depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { break }
        }
        return index
    }

    /// Whether a value is `true`, `false`, `null`, or nothing.
    static func isLiteral(_ value: ArraySlice<UInt8>) -> Bool {
        value.isEmpty || ["true", "false", "null"].contains { value.elementsEqual($0.utf8) }
    }

    static func text(ofValue value: ArraySlice<UInt8>) -> String {
        guard value.first == 0x22 else { return String(decoding: value, as: UTF8.self) }
        return JSONText(value, from: value.startIndex).unescaped
    }

    // MARK: Strings

    /// Whether the string has an equals sign, a colon or a backslash: without these it is no URL, form or JSON.
    var mayHoldSecrets: Bool { bytes[content].contains { $0 == 0x3D || $0 == 0x3A || $0 == 0x5C } }

    /// The string's characters.
    var unescaped: String {
        var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[content])
        while let byte = rest.popFirst() {
            guard byte == 0x5C, let escaped = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "u"): result += String(decoding: Self.units(&rest), as: UTF16.self).utf8
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            default: result.append(escaped)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The units of consecutive `\uXXXX`, after the first `\u`.
    private static func units(_ rest: inout ArraySlice<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        repeat {
            if !units.isEmpty { rest = rest.dropFirst(2) }
            let digits = rest.prefix(4).prefix { $0.hexValue != nil }
            units.append(digits.reduce(0) { $0 << 4 | UInt16($1.hexValue ?? 0) })
            rest = rest.dropFirst(digits.count)
        } while rest.starts(with: #"\u"#.utf8)
        return units
    }

    static func quoted(_ text: String) -> [UInt8] { [0x22] + escaped(text) + [0x22] }

    static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x22, 0x5C: [0x5C, byte]
            case 0x0A: Array(#"\n"#.utf8)
            case 0..<0x20: Array((byte < 0x10 ? #"\u000"# : #"\u00"#).utf8) + Array(String(byte, radix: 16).utf8)
            default: [byte]
            }
        }
    }
}
