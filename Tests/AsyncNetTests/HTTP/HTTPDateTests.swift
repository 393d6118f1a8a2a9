import Foundation
import Testing

@testable import AsyncNet

@Suite("HTTP dates", .timeLimit(.minutes(5)))
struct HTTPDateTests {
    /// 2026-11-22 03:00:00 UTC.
    private static let now = Date(timeIntervalSince1970: 1_795_316_400)

    @Test(
        "An HTTP date is parsed in each of its three forms (RFC 9110 §5.6.7)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
            ("Wed Nov 16 08:49:37 1994", 784_975_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777), (" Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777),
            ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
        ] as [(String, Int64)])
    func wellFormed(_ text: String, _ seconds: Int64) throws {
        #expect(try #require(HTTPDate(text, now: Self.now)).seconds == seconds)
    }

    @Test(
        "A year of two digits is read as at most 50 years in the future",
        arguments: [
            ("01-Jan-76", 2076), ("22-Nov-76", 2076), ("23-Nov-76", 1976), ("01-Jan-77", 1977), ("01-Jan-99", 1999),
            ("01-Jan-00", 2000),
            ("29-Feb-00", 2000), ("01-Jan-26", 2026),
            ("01-Jan-70", 2070),
        ])
    func shortYears(_ day: String, _ year: Int) throws {
        let date = try #require(HTTPDate("Monday, \(day) 03:00:00 GMT", now: Self.now))
        #expect(date.description.contains(" \(year) "))
    }

    @Test("A year of two digits near the end of a century is read as one of the next century")
    func shortYearsAtTheEndOfACentury() throws {
        let end = try #require(HTTPDate("Thu, 31 Dec 2099 00:00:00 GMT")).date
        #expect(
            try #require(HTTPDate("Saturday, 01-Jan-01 00:00:00 GMT", now: end)).description
                == "Sat, 01 Jan 2101 00:00:00 GMT")
        #expect(HTTPDate("Saturday, 01-Jan-01 00:00:00 GMT", now: .distantPast) != nil)
        #expect(HTTPDate("Saturday, 01-Jan-01 00:00:00 GMT", now: Date(timeIntervalSince1970: .infinity)) == nil)
    }

    @Test(
        "A malformed HTTP date is not parsed",
        arguments: [
            "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 +0000",
            "06 Nov 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 29 Feb 2023 08:49:37 GMT",
            "Sun, 30 Feb 2000 08:49:37 GMT",
            "Sun, 06 Nvo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19944 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:00 GMT",
            "Sun, +6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT", "Sunday, 06-Nov-94-1 08:49:37 GMT",
            "Sunday, 29-Feb-23 08:49:37 GMT",
            "Sun Nov  6 08:49:37 94", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 ٠٨:٤٩:٣٧ GMT", "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT", "784111777", "0",
        ])
    func malformed(_ text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    @Test("Every 17th day of the years 1 to 2769 is parsed as written, and from 1601 has Foundation's weekday and day")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        for day in stride(from: -719_162, to: 292_194, by: 17) {
            let date = HTTPDate(Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661))
            if HTTPDate(date.description) != date { Issue.record("\(date) is read as something else") }
            guard day >= -134_774 else { continue } // Before 1601 calendars differ in when the Gregorian one begins.
            let parts = calendar.dateComponents([.year, .day, .weekday], from: date.date)
            let start =
                "\(weekdays[(parts.weekday ?? 0) - 1]), \(String(parts.day ?? 0).count < 2 ? "0" : "")\(parts.day ?? 0) "
            if !date.description.hasPrefix(start) || !date.description.hasSuffix(" \(parts.year ?? 0) 01:01:01 GMT") {
                Issue.record("\(date)")
            }
        }
    }

    @Test(
        "A time outside the years 0 to 9999 is written as the first or last second of these years",
        arguments: [
            (-Double.infinity, "Sat, 01 Jan 0000 00:00:00 GMT"), (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (0.999, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ])
    func clamped(_ seconds: Double, _ text: String) {
        #expect(HTTPDate(Date(timeIntervalSince1970: seconds)).description == text)
    }

    @Test("Random text never traps the parser of HTTP dates")
    func fuzz() {
        var random = SeededRandom(state: 6)
        let words = [
            "Sun,", "Sunday,", "06", "31", "0", "Feb", "Nov", "1994", "94", "06-Nov-94", "00-Feb-00", "08:49:37",
            "99:99:99", "::", "GMT", "-",
            " ", "٣", "99999999999999999999",
        ]
        for _ in 0..<1500 {
            let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined(separator: " ")
            guard let date = HTTPDate(text, now: Self.now) else { continue }
            if HTTPDate(date.description) != date { Issue.record("\(text) is \(date)") }
        }
    }
}
