import Foundation
import Testing

@testable import AsyncNet

@Suite("Redirect policy", .timeLimit(.minutes(5)))
struct RedirectPolicyTests {
    private func next(
        _ status: Int, _ method: HTTPMethod, from url: String = "http://a/b/c", to location: String? = "d",
        followed: Int = 0,
        headers: HTTPHeaders = ["Content-Type": "text/plain", "Authorization": "s", "Cookie": "c", "X": "1"],
        limit: Int = 20
    ) throws -> TransportRequest? {
        let request = TransportRequest(
            head: HTTPRequestHead(method: method, url: try url.asURL(), headers: headers),
            body: .data(Data("body".utf8)))
        let response = HTTPResponseHead(
            statusCode: status, url: request.head.url, headers: location.map { ["Location": $0] } ?? [:])
        return try RedirectPolicy(limit: limit).next(
            after: response, to: request, visited: (0..<followed).compactMap { URL(string: "http://a/\($0)") })
    }

    @Test(
        "Method and body of a redirected request follow RFC 9110 §15.4",
        arguments: [
            (301, "GET", "GET", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
            (301, "DELETE", "DELETE", true),
            (302, "POST", "GET", false), (302, "PUT", "PUT", true), (302, "PATCH", "PATCH", true),
            (303, "POST", "GET", false),
            (303, "PUT", "GET", false), (303, "DELETE", "GET", false), (303, "HEAD", "HEAD", true),
            (303, "GET", "GET", true),
            (307, "POST", "POST", true), (307, "PUT", "PUT", true), (308, "POST", "POST", true),
            (308, "GET", "GET", true),
        ])
    func methods(_ status: Int, _ method: String, _ expected: String, _ keepsBody: Bool) throws {
        let next = try #require(try next(status, HTTPMethod(rawValue: method)))
        #expect(next.head.method.rawValue == expected)
        #expect(next.body.data == (keepsBody ? Data("body".utf8) : nil))
        #expect(next.head.headers.contains(name: "Content-Type") == keepsBody)
        #expect(next.head.headers["X"] == "1")
    }

    @Test(
        "A status that is no redirect, a redirect without Location, or any redirect with limit 0 is delivered",
        arguments: [200, 204, 300, 304, 305, 306, 400])
    func notFollowed(_ status: Int) throws {
        #expect(try next(status, .get) == nil)
        #expect(try next(302, .get, to: nil) == nil)
        #expect(try next(302, .get, limit: 0) == nil)
    }

    @Test(
        "Authorization and Cookie are not sent to another origin after a redirect",
        arguments: [
            ("http://a/x", true), ("/x", true), ("http://A:80/x", true), ("http://b/x", false), ("https://a/x", false),
            ("http://a:81/x", false), ("//b/x", false),
        ])
    func credentials(_ target: String, _ kept: Bool) throws {
        let next = try #require(try next(302, .get, to: target))
        #expect(next.head.headers.contains(name: "Authorization") == kept)
        #expect(next.head.headers.contains(name: "Cookie") == kept)
        #expect(next.head.headers["X"] == "1")
    }

    @Test(
        "Location is resolved against the request's URL, whose fragment is inherited",
        arguments: [
            ("d", "http://a/b/d#f"), ("../d?q=1", "http://a/d?q=1#f"), ("?q", "http://a/b/c?q#f"),
            ("#g", "http://a/b/c#g"), (" d e ", "http://a/b/d%20e#f"),
            ("//b:81", "http://b:81#f"), ("%2e%2e/d", "http://a/b/%2e%2e/d#f"), ("//[::1]:80/x", "http://[::1]:80/x#f"),
        ])
    func targets(_ location: String, _ expected: String) throws {
        #expect(try next(302, .get, from: "http://a/b/c#f", to: location)?.head.url.absoluteString == expected)
    }

    @Test(
        "A percent sign in Location that encodes nothing is sent unchanged, even after further redirects",
        arguments: [
            ("/%zz", "http://a/%zz#f"), ("/x?q=50%", "http://a/x?q=50%#f"), ("/%E4%zz/é", "http://a/%E4%zz/%C3%A9#f"),
            ("/%2", "http://a/%2#f"),
        ])
    func percents(_ location: String, _ expected: String) throws {
        let first = try #require(try next(302, .get, from: "http://a/b/c#f", to: location))
        #expect(first.head.urlText == expected)
        #expect(first.head.url.absoluteString.contains("%25") || !first.head.url.absoluteString.contains("%z"))
        let response = HTTPResponseHead(statusCode: 302, url: first.head.url, headers: ["Location": "?x"])
        let second = try #require(try RedirectPolicy().next(after: response, to: first, visited: []))
        #expect(second.head.urlText == URLReference("?x#f").resolved(against: URLReference(expected)).text)
        var other = second
        other.head.url = try "http://b/".asURL()
        #expect(other.head.urlText == "http://b/", "the text of the redirect's URL is not used for another URL")
    }

    @Test("An inherited fragment is unchanged", arguments: ["a%20b%5B", "%25zz", "x?/@:!$&'()*+,;=-._~", "%e4"])
    func fragments(_ fragment: String) throws {
        #expect(try next(302, .get, from: "http://a/b#\(fragment)", to: "/c")?.head.urlText == "http://a/c#\(fragment)")
    }

    @Test("A redirect without a Location, or with an empty one, is delivered", arguments: [[], [""], ["", " "]])
    func noTarget(_ lines: [String]) throws {
        #expect(try after(lines) == nil)
    }

    @Test(
        "Equal Location lines are one target, and different ones throw badServerResponse",
        arguments: [(["/x", "/x"], true), (["/x", "", "/x "], true), (["/x", "/y"], false), (["/x", "/X"], false)])
    func severalTargets(_ lines: [String], _ isOne: Bool) throws {
        guard !isOne else { return #expect(try after(lines)?.head.url.path() == "/x") }
        let error = #expect(throws: AsyncNetError.self) { try after(lines) }
        #expect(error?.code == .badServerResponse)
    }

    @Test("A Location line with a comma is one target")
    func comma() throws {
        #expect(try after(["/a, /b"])?.head.url.path() == "/a,%20/b")
    }

    private func after(_ lines: [String]) throws -> TransportRequest? {
        let request = TransportRequest(head: HTTPRequestHead(url: try "http://a/b".asURL()))
        let headers = HTTPHeaders(lines.map { HTTPHeader(name: "Location", value: $0) })
        return try RedirectPolicy().next(
            after: HTTPResponseHead(statusCode: 302, url: request.head.url, headers: headers), to: request, visited: [])
    }

    @Test(
        "A Location that is not an HTTP URL is an error",
        arguments: [
            "mailto:a@b", "file:///etc/passwd", "javascript:1", "http://", "http://a b/", "ftp://a/", "data:,x",
            "//a:0/", "http://%00/",
        ])
    func badTargets(_ location: String) {
        let error = #expect(throws: AsyncNetError.self) { try next(302, .get, to: location) }
        #expect(error?.code == .redirectFailed)
    }

    @Test("The twentieth redirect is followed, and the next one ends with tooManyRedirects")
    func limit() throws {
        #expect(try next(302, .get, followed: 19) != nil)
        let error = #expect(throws: AsyncNetError.self) { try next(302, .get, followed: 20) }
        #expect(error?.code == .tooManyRedirects)
    }
}
