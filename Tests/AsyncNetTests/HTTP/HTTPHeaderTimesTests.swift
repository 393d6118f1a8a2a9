import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Times in headers, and separate cookies")
struct HTTPHeaderTimesTests {
    @Test("The date of a header and the expiry of a Set-Cookie header are parsed")
    func times() {
        let date = HTTPHeader(name: "Date", value: "Thu, 01 Jan 1970 00:00:07 GMT")
        #expect(date.date == Date(timeIntervalSince1970: 7))
        #expect(HTTPHeader(name: "Expires", value: "0").date == nil)
        let cookie = "a=1; Expires=Thu, 01 Jan 1970 00:00:07 GMT"
        #expect(HTTPHeader(name: "set-cookie", value: cookie).cookieExpiry == Date(timeIntervalSince1970: 7))
        #expect(HTTPHeader(name: "Set-Cookie", value: "a=1").cookieExpiry == nil)
        #expect(HTTPHeader(name: "Cookie", value: cookie).cookieExpiry == nil)
    }

    @Test("Set-Cookie values that Foundation joined are split again; other headers are unchanged")
    func separate() throws {
        let url = try "http://h/".asURL()
        let fields = ["Set-Cookie": "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT, b=2", "Vary": "A, B"]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let headers = HTTPResponseHead(response, url: url).separateHeaders
        #expect(
            headers.values(for: "Set-Cookie") == ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"]
                && headers.values(for: "Vary") == ["A, B"])
        let kept = HTTPResponseHead(statusCode: 200, url: url, headers: ["Set-Cookie: a=1, b=2"]).separateHeaders
        #expect(kept.values(for: "Set-Cookie") == ["a=1, b=2"])
    }
}
