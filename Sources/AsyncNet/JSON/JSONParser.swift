import Foundation

/// Why a text is no JSON, and where.
struct JSONSyntaxError: Error {
    var reason: String
    var offset: Int
}

/// Reads one JSON document (RFC 8259) from bytes: strict, no extensions, a leading byte order mark skipped.
///
/// Recursive descent; the depth is counted, so hostile nesting ends in an error long before the stack does. Bytes are
/// looked at once: strings are validated and copied only between escapes, and short numbers are computed on the way.
struct JSONParser {
    static let maximumDepth = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    static func parse(_ data: Data) throws(JSONSyntaxError) -> JSON {
        let result = data.withUnsafeBytes { raw -> Result<JSON, JSONSyntaxError> in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                var parser = JSONParser(bytes: bytes)
                return Result { () throws(JSONSyntaxError) in try parser.document() }
            }
        }
        return try result.get()
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private mutating func document() throws(JSONSyntaxError) -> JSON {
        let value = try value()
        if peek() != nil { throw error("There is more after the end of the document") }
        return value
    }

    private func error(_ reason: String, at offset: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(reason: reason, offset: offset ?? index)
    }

    /// The next byte that is no white space, not taken.
    @inline(__always)
    private mutating func peek() -> UInt8? {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            index += 1
        }
        return nil
    }

    private mutating func value() throws(JSONSyntaxError) -> JSON {
        guard let byte = peek() else { throw error("The document ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return JSON(.string(try string()))
        case UInt8(ascii: "t"): return try literal("true", JSON(.bool(true)))
        case UInt8(ascii: "f"): return try literal("false", JSON(.bool(false)))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSON(.number(try number()))
        default: throw error("A value cannot begin with this byte")
        }
    }

    @inline(__always)
    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSON
    ) throws(JSONSyntaxError) -> JSON {
        depth += 1
        guard depth <= Self.maximumDepth else { throw error("The document is nested deeper than \(Self.maximumDepth) levels") }
        index += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONSyntaxError) -> JSON {
        var members: [String: JSON] = [:]
        if try endsAtOnce(UInt8(ascii: "}")) { return JSON(.object(members)) }
        repeat {
            guard peek() == UInt8(ascii: "\"") else { throw error("A member's name must be a string") }
            let name = try string()
            guard peek() == UInt8(ascii: ":") else { throw error("A colon must follow a member's name") }
            index += 1
            members[name] = try value()
        } while try continues(until: UInt8(ascii: "}"))
        return JSON(.object(members))
    }

    private mutating func array() throws(JSONSyntaxError) -> JSON {
        var elements: [JSON] = []
        if try endsAtOnce(UInt8(ascii: "]")) { return JSON(.array(elements)) }
        repeat { elements.append(try value()) } while try continues(until: UInt8(ascii: "]"))
        return JSON(.array(elements))
    }

    private mutating func endsAtOnce(_ end: UInt8) throws(JSONSyntaxError) -> Bool {
        guard peek() == end else { return false }
        index += 1
        return true
    }

    private mutating func continues(until end: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = peek()
        guard byte == UInt8(ascii: ",") || byte == end else {
            throw error("A comma or the end of the \(end == UInt8(ascii: "]") ? "array" : "object") is missing")
        }
        index += 1
        return byte != end
    }

    private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        let count = text.utf8CodeUnitCount
        let word = UnsafeBufferPointer(start: text.utf8Start, count: count)
        guard index + count <= bytes.count, bytes[index..<index + count].elementsEqual(word) else {
            throw error("A value cannot begin with this byte")
        }
        index += count
        return value
    }
}

// MARK: - Strings

extension JSONParser {
    /// The string whose opening quote is the next byte.
    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = index + 1
        var end = start
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") {
                index = end + 1
                return try text(UnsafeBufferPointer(rebasing: bytes[start..<end]), at: start)
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start, firstEscape: end) }
            guard byte >= 0x20 else { throw error("A string holds a control character that is not escaped", at: end) }
            end += 1
        }
        throw error("A string does not end", at: start - 1)
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("A string is not valid UTF-8", at: offset)
        }
        return text
    }

    private mutating func escapedString(from start: Int, firstEscape: Int) throws(JSONSyntaxError) -> String {
        var unescaped = Array(bytes[start..<firstEscape])
        index = firstEscape
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: unescaped, as: UTF8.self) else {
                    throw error("A string is not valid UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &unescaped)
            case 0..<0x20: throw error("A string holds a control character that is not escaped", at: index - 1)
            default: unescaped.append(byte)
            }
        }
        throw error("A string does not end", at: start - 1)
    }

    private mutating func escape(into unescaped: inout [UInt8]) throws(JSONSyntaxError) {
        guard index < bytes.count else { throw error("A string does not end") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): unescaped += UTF8.encode(try scalar()).map(Array.init) ?? []
        default: throw error("A backslash is followed by what is no escape", at: index - 1)
        }
    }

    /// What `\uXXXX` means, or two of them that are a surrogate pair.
    private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = index
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(unit)), index + 1 < bytes.count,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { throw error("An escaped surrogate stands alone", at: start) }
        index += 2
        let low = try hexUnit()
        guard UTF16.isTrailSurrogate(UInt16(low)), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("An escaped surrogate stands alone", at: start) }
        return scalar
    }

    private mutating func hexUnit() throws(JSONSyntaxError) -> UInt32 {
        guard index + 4 <= bytes.count else { throw error("A \\u escape needs four hex digits") }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                unit = unit << 4 | UInt32(byte.asciiLowercased - 0x57)
            default: throw error("A \\u escape needs four hex digits")
            }
        }
        index += 4
        return unit
    }
}

// MARK: - Numbers

extension JSONParser {
    /// Digits become an integer on the way, up to 18 of them. With a fraction of at most 15 digits in all, mantissa and
    /// power of ten are exact doubles and so is the correctly rounded quotient; everything else is read from its text.
    private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var mantissa: Int64 = 0
        let whole = try digits(into: &mantissa)
        if whole > 1, bytes[index - whole] == UInt8(ascii: "0") {
            throw error("A number cannot begin with a zero", at: start)
        }
        var fraction = 0
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            fraction = try digits(into: &mantissa)
        }
        let hasExponent = index < bytes.count && bytes[index].asciiLowercased == UInt8(ascii: "e")
        if hasExponent { try exponent() }
        if isNegative { mantissa = 0 &- mantissa }  // it has wrapped around if there are too many digits
        if !hasExponent, fraction == 0, whole <= 18, mantissa != 0 || !isNegative { return .int(mantissa) }
        if !hasExponent, fraction > 0, whole + fraction <= 15, mantissa != 0 {
            return .double(Double(mantissa) / Self.powersOfTen[fraction])
        }
        return JSONNumber(text: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits(into value: inout Int64) throws(JSONSyntaxError) -> Int {
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            value = value &* 10 &+ Int64(bytes[index] &- 0x30)
            index += 1
        }
        guard index > start else { throw error("A number lacks a digit") }
        return index - start
    }

    private mutating func exponent() throws(JSONSyntaxError) {
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
        var ignored: Int64 = 0
        _ = try digits(into: &ignored)
    }

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]
}
