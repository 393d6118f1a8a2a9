package import Foundation

/// A date as `Expires` of a cookie has it (RFC 6265bis §5.1.1).
///
/// Servers write it in many ways, so it is looked for rather than parsed: a time, a day, a month and a year in any
/// order, with anything between them. Weekdays and time zones are passed over; it is always UTC.
package struct CookieDate: Hashable, Sendable {
    package let date: Date

    /// `nil` if a part is missing, out of range, or the calendar has no such day.
    package init?(_ text: String) {
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

/// The parts that were found so far; the first of each kind counts.
private struct CookieDateParts {
    typealias Token = Substring.UTF8View

    private var time: Int64?
    private var day: Int64?
    private var month: Int64?
    private var year: Int64?

    /// A token is tried as each kind that is still missing, in this order.
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

    /// Since the beginning of 1970.
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

    /// Seconds of the day; -1 for what has the form of a time and is none: it ends the search, and the date is refused.
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

    /// The digits that the token begins with, if there are as many as allowed; what follows does not matter.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int64? {
        let found = token.prefix(while: isDigit)
        return digits ~= found.count ? found.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
