import Foundation
import Testing

@testable import AsyncNet

@Suite("Cookie dates", .timeLimit(.minutes(5)))
struct CookieDateTests {
    @Test(
        "Cookie dates are parsed as in RFC 6265bis §5.1.1",
        arguments: [
            ("Wed, 21 Oct 2015 07:28:00 GMT", 1_445_412_480), ("Wednesday, 21-Oct-15 07:28:00 GMT", 1_445_412_480),
            ("Wed Oct 21 07:28:00 2015", 1_445_412_480),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun Nov  6 08:49:37 1994", 784_111_777),
            // In the manner of the http-state tests.
            ("Mon, 10-Dec-2007 17:02:24 GMT", 1_197_306_144), ("Mon Dec 10 16:32:30 2007 GMT", 1_197_304_350),
            ("Wednesday, 01-Jan-10 00:00:00 GMT", 1_262_304_000),
            ("Thu, 31 Dec 23:55:55 2037 GMT", 2_145_916_555),
            ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", 1_197_449_047),
            ("Wednesday, 01-Jan-10 0:0:00 GMT", 1_262_304_000), ("Thu, 10 Dec 2009 13:57:2 GMT", 1_260_453_422),
            ("Saturday, 8-Dec-2012 21:24:09 GMT", 1_355_001_849),
            // Any order, any delimiters, anything after the parts.
            ("2015 07:28:00 Oct 21", 1_445_412_480), ("07:28:00 21 2015 October", 1_445_412_480),
            ("21/oCToberfest/2015;07:28:00", 1_445_412_480),
            ("21st Oct 2015th 07:28:00.123", 1_445_412_480), ("21 Oct 2015 07:28:00:99", 1_445_412_480),
            ("21 22 Oct 2015 07:28:0x:9", 1_666_337_280),
            ("Oct Nov 21 2015 2016 07:28:00 08:00:00", 1_445_412_480), ("\t21\tOct\t2015\t07:28:00\t", 1_445_412_480),
            ("21 10 Oct 07:28:00", 1_287_646_080),
            // A year of two digits.
            ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 70 00:00:00", 0), ("01 Jan 99 00:00:00", 915_148_800),
            ("01 Jan 00 00:00:00", 946_684_800),
            ("01 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799),
            ("29 Feb 2000 00:00:00", 951_782_400),
        ] as [(String, Int)])
    func wellFormed(_ text: String, _ seconds: Int) throws {
        #expect(try #require(CookieDate(text)).date == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(
        "An incomplete or invalid cookie date is not parsed",
        arguments: [
            "", "GMT", "Wed, 21 Oct 2015", "21 Oct 07:28:00", "Oct 2015 07:28:00", "21 2015 07:28:00",
            "Wed, 21 Oct 2015 07:28 GMT",
            "00 Oct 2015 07:28:00", "32 Oct 2015 07:28:00", "31 Nov 2015 07:28:00", "29 Feb 2015 07:28:00",
            "30 Feb 2016 07:28:00", "29 Feb 1900 07:28:00",
            "21 Oct 2015 24:00:00", "21 Oct 2015 07:60:00", "21 Oct 2015 07:28:60", "21 Oct 2015 99:99:99 07:28:00",
            "21 Oct 2015 007:28:00", "21 Oct 2015 07:28:000",
            "21 Oct 1600 07:28:00", "21 Oct 100 07:28:00", "21 Oct 20155 07:28:00", "21 Oct 9999999 07:28:00",
            "21 Oct 99999999999999999999 07:28:00",
            "2015-10-21T07:28:00Z", "١٢ Oct 2015 07:28:00", "21 Okt 2015 07:28:00", "1445412480", "21Oct2015 07:28:00",
            "21 Oct 2015 07:28x:00",
            "Mon, 01-Jan-2011 00: 00:00 GMT",
        ])
    func malformed(_ text: String) {
        #expect(CookieDate(text) == nil)
    }
}
