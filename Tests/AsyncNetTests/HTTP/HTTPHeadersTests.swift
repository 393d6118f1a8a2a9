import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("HTTP headers", .timeLimit(.minutes(5)))
struct HTTPHeadersTests {
    @Test("Header names are compared without case; order and repetitions are kept")
    func order() {
        var headers: HTTPHeaders = ["B": "1", "a": "2"]
        headers.add(name: "b", value: "3")
        #expect(headers["b"] == "1, 3")
        #expect(headers.values(for: "B") == ["1", "3"])
        #expect(headers.map(\.name) == ["B", "a", "b"])
        headers["B"] = "4"
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["B=4", "a=2"])
        headers["A"] = nil
        #expect(headers.count == 1)
        #expect(headers["nowhere"] == nil)
    }

    @Test("A request's header replaces the session's header of the same name and keeps its own repetitions")
    func merging() {
        var headers: HTTPHeaders = ["Accept": "*/*", "User-Agent": "x"]
        headers.merge([.init(name: "accept", value: "a"), .init(name: "X", value: "1"), .init(name: "X", value: "2")])
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["User-Agent=x", "accept=a", "X=1", "X=2"])
    }

    @Test(
        "A token is found in any line of a list header, as a whole and in any case",
        arguments: [
            (["close"], true), (["keep-alive, CLOSE"], true), (["a", " , \t close ,"], true), ([""], false),
            (["closed"], false), (["keep-alive"], false), (["not close"], false), (["clo", "se"], false),
        ])
    func lists(_ values: [String], _ isListed: Bool) {
        let headers = HTTPHeaders(
            [HTTPHeader(name: "Close", value: "close")] + values.map { HTTPHeader(name: "CONNECTION", value: $0) })
        #expect(headers.lists("close", in: "Connection") == isListed)
    }

    @Test("The dictionary of headers joins repeated headers under the first spelling")
    func joined() {
        let headers: HTTPHeaders = [
            .init(name: "Via", value: "1"), .init(name: "via", value: "2"), .init(name: "VIA", value: "3"),
        ]
        #expect(headers.dictionary == ["Via": "1, 2, 3"])
    }

    @Test("HTTPHeader.authorization gives the values of RFC 7617 and RFC 6750")
    func factories() {
        #expect(
            HTTPHeader.authorization(username: "Aladdin", password: "open sesame").value
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(HTTPHeader.authorization(bearerToken: "mF_9.B5f-4.1JqM").value == "Bearer mF_9.B5f-4.1JqM")
    }

    @Test(
        "Descriptions of headers do not contain the values of secret headers",
        arguments: ["Authorization", "cookie", "Set-Cookie", "PROXY-AUTHORIZATION", "X-API-Key"])
    func secrets(_ name: String) {
        #expect(!HTTPHeader(name: name, value: "hunter2").description.contains("hunter2"))
        #expect(!HTTPHeaders([HTTPHeader(name: name, value: "hunter2")]).description.contains("hunter2"))
    }

    @Test(
        "A method or header that would break the framing of the message throws invalidRequest",
        arguments: [
            ("GET", "X", "a\r\nY: b"), ("GET", "X", "a\nb"), ("GET", "X", "a\u{0}"), ("GET", "X\r\nY", "a"),
            ("GET", "X Y", "a"), ("GET", "", "a"),
            ("GET", "X:", "a"), ("GET\r\nX: y", "X", "a"), ("", "X", "a"), ("G T", "X", "a"), ("GÉT", "X", "a"),
            ("GET", "X", "a\u{7F}"),
        ])
    func injection(_ method: String, _ name: String, _ value: String) throws {
        let head = HTTPRequestHead(
            method: .init(rawValue: method), url: try "http://a/".asURL(), headers: [name: value])
        let error = #expect(throws: AsyncNetError.self) { try head.validate() }
        #expect(error?.code == .invalidRequest)
    }

    @Test("A header's value may contain tabs, spaces and non-ASCII letters")
    func allowed() throws {
        try HTTPRequestHead(method: .query, url: try "http://a/".asURL(), headers: ["X": "a\tb é"]).validate()
    }

    @Test("A URLRequest that becomes a head and a URLRequest again keeps its URL, method, headers and timeout")
    func urlRequest() throws {
        var request = URLRequest(url: try "http://a/b?c=1".asURL(), timeoutInterval: 5)
        request.httpMethod = "PATCH"
        request.setValue("1", forHTTPHeaderField: "X-A")
        request.httpBody = Data("x".utf8)
        let back = try #require(HTTPRequestHead(request)).urlRequest
        #expect(back.url == request.url)
        #expect(back.httpMethod == "PATCH")
        #expect(back.value(forHTTPHeaderField: "x-a") == "1")
        #expect(back.timeoutInterval == 5)
        #expect(back.httpBody == nil)
    }

    @Test("The default headers are Accept-Language by preference and User-Agent with program and system")
    func defaults() {
        #expect(HTTPHeaders.default.map(\.name) == ["Accept-Language", "User-Agent"])
        #expect(HTTPHeader.qualityList(["de-DE", "fr", "en"]) == "de-DE, fr;q=0.9, en;q=0.8")
        #expect(HTTPHeader.qualityList([]) == "*")
        #expect(HTTPHeader.qualityList(["d\r\ne"]) == "de")
        #expect(HTTPHeader.qualityList((0..<12).map { "a\($0)" }).hasSuffix("a9;q=0.1, a10;q=0.1, a11;q=0.1"))
        #expect(
            HTTPHeader.defaultUserAgent.value.wholeMatch(of: /\S+ \((Linux|macOS|iOS) [0-9.]+\) AsyncNet\/[0-9.]+/)
                != nil)
    }

    @Test(
        "Each factory of HTTPHeader makes the header of its name",
        arguments: [
            (HTTPHeader.accept("a"), "Accept: a"), (.acceptCharset("a"), "Accept-Charset: a"),
            (.acceptEncoding("a"), "Accept-Encoding: a"),
            (.acceptLanguage("a"), "Accept-Language: a"), (.contentDisposition("a"), "Content-Disposition: a"),
            (.contentEncoding("a"), "Content-Encoding: a"),
            (.contentType("a"), "Content-Type: a"), (.userAgent("a"), "User-Agent: a"),
            (.websocketProtocol("a"), "Sec-WebSocket-Protocol: a"),
            (.expectContinue, "Expect: 100-continue"), (.authorization("a"), "Authorization: a"),
            (.authorization(bearerToken: "a"), "Authorization: Bearer a"),
            (
                .authorization(username: "Aladdin", password: "open sesame"),
                "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
            ),
        ])
    func factories(_ header: HTTPHeader, _ text: String) {
        #expect("\(header.name): \(header.value)" == text)
    }

    @Test("The last of equal names in a dictionary literal counts; an array literal takes factories and texts")
    func literals() {
        let dictionary: HTTPHeaders = ["Accept": "a", "X-A": "1", "accept": "b"]
        #expect(dictionary.map(\.value) == ["b", "1"])
        let id = 7
        let array: HTTPHeaders = [.accept("a"), "X-A: \(id)", "X-B:  two: parts ", "X-C"]
        #expect(array.map { "\($0.name)=\($0.value)" } == ["Accept=a", "X-A=7", "X-B=two: parts", "X-C="])
    }

    @Test("Headers can be updated, sorted and read by name")
    func alamofireNames() {
        var headers: HTTPHeaders = [.accept("a"), "X-B: 1", "X-B: 2", "x-a: 3"]
        #expect(headers.value(for: "x-b") == "1, 2" && headers.value(for: "none") == nil)
        #expect(headers.sorted().map(\.name) == ["Accept", "x-a", "X-B", "X-B"])
        #expect(headers.dictionary == ["Accept": "a", "X-B": "1, 2", "x-a": "3"])
        headers.update(name: "X-B", value: "4")
        headers.update(.accept("c"))
        #expect(headers.map(\.value) == ["c", "4", "3"])
    }
}
