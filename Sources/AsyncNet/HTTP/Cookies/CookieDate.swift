import Foundation

/// The date of a cookie's `Expires` (RFC 6265bis §5.1.1).
///
/// Servers use many formats, so a time, a day, a month and a year are searched for, in any order, with other text
/// between them. Weekdays and time zones are ignored; the time is UTC.
struct CookieDate: Hashable, Sendable {
    let date: Date

    /// `nil` if a field is missing or out of range, or if the day does not exist.
    init?(_ text: String) {
        var parts = CookieDateParts()
        for token in text.utf8.split(whereSeparator: Self.isDelimiter) { parts.receive(token) }
        guard let seconds = parts.seconds else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

/// The fields found so far; the first of each kind is used.
private struct CookieDateParts {
    typealias Token = Substring.UTF8View

    private var time: Int64?
    private var day: Int64?
    private var month: Int64?
    private var year: Int64?

    /// Reads a token as a time, day, month or year, in this order, unless that part has been found already.
    mutating func receive(_ token: Token) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, digits: 1...2) {
            day = found
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token, digits: 2...4) {
            year = found
        }
    }

    var seconds: Int64? {
        guard let time, time >= 0, let day, let month, let year = fullYear, year >= 1601 else { return nil }
        let civil = CivilDay(year: year, month: month, day: day)
        return civil.exists ? civil.days * 86_400 + time : nil
    }

    private var fullYear: Int64? {
        switch year {
        case .some(let short) where 70...99 ~= short: short + 1900
        case .some(let short) where 0...69 ~= short: short + 2000
        default: year
        }
    }

    /// Seconds since midnight; -1 for an invalid time in the right format, which makes the date invalid.
    private static func time(_ token: Token) -> Int64? {
        let fields = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(isDigit), fields[1].allSatisfy(isDigit) else { return nil }
        let numbers = fields.map { number($0, digits: 1...2) }
        guard let hour = numbers[0], let minute = numbers[1], let second = numbers[2] else { return nil }
        return hour < 24 && minute < 60 && second < 60 ? hour * 3600 + minute * 60 + second : -1
    }

    private static func month(_ token: Token) -> Int64? {
        let start = token.prefix(3).lazy.map(\.asciiLowercased)
        return HTTPDateFields.months.firstIndex { $0.utf8.elementsEqual(start) }.map { Int64($0) + 1 }
    }

    /// The number at the token's start, if it has an allowed number of digits; the rest of the token is ignored.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int64? {
        let found = token.prefix(while: isDigit)
        return digits ~= found.count ? found.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
