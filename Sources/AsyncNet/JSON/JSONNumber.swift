import Foundation

/// A JSON number in the simplest form that is exact.
///
/// Integers are `int`, or `uint` above `Int64.max`. Other numbers are `double` if the shortest text of the double is
/// the same number. All others, integers beyond 64 bits and decimals beyond a double's precision, are `text`.
enum JSONNumber: Sendable {
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case text(String)

    init(_ value: some BinaryInteger) {
        if let int = Int64(exactly: value) {
            self = .int(int)
        } else if let uint = UInt64(exactly: value) {
            self = .uint(uint)
        } else {
            self = .text(value.description)
        }
    }

    /// NaN counts as 0, since JSON has no NaN.
    init(_ value: Decimal) {
        self = value.isNaN ? .int(0) : JSONNumber(text: "\(value)")
    }

    /// The number with this text, which must be a well-formed JSON number.
    init(text: String) {
        let isWhole = !text.utf8.contains { $0 == UInt8(ascii: ".") || $0.asciiLowercased == UInt8(ascii: "e") }
        if text == "-0" {
            self = .double(-0.0)
        } else if let integer = Self.integer(text) {
            self = integer
        } else if let whole = CanonicalDecimal(text).integerText, whole.utf8.count > 15,
            let integer = Self.integer(whole)
        {
            self = integer // a double would round it
        } else if !isWhole, let double = Double(text), double.isFinite,
            CanonicalDecimal("\(double)") == CanonicalDecimal(text)
        {
            self = .double(double)
        } else {
            self = .text(text)
        }
    }

    private static func integer(_ text: String) -> JSONNumber? {
        Int64(text).map(JSONNumber.int) ?? UInt64(text).map(JSONNumber.uint)
    }

    func integer<Integer: BinaryInteger>(as type: Integer.Type) -> Integer? {
        switch self {
        case .int(let value): Integer(exactly: value)
        case .uint(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        case .text: nil
        }
    }

    var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        case .text(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        case .double, .text: Decimal(string: text, locale: nil)
        }
    }

    /// The number as JSON text. A double without a fraction keeps its `.0`, so that it is read as a double again.
    var text: String {
        switch self {
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let text): text
        }
    }
}

extension JSONNumber: Hashable {
    static func == (one: JSONNumber, other: JSONNumber) -> Bool {
        switch (one, other) {
        case (.int(let one), .int(let other)): one == other
        case (.uint(let one), .uint(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.int(let int), .double(let double)), (.double(let double), .int(let int)): Int64(exactly: double) == int
        case (.uint(let uint), .double(let double)), (.double(let double), .uint(let uint)):
            UInt64(exactly: double) == uint
        case (.text, .text), (.text, .double), (.double, .text):
            CanonicalDecimal(one.text) == CanonicalDecimal(other.text)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        if let int = integer(as: Int64.self) {
            hasher.combine(int)
        } else if let uint = integer(as: UInt64.self) {
            hasher.combine(uint)
        } else {
            hasher.combine(CanonicalDecimal(text))
        }
    }
}

/// A decimal number's sign, digits without zeros at either end, and power of ten, which are unique for each value.
private struct CanonicalDecimal: Hashable {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0
    /// The text of an exponent beyond `Int`, so that numbers with different exponents stay different.
    var hugeExponent: Substring?
}

extension CanonicalDecimal {
    init(_ text: String) {
        var pointSeen = false
        var bytes = Substring(text).utf8
        if bytes.first == UInt8(ascii: "-") {
            isNegative = true
            bytes = bytes.dropFirst()
        }
        while let byte = bytes.first, byte.asciiLowercased != UInt8(ascii: "e") {
            bytes = bytes.dropFirst()
            guard byte != UInt8(ascii: ".") else {
                pointSeen = true
                continue
            }
            if pointSeen { exponent -= 1 }
            if !(digits.isEmpty && byte == UInt8(ascii: "0")) { digits.append(byte) }
        }
        let written = Substring(bytes.dropFirst())
        if let value = Int32(written.isEmpty ? "0" : written) { exponent += Int(value) } else { hugeExponent = written }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { self = CanonicalDecimal() }
    }

    /// The number written as an integer without exponent; `nil` if it has a fraction or more than twenty digits.
    var integerText: String? {
        guard hugeExponent == nil, exponent >= 0, exponent <= 20, digits.count + exponent <= 20 else { return nil }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
            + String(repeating: "0", count: exponent)
    }
}
