import Foundation

struct JSONSyntaxError: Error {
    var reason: String
    var offset: Int

    func position(in data: Data) -> String {
        let before = data.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let column = before.reversed().prefix { $0 != 0x0A }.count + 1
        return "line \(line), column \(column)"
    }
}

/// Parses a JSON document (RFC 8259) from bytes: strictly, without extensions; a leading byte order mark is skipped.
///
/// The parser is not recursive, so that nesting cannot overflow the stack, and limits the depth. It computes short
/// numbers while it reads them.
struct JSONParser {
    static let maximumDepth = 512

    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0
    private var repeatsNames = false

    static func parse(_ data: Data) throws(JSONSyntaxError) -> JSON {
        let result = data.withUnsafeBytes { raw -> Result<JSON, JSONSyntaxError> in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                var parser = JSONParser(bytes: bytes)
                return Result { () throws(JSONSyntaxError) in try parser.document() }
            }
        }
        return try result.get()
    }

    /// Parses a document without repeated names in an object; `nil` for any other text.
    static func parseDistinct(_ data: Data) -> JSON? {
        data.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                var parser = JSONParser(bytes: bytes)
                guard let value = try? parser.document(), !parser.repeatsNames else { return nil }
                return value
            }
        }
    }

    /// Parses the value whose first byte is at `offset`, regardless of the bytes after it.
    static func value(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONSyntaxError) -> JSON {
        var parser = JSONParser(bytes: bytes)
        parser.index = offset
        return try parser.value()
    }

    /// Parses the string whose opening quote is at `offset`.
    static func string(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONSyntaxError) -> String {
        var parser = JSONParser(bytes: bytes)
        parser.index = offset
        return try parser.string()
    }

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private mutating func document() throws(JSONSyntaxError) -> JSON {
        let value = try value()
        if peek() != nil { throw error("There are more bytes after the end of the document") }
        return value
    }

    func error(_ reason: String, at offset: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(reason: reason, offset: offset ?? index)
    }

    @inline(__always)
    mutating func peek() -> UInt8? {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            index += 1
        }
        return nil
    }

    /// Parses a value; open arrays and objects are in `frames`, not on the thread's stack.
    private mutating func value() throws(JSONSyntaxError) -> JSON {
        var frames: [Frame] = []
        while true {
            guard var value = try scalarOrOpening(&frames) else { continue }
            while true {
                guard !frames.isEmpty else { return value }
                let top = frames.count - 1
                if frames[top].add(value) { repeatsNames = true }
                guard try !continues(frames[top].end) else { break }
                value = frames.removeLast().value
            }
            if frames[frames.count - 1].isObject { frames[frames.count - 1].name = try memberName() }
        }
    }

    /// An array or object that is being parsed.
    private struct Frame {
        let isObject: Bool
        var name = ""
        var elements: [JSON] = []
        var members: [String: JSON] = [:]

        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var value: JSON { JSON(isObject ? .object(members) : .array(elements)) }

        /// - Returns: Whether `value` replaces another member.
        mutating func add(_ value: JSON) -> Bool {
            if isObject { return members.updateValue(value, forKey: name) != nil }
            elements.append(value)
            return false
        }
    }

    /// Parses a scalar and returns it, or begins an array or object in `frames` and returns `nil`.
    private mutating func scalarOrOpening(_ frames: inout [Frame]) throws(JSONSyntaxError) -> JSON? {
        guard let byte = peek() else { throw error("The document ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try open(Frame(isObject: byte == UInt8(ascii: "{")), &frames)
        case UInt8(ascii: "\""): return JSON(.string(try string()))
        case UInt8(ascii: "t"): return try skip("true", JSON(.bool(true)))
        case UInt8(ascii: "f"): return try skip("false", JSON(.bool(false)))
        case UInt8(ascii: "n"): return try skip("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSON(.number(try number()))
        default: throw error("A value cannot begin with this byte")
        }
    }

    private mutating func open(_ frame: Frame, _ frames: inout [Frame]) throws(JSONSyntaxError) -> JSON? {
        guard frames.count < Self.maximumDepth else {
            throw error(
                "The document is nested deeper than \(Self.maximumDepth) levels; read it as Data to parse it otherwise")
        }
        index += 1
        if peek() == frame.end {
            index += 1
            return frame.value
        }
        frames.append(frame)
        if frame.isObject { frames[frames.count - 1].name = try memberName() }
        return nil
    }

    private mutating func memberName() throws(JSONSyntaxError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw error("A member's name must be a string") }
        let name = try string()
        try skipColon()
        return name
    }

    mutating func skipColon() throws(JSONSyntaxError) {
        guard peek() == UInt8(ascii: ":") else { throw error("A colon must follow a member's name") }
        index += 1
    }

    mutating func continues(_ end: UInt8) throws(JSONSyntaxError) -> Bool {
        let byte = peek()
        guard byte == UInt8(ascii: ",") || byte == end else {
            throw error("A comma or the end of the \(end == UInt8(ascii: "]") ? "array" : "object") is missing")
        }
        index += 1
        return byte != end
    }

    mutating func skip<Value>(_ text: StaticString, _ value: Value) throws(JSONSyntaxError) -> Value {
        let count = text.utf8CodeUnitCount
        let word = UnsafeBufferPointer(start: text.utf8Start, count: count)
        guard index + count <= bytes.count, bytes[index..<index + count].elementsEqual(word) else {
            throw error("A value cannot begin with this byte")
        }
        index += count
        return value
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        let (range, isEscaped) = try skipString()
        let end = index
        guard isEscaped else { return try text(UnsafeBufferPointer(rebasing: bytes[range]), at: range.lowerBound) }
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(range.count)
        index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\\") {
                unescaped += UTF8.encode(try escape()).map(Array.init) ?? []
            } else {
                unescaped.append(byte)
            }
        }
        index = end
        return try text(unescaped, at: range.lowerBound)
    }

    private func text(_ bytes: some Collection<UInt8>, at offset: Int) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("A string is not valid UTF-8", at: offset)
        }
        return text
    }

    /// Skips a string; returns the range between its quotes, and whether the string contains an escape.
    mutating func skipString() throws(JSONSyntaxError) -> (Range<Int>, isEscaped: Bool) {
        let start = index + 1
        var isEscaped = false
        index = start
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return (start..<index - 1, isEscaped) }
            guard byte >= 0x20 else { throw error("A string contains an unescaped control character", at: index - 1) }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try skipEscape()
            }
        }
        throw error("A string does not end", at: start - 1)
    }

    /// Skips and checks an escape, but accepts a surrogate without its pair, as `JSONDecoder` does in a string that it
    /// does not decode.
    private mutating func skipEscape() throws(JSONSyntaxError) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "u") else { return _ = try escape() }
        index += 1
        _ = try hexUnit()
    }

    /// Parses an escape, after its backslash.
    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard index < bytes.count else { throw error("A string does not end") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw error("A backslash is followed by an invalid escape", at: index - 1)
        }
    }

    /// Parses a `\uXXXX` after its `u`, or two of them that are a surrogate pair.
    private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = index
        let unit = try hexUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(unit)), index + 1 < bytes.count,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { throw error("An escaped surrogate is not part of a pair", at: start) }
        index += 2
        let low = try hexUnit()
        guard UTF16.isTrailSurrogate(UInt16(low)),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("An escaped surrogate is not part of a pair", at: start) }
        return scalar
    }

    private mutating func hexUnit() throws(JSONSyntaxError) -> UInt32 {
        guard index + 4 <= bytes.count else { throw error("A \\u escape needs four hex digits") }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = byte.hexValue else { throw error("A \\u escape needs four hex digits") }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }
}
