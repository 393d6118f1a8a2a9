import Foundation

/// A time to the second, as in headers (RFC 9110 §5.6.7), in the years 0 to 9999.
struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970, without leap seconds.
    let seconds: Int64

    /// The time, rounded down to the second and limited to the years 0 to 9999.
    init(_ date: Date) {
        let limits = Self.first...Self.last
        let whole = date.timeIntervalSince1970.rounded(.down)
        seconds = whole.isNaN ? 0 : Int64(min(max(whole, Double(limits.lowerBound)), Double(limits.upperBound)))
    }

    /// Parses a date as browsers do that of a cookie (RFC 6265bis §5.1.1), which reads the three forms of RFC 9110, and
    /// others that servers send: a time, a day, a month and a year are searched for, in any order, with other text
    /// between them. Weekdays and time zones are ignored; the time is UTC. A year of two digits is one from 1970 to 2069.
    ///
    /// `nil` if a field is missing or out of range, or if the day does not exist.
    init?(_ text: String) {
        var parts = HTTPDateParts()
        for token in text.utf8.split(whereSeparator: Self.isDelimiter) { parts.receive(token) }
        guard let seconds = parts.seconds else { return nil }
        self.seconds = seconds
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Whether a date is written exactly in one of the three formats, up to case: with each comma, space and digit.
    static func isExact(_ text: String) -> Bool {
        let text = text.trimmedHTTPSpace.lowercased()
        let zone = text.hasSuffix(" gmt") ? " gmt" : ""
        let shape = text.dropLast(zone.count).utf8.map { byte in
            switch byte {
            case 0x30...0x39: UInt8(ascii: "0")
            case 0x61...0x7A: UInt8(ascii: "a")
            default: byte
            }
        }
        return exactShapes.contains(String(decoding: shape.drop { $0 == UInt8(ascii: "a") }, as: UTF8.self) + zone)
    }

    /// What follows the weekday.
    private static let exactShapes: Set<String> = [
        ", 00 aaa 0000 00:00:00 gmt", ", 00-aaa-00 00:00:00 gmt", " aaa 00 00:00:00 0000", " aaa  0 00:00:00 0000",
    ]

    var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    private var days: Int64 { (seconds - secondOfDay) / Self.secondsPerDay }
    private var secondOfDay: Int64 { (seconds % Self.secondsPerDay + Self.secondsPerDay) % Self.secondsPerDay }

    private static let secondsPerDay: Int64 = 86_400
    private static let first = CivilDay(year: 0, month: 1, day: 1).days * secondsPerDay
    private static let last = CivilDay(year: 10_000, month: 1, day: 1).days * secondsPerDay - 1
}

extension HTTPDate: CustomStringConvertible {
    /// The time in the format that RFC 9110 requires: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var description: String {
        let day = CivilDay(days: days)
        let weekday = Self.weekdays[Int(((days + 4) % 7 + 7) % 7)]
        let month = HTTPDateParts.months[Int(day.month - 1)].capitalized
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { Self.padded($0, 2) }.joined(
            separator: ":")
        return "\(weekday), \(Self.padded(day.day, 2)) \(month) \(Self.padded(day.year, 4)) \(time) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// The fields found so far; the first of each kind is used.
private struct HTTPDateParts {
    typealias Token = Substring.UTF8View

    static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private var time: Int64?
    private var day: Int64?
    private var month: Int64?
    private var year: Int64?

    /// Tries a token as each kind that is still missing, in this order.
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

    /// Seconds since 1970.
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
        return months.firstIndex { $0.utf8.elementsEqual(start) }.map { Int64($0) + 1 }
    }

    /// The number at the token's start, if it has an allowed number of digits; the rest of the token is ignored.
    private static func number(_ token: Token, digits: ClosedRange<Int>) -> Int64? {
        let found = token.prefix(while: isDigit)
        return digits ~= found.count ? found.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
