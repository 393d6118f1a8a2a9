import Foundation
import Testing

@testable import AsyncNet

@Suite("Retry-After", .timeLimit(.minutes(5)))
struct RetryAfterTests {
    /// Sun, 22 Nov 2026 03:00:00 GMT.
    private static let now = Date(timeIntervalSince1970: 1_795_316_400)

    @Test(
        "Retry-After is parsed as seconds or as an HTTP date in any of its three forms (RFC 9110 §10.2.3)",
        arguments: [
            ("120", 120), ("0", 0), (" 7\t", 7), ("007", 7), ("Sun, 22 Nov 2026 03:02:00 GMT", 120),
            ("Sun, 22 Nov 2026 03:00:00 GMT", 0),
            ("Sunday, 22-Nov-26 03:00:30 GMT", 30), ("Sun Nov 22 04:00:00 2026", 3600),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 0),
            ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648), ("9223372036854775808", 2_147_483_648),
            ("99999999999999999999999999999999", 2_147_483_648), ("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648),
        ] as [(String, Int64)])
    func wellFormed(_ value: String, _ seconds: Int64) {
        #expect(RetryAfter.delay(value, now: Self.now) == .seconds(seconds))
    }

    @Test(
        "A malformed Retry-After is not parsed",
        arguments: [
            "", " ", "-1", "+1", "1.5", "1e3", "0x10", "soon", "1, 2", "1;2", "1 2", "٣",
            "Sun, 32 Nov 2026 03:00:00 GMT", "2026-11-22T03:00:00Z", "\u{0}",
        ])
    func malformed(_ value: String) {
        #expect(RetryAfter.delay(value, now: Self.now) == nil)
    }

    @Test("The wait for a Retry-After date is rounded up to whole seconds")
    func fractions() {
        #expect(RetryAfter.delay("Sun, 22 Nov 2026 03:00:01 GMT", now: Self.now.addingTimeInterval(0.9)) == .seconds(1))
    }

    @Test(
        "An infinite or undefined time of the clock does not trap the computation of Retry-After",
        arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func clocks(_ now: Double) {
        #expect(RetryAfter.delay("Sun, 22 Nov 2026 03:00:00 GMT", now: Date(timeIntervalSince1970: now)) != nil)
    }

    @Test(
        "The longest of several Retry-After values counts, in several lines or joined in one",
        arguments: [
            (["5", "7"], 7), (["7", "5"], 7), (["5, 7"], 7), (["5", "5"], 5), (["soon", "5"], 5),
            (["Sun, 22 Nov 2026 03:00:09 GMT", "7"], 9),
            (["7, Sun, 22 Nov 2026 03:00:09 GMT, 3"], 9),
            (["Sun Nov 22 03:00:30 2026, Sunday, 22-Nov-26 03:00:20 GMT"], 30), (["soon", "later"], nil),
        ] as [([String], Int64?)])
    func several(_ values: [String], _ seconds: Int64?) throws {
        let headers = HTTPHeaders(values.map { HTTPHeader(name: "Retry-After", value: $0) })
        let response = HTTPResponseHead(statusCode: 503, url: try "http://a/".asURL(), headers: headers)
        #expect(RetryAfter.delay(response, now: Self.now) == seconds.map { .seconds($0) })
    }
}
