import Foundation
import Testing

@testable import AsyncNet

@Suite("Freshness")
struct FreshnessTests {
    @Test(
        "The freshness lifetime of a response is computed from its headers (RFC 9111 §4.2.1, §4.2.2)",
        arguments: [
            (["Cache-Control": "max-age=60"], 200, 60),
            (["Cache-Control": "s-maxage=60"], 200, 0),
            (["Cache-Control": "max-age=60", "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"], 200, 60),
            (["Expires": "Sun, 06 Nov 1994 09:49:37 GMT"], 200, 3600),
            (["Expires": "Sun, 06 Nov 1994 07:49:37 GMT"], 200, -3600),
            (["Expires": "0"], 200, 0),
            (["Expires": "Sunday, 06-Nov-94 09:49:37 GMT"], 200, 3600),
            (["Expires": "Sun Nov  6 09:49:37 1994"], 200, 3600),
            (["Expires": "SUN, 06 NOV 1994 09:49:37 gmt"], 200, 3600),
            (["Expires": "Sun 06 Nov 1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sun, 06-Nov-1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sun, 06  Nov  1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sun,06 Nov 1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sun,  06 Nov 1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sun, 6 Nov 1994 09:49:37 GMT"], 200, 0),
            (["Expires": "Sunday 06-Nov-94 09:49:37 GMT"], 200, 0), (["Expires": "Sun Nov 6 09:49:37 1994"], 200, 0),
            (["Expires": "Sun, 06 Nov 1994  09:49:37 GMT"], 200, 0),
            (["Expires": "Sun, 06 Nov 1994 09:49:37 UTC"], 200, 0),
            (["Expires": "-1", "Last-Modified": "Sat, 05 Nov 1994 08:49:37 GMT"], 200, 0),
            (["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT"], 200, 6),
            (["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT"], 404, 6),
            (["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT"], 302, 0),
            (["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT", "Cache-Control": "public"], 302, 6),
            (["Last-Modified": "Sun, 06 Nov 1994 08:50:37 GMT"], 200, 0),
            (["Last-Modified": "Sat, 06 Nov 1993 08:49:37 GMT"], 200, 7 * 24 * 3600),
            (["Last-Modified": "yesterday"], 200, 0),
            ([:], 200, 0),
        ] as [([String: String], Int, Double)])
    func lifetime(_ headers: [String: String], _ status: Int, _ expected: Double) throws {
        let response = try StoredResponse.fixture(HTTPHeaders(headers), status: status)
        #expect(Freshness(response, at: StoredResponse.date).lifetime == expected)
    }

    @Test(
        "The age of a response is computed from Age, Date and the time since it was received (RFC 9111 §4.2.3)",
        arguments: [
            ([:], 0, 10), (["Age": "5"], 0, 15), (["Age": "5"], 2, 17), (["Age": "x"], 0, 10), (["Age": "-5"], 0, 10),
            (["Age": "7, 5"], 0, 17), (["Date": "Sun, 06 Nov 1994 08:49:27 GMT"], 0, 20),
            (["Date": "Sun, 06 Nov 1994 08:49:27 GMT", "Age": "4"], 0, 20),
            (["Date": "Sun, 06 Nov 1994 08:49:27 GMT", "Age": "12"], 0, 22),
            (["Date": "Sun, 06 Nov 1994 08:50:37 GMT"], 0, 10), (["Date": "x"], 0, 10),
        ] as [([String: String], Double, Double)])
    func age(_ headers: [String: String], _ delay: Double, _ expected: Double) throws {
        let response = try StoredResponse.fixture(HTTPHeaders(headers), delay: delay)
        let now = StoredResponse.date.addingTimeInterval(10)
        #expect(Freshness(response, at: now).age == expected)
        #expect(response.head(for: CacheRequest.get().url, at: now).value(for: "Age") == "\(Int(expected))")
    }

    @Test("If the clock is behind a response's receipt, the age is that on receipt; by 61 s, the response is stale")
    func clockSetBack() throws {
        let response = try StoredResponse.fixture(["Age": "5"])
        #expect(Freshness(response, at: StoredResponse.date.addingTimeInterval(-1000)).age == 5)
        // The clock may have been ahead when the response was stored: then its age is not known.
        let fresh = try StoredResponse.fixture(["Cache-Control": "max-age=5"])
        #expect(Freshness(fresh, at: StoredResponse.date.addingTimeInterval(-60)).isFresh)
        #expect(!Freshness(fresh, at: StoredResponse.date.addingTimeInterval(-61)).isFresh)
    }
}
