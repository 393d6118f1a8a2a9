package import Foundation

/// A time to the second, as in headers (RFC 9110 §5.6.7), in the years 0 to 9999.
struct HTTPDate: Hashable, Sendable {
    let seconds: Int64

    /// The time, rounded down to the second and limited to the years 0 to 9999.
    init(_ date: Date) {
        let limits = Self.first...Self.last
        let whole = date.timeIntervalSince1970.rounded(.down)
        seconds = whole.isNaN ? 0 : Int64(min(max(whole, Double(limits.lowerBound)), Double(limits.upperBound)))
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT` and the obsolete forms `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
    /// 08:49:37 1994`, in any case.
    ///
    /// The weekday must be valid but need not match the date. `nil` for days and times that do not exist.
    ///
    /// - Parameter now: A two-digit year is the latest year at most 50 years after this.
    init?(_ text: String, now: @autoclosure () -> Date = Date()) {
        guard let fields = HTTPDateFields(text), let time = fields.secondOfDay else { return nil }
        var year = fields.year
        if fields.hasShortYear {
            let limit = HTTPDate(now())
            let end = CivilDay(days: limit.days).addingYears(50)
            year += end.year / 100 * 100
            if (CivilDay(year: year, month: fields.month, day: fields.day).days, time) > (end.days, limit.secondOfDay) {
                year -= 100
            }
        }
        let day = CivilDay(year: year, month: fields.month, day: fields.day)
        guard day.exists, 0...9999 ~= year else { return nil }
        seconds = day.days * Self.secondsPerDay + time
    }

    /// Whether a date is written exactly in one of the three formats, up to case: with each comma, space and digit.
    static func isExact(_ text: String) -> Bool {
        let shape = text.trimmedHTTPSpace.utf8.map { byte in
            switch byte | 0x20 {
            case 0x30...0x39: UInt8(ascii: "0")
            case 0x61...0x7A: UInt8(ascii: "a")
            default: byte
            }
        }
        return exactShapes.contains(String(decoding: shape.drop { $0 == UInt8(ascii: "a") }, as: UTF8.self))
    }

    /// The text after the weekday, with `0` for every digit and `a` for every letter.
    private static let exactShapes: Set<String> = [
        ", 00 aaa 0000 00:00:00 aaa", ", 00-aaa-00 00:00:00 aaa", " aaa 00 00:00:00 0000", " aaa  0 00:00:00 0000",
    ]

    var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    private var days: Int64 { (seconds - secondOfDay) / Self.secondsPerDay }
    private var secondOfDay: Int64 { (seconds % Self.secondsPerDay + Self.secondsPerDay) % Self.secondsPerDay }

    private static let secondsPerDay: Int64 = 86_400
    private static let first = CivilDay(year: 0, month: 1, day: 1).days * secondsPerDay
    private static let last = CivilDay(year: 10_000, month: 1, day: 1).days * secondsPerDay - 1
}

extension HTTPDate: Comparable, CustomStringConvertible {
    static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }

    /// The time in the format that RFC 9110 requires: `Sun, 06 Nov 1994 08:49:37 GMT`.
    var description: String {
        let day = CivilDay(days: days)
        let weekday = HTTPDateFields.weekdays[Int(((days + 4) % 7 + 7) % 7)].prefix(3).capitalized
        let month = HTTPDateFields.months[Int(day.month - 1)].capitalized
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { Self.padded($0, 2) }.joined(
            separator: ":")
        return "\(weekday), \(Self.padded(day.day, 2)) \(month) \(Self.padded(day.year, 4)) \(time) GMT"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension HTTPHeader {
    /// The value as a time (RFC 9110 §5.6.7), as of `Date` and `Expires`; `nil` if it is none.
    package var date: Date? { HTTPDate(value)?.date }

    /// The `Expires` of a `Set-Cookie` header; `nil` without one.
    package var cookieExpiry: Date? { hasName("Set-Cookie") ? SetCookie(value)?.expires : nil }
}
