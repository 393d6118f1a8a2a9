import AsyncNet
import AsyncNetHTTPTypes
import Foundation
import HTTPTypes
import Testing

@Suite("Requests and responses of swift-http-types and heads of AsyncNet")
struct HeadsTests {
    @Test(
        "Pseudo header fields become the URL, character by character",
        arguments: [
            ("https", "example.com", "/"), ("https", "example.com:8443", "/a/b"), ("http", "[::1]:80", "/a?b=c&b=d"),
            ("https", "example.com", "/a%2Fb/%C3%A9?q=a%20b+c"), ("https", "example.com", "//a//b?"),
            ("HTTPS", "EXAMPLE.com", "/A"), ("https", "example.com", "/a/../b?x=/../"),
        ])
    func url(scheme: String, authority: String, path: String) throws {
        let request = HTTPRequest(
            method: .get, scheme: scheme, authority: authority, path: path, headerFields: [.accept: "*/*"])
        let head = try HTTPRequestHead(request)
        #expect(head.url.absoluteString == "\(scheme)://\(authority)\(path)")
        #expect(head.method == .get)
        #expect(try HTTPRequest(head) == request)
    }

    @Test("Characters that are invalid in a URL are percent-encoded")
    func encoded() throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/{id}|x?q={1}")
        #expect(try HTTPRequestHead(request).url.absoluteString == "http://a/%7Bid%7D%7Cx?q=%7B1%7D")
    }

    @Test(
        "A request without a valid URL is refused",
        arguments: [
            (nil, "a", "/"), ("http", nil, "/"), ("http", "a", nil), ("", "a", "/"), ("1http", "a", "/"),
            ("http:", "a", "/"), ("http", "", "/"), ("http", "user:secret@a", "/"), ("http", "a/b", "/"),
            ("http", "a?b", "/"), ("http", "a#b", "/"), ("http", "a b", "/"), ("http", "a\\b", "/"), ("http", "é", "/"),
            ("http", ":80", "/"), ("http", "a:port", "/"), ("http", "a", ""), ("http", "a", "b"), ("http", "a", "?b"),
            ("http", "a", "/#b"), ("http", "a", "/a b"), ("http", "a", "/é"), ("http", "a", "http://b/"),
        ] as [(String?, String?, String?)])
    func malformed(scheme: String?, authority: String?, path: String?) {
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        let error = #expect(throws: AsyncNetError.self) { try HTTPRequestHead(request) }
        #expect(error?.code == .malformedURL)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test("Targets that no URL expresses are refused: CONNECT, extended CONNECT, OPTIONS *")
    func targets() throws {
        var webSocket = HTTPRequest(method: .connect, scheme: "https", authority: "a", path: "/chat")
        webSocket.extendedConnectProtocol = "websocket"
        for request in [
            HTTPRequest(method: .connect, scheme: nil, authority: "a:443", path: nil), webSocket,
            HTTPRequest(method: .options, scheme: "http", authority: "a", path: "*"),
        ] {
            let error = #expect(throws: AsyncNetError.self) { try HTTPRequestHead(request) }
            #expect(error?.code == .invalidRequest)
        }
        let options = HTTPRequest(method: .options, scheme: "http", authority: "a", path: "/*")
        #expect(try HTTPRequestHead(options).url.path == "/*")
    }

    @Test("A URL becomes pseudo header fields without userinfo and fragment; an empty path is a slash")
    func request() throws {
        let url = try "https://user:secret@example.com:8443?q=1#top".asURL()
        let request = try HTTPRequest(HTTPRequestHead(method: "PURGE", url: url, headers: ["A: 1", "A: 2"]))
        #expect(request.method.rawValue == "PURGE")
        #expect(request.scheme == "https")
        #expect(request.authority == "example.com:8443")
        #expect(request.path == "/?q=1")
        #expect(request.headerFields.map(\.value) == ["1", "2"])
    }

    @Test("Heads that cannot be a request are refused")
    func refusedHeads() throws {
        let url = try "http://a/".asURL()
        let heads: [(HTTPRequestHead, AsyncNetError.Code)] = [
            (HTTPRequestHead(method: "a b", url: url), .invalidRequest),
            (HTTPRequestHead(method: .connect, url: url), .invalidRequest),
            (HTTPRequestHead(url: url, headers: [HTTPHeader(name: "a b", value: "")]), .invalidRequest),
            (HTTPRequestHead(url: try "/only/a/path".asURL()), .malformedURL),
            (HTTPRequestHead(url: try "file:///etc/hosts".asURL()), .malformedURL),
        ]
        for (head, code) in heads {
            let error = #expect(throws: AsyncNetError.self) { try HTTPRequest(head) }
            #expect(error?.code == code)
        }
    }

    @Test("Status, reason phrase and fields of a response are kept, both ways")
    func response() throws {
        let url = try "http://a/".asURL()
        let head = HTTPResponseHead(
            statusCode: 404, url: url, headers: ["Set-Cookie: a=1", "Set-Cookie: b=2"], reasonPhrase: "Gone fishing")
        let response = try HTTPResponse(head)
        #expect(response.status.code == 404)
        #expect(response.status.reasonPhrase == "Gone fishing")
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        let again = try HTTPResponseHead(response, url: url, httpVersion: "HTTP/2")
        #expect(again.statusCode == 404)
        #expect(again.reasonPhrase == "Gone fishing")
        #expect(again.httpVersion == "HTTP/2")
        #expect(Array(again.headers) == Array(head.headers))
        #expect(try HTTPResponseHead(HTTPResponse(status: 799), url: url).reasonPhrase == nil)
    }

    @Test("A response that is no HTTP is refused", arguments: [-1, 0, 99, 1000])
    func refusedStatus(_ status: Int) throws {
        let head = HTTPResponseHead(statusCode: status, url: try "http://a/".asURL())
        let error = #expect(throws: AsyncNetError.self) { try HTTPResponse(head) }
        #expect(error?.code == .badServerResponse)
    }

    @Test("A response with an invalid header is the server's fault")
    func refusedHeader() throws {
        let header = HTTPHeader(name: "a b", value: "")
        let head = HTTPResponseHead(statusCode: 200, url: try "http://a/".asURL(), headers: [header])
        let error = #expect(throws: AsyncNetError.self) { try HTTPResponse(head) }
        #expect(error?.code == .badServerResponse)
    }
}
