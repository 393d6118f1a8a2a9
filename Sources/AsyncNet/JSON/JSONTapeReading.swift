import Foundation

/// Reads tokens as values. A value that is not clearly of the requested type is not supported.
extension JSONTape {
    private func text(_ token: Token) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[Int(token.start)..<Int(token.end)])
    }

    /// The token at an index; throws once the bytes may be invalid.
    func token(_ index: Int) throws -> Token {
        guard index < tokens.count else { throw giveUp() }
        return tokens[index]
    }

    func isNull(_ index: Int) throws -> Bool { try token(index).kind == .null }

    func bool(_ index: Int) throws -> Bool {
        switch try token(index).kind {
        case .yes: return true
        case .no: return false
        default: throw giveUp()
        }
    }

    func string(_ index: Int) throws -> String {
        let token = try token(index)
        switch token.kind {
        case .string:
            guard let string = String(validating: text(token), as: UTF8.self) else { throw giveUp() }
            return string
        case .escapedString:
            guard let string = try? JSONParser.string(in: bytes, at: Int(token.start) - 1) else { throw giveUp() }
            return string
        default: throw giveUp()
        }
    }

    /// An integer without fraction and exponent; beyond `Int64` it is not supported.
    func integer<Value: FixedWidthInteger>(_ index: Int) throws -> Value {
        guard let value = try smallInteger(index).flatMap(Value.init(exactly:)) else {
            // A longer integer, or a number such as 1.0, may fit although the tape does not support it.
            let text = String(decoding: text(try token(index)), as: UTF8.self)
            if Value(text) == nil, Double(text).flatMap(Value.init(exactly:)) == nil { noteMisfit(index, Value.self) }
            throw giveUp()
        }
        return value
    }

    private func smallInteger(_ index: Int) throws -> Int64? {
        let token = try token(index)
        guard token.kind == .number else { throw giveUp() }
        let text = text(token)
        let isNegative = text[0] == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        // 19 digits fit in UInt64.
        guard digits.count <= 19, !(isNegative && digits.first == 0x30) else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard byte &- 0x30 < 10 else { return nil }
            value = value &* 10 &+ UInt64(byte &- 0x30)
        }
        guard isNegative else { return Int64(exactly: value) }
        return value <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- value) : nil
    }

    /// Reads a number, correctly rounded; not supported beyond the range of normal numbers.
    func double(_ index: Int) throws -> Double {
        if let integer = try smallInteger(index), integer.magnitude < 1 << 53 { return Double(integer) }
        let text = text(try token(index))
        if let value = Self.shortDecimal(text) { return value }
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isNormal else {
            noteMisfit(index, Double.self)
            throw giveUp()
        }
        return value
    }

    /// For at most 15 digits, mantissa and power of ten are exact doubles, so their quotient is correctly rounded.
    private static func shortDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard text.count <= 16, text[0] != UInt8(ascii: "-") else { return nil }
        var mantissa: Int64 = 0
        var fraction = 0
        var isFraction = false
        for byte in text {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte &- 0x30 < 10 {
                mantissa = mantissa * 10 + Int64(byte &- 0x30)
                if isFraction { fraction += 1 }
            } else {
                return nil
            }
        }
        return Double(mantissa) / JSONParser.powersOfTen[fraction]
    }

    func float(_ index: Int) throws -> Float {
        if let integer = try smallInteger(index), integer.magnitude < 1 << 24 { return Float(integer) }
        let token = try token(index)
        guard token.kind == .number else { throw giveUp() }
        guard let value = Float(String(decoding: text(token), as: UTF8.self)), value.isNormal else {
            noteMisfit(index, Float.self)
            throw giveUp()
        }
        return value
    }

    /// The index of a member's value; `nil` without such a member. Members are mostly read in their order.
    func member(_ name: String, of object: Int) throws -> Int? {
        let token = try token(object)
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { throw giveUp() }
        var name = name
        return name.withUTF8 { name in
            let first = Int(token.cursor)
            var index = first
            repeat {
                if index >= token.next {
                    index = object + 1
                    if index >= token.next || index == first { return nil }
                }
                if isName(index, name) {
                    // `contains` is often followed by a read of the same member.
                    remember(index, of: object)
                    return index + 1
                }
                index = Int(tokens[index + 1].next)
            } while index != first
            return nil
        }
    }

    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let token = tokens[index]
        guard Int(token.end - token.start) == name.count else { return false }
        guard let own = bytes.baseAddress, let other = name.baseAddress else { return name.isEmpty }
        return memcmp(own + Int(token.start), other, name.count) == 0
    }

    func names(of object: Int) throws -> [String] {
        let end = try token(object).next
        var names: [String] = []
        var index = object + 1
        while index < end {
            names.append(try string(index))
            index = Int(tokens[index + 1].next)
        }
        return names
    }

    func numberMisfit() -> JSONNumberMisfit? {
        guard let misfit, misfit.token < tokens.count else { return nil }
        let text = String(decoding: text(tokens[misfit.token]), as: UTF8.self)
        return JSONNumberMisfit(path: path(to: misfit.token), text: text.prefix(40), type: misfit.type)
    }

    private func path(to target: Int) -> [any CodingKey] {
        var (path, index) = ([any CodingKey](), 0)
        while index != target {
            let isObject = tokens[index].kind == .object
            guard isObject || tokens[index].kind == .array else { return path }
            var (place, child) = (0, index + 1)
            while target >= Int(tokens[isObject ? child + 1 : child].next) {
                child = Int(tokens[isObject ? child + 1 : child].next)
                place += 1
            }
            path.append(
                isObject
                    ? AnyCodingKey(stringValue: (try? string(child)) ?? "") : AnyCodingKey(intValue: place))
            index = isObject ? child + 1 : child
        }
        return path
    }

    /// Not supported: the tape does not keep track of the path.
    var path: [any CodingKey] {
        _ = giveUp()
        return []
    }
}

/// A number that does not fit the type that was asked for, such as 300 for `Int8`.
struct JSONNumberMisfit {
    let path: [any CodingKey]
    /// The number's text in the document, at most 40 characters.
    let text: Substring
    let type: any Any.Type
}

struct AnyCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
