extension JSONParser {
    /// Reads up to 18 digits as an integer. With a fraction and at most 15 digits, mantissa and power of ten are exact
    /// doubles, so their quotient is correctly rounded; other numbers are converted from their text.
    mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        let (digits, whole, fraction, hasExponent) = try skipNumber()
        let mantissa = isNegative ? 0 &- digits : digits // wrapped around if there are more than 18 digits
        if !hasExponent, fraction == 0, whole <= 18, mantissa != 0 || !isNegative { return .int(mantissa) }
        if !hasExponent, fraction > 0, whole + fraction <= 15, mantissa != 0 {
            return .double(Double(mantissa) / Self.powersOfTen[fraction])
        }
        return JSONNumber(text: String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// Skips a number; returns its digits as an integer, and how many of them are before and after its point.
    mutating func skipNumber() throws(JSONSyntaxError) -> (Int64, whole: Int, fraction: Int, hasExponent: Bool) {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
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
        return (mantissa, whole, fraction, hasExponent)
    }

    private mutating func digits(into value: inout Int64) throws(JSONSyntaxError) -> Int {
        let start = index
        while index < bytes.count, bytes[index] &- 0x30 < 10 {
            value = value &* 10 &+ Int64(bytes[index] &- 0x30)
            index += 1
        }
        guard index > start else { throw error("A digit of a number is missing") }
        return index - start
    }

    private mutating func exponent() throws(JSONSyntaxError) {
        index += 1
        if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
        var ignored: Int64 = 0
        _ = try digits(into: &ignored)
    }

    static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
