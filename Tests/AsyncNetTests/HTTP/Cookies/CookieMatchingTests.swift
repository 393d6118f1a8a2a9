import Foundation
import Testing

@testable import AsyncNet

@Suite("Cookie domains and paths", .timeLimit(.minutes(5)))
struct CookieMatchingTests {
    @Test(
        "A host matches its own domain and its parent domains (RFC 6265bis §5.1.3)",
        arguments: [
            ("example.com", "example.com"), ("example.com", "www.example.com"), ("example.com", "a.b.example.com"),
            ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
            ("localhost", "localhost"), ("com", "example.com"), ("example.com.", "example.com."),
            ("example.com.", "www.example.com."), ("1.com", "x.1.com"),
        ])
    func matches(_ domain: String, _ host: String) {
        #expect(CookieMatching.domain(domain, matches: host))
    }

    @Test(
        "A host does not match other domains, and an IP address matches no suffix of itself",
        arguments: [
            ("www.example.com", "example.com"), ("example.com", "badexample.com"), ("example.com", "example.org"),
            ("example.com", "example.com.evil.org"), ("", "example.com"),
            ("0.0.1", "127.0.0.1"), ("1", "127.0.0.1"), (".1", "127.0.0.1"), ("1", "::1"), (":1", "::1"),
            ("example.com.", "example.com"), ("example.com", "example.com."),
            ("example.com", "www.example.com."), (".example.com", "www.example.com"), ("0.1", "127.0.1"),
            ("0x1", "127.0x1"), ("0.1.", "127.0.0.1."), ("e\u{301}.com", "\u{e9}.com"),
        ])
    func differs(_ domain: String, _ host: String) {
        #expect(!CookieMatching.domain(domain, matches: host))
    }

    @Test(
        "A cookie's path matches itself and the paths below it (RFC 6265bis §5.1.4)",
        arguments: [
            ("/", "/", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true),
            ("/a/", "/a/b", true), ("/a/", "/a/", true),
            ("/a", "/ab", false), ("/a/", "/a", false), ("/a/b", "/a", false), ("/A", "/a", false), ("/a", "/", false),
            ("/a%2Fb", "/a/b", false), ("/a", "/a?b", false),
        ])
    func paths(_ path: String, _ requested: String, _ isMatch: Bool) {
        #expect(CookieMatching.path(path, matches: requested) == isMatch)
    }

    @Test(
        "The default path of a cookie ends before the last slash",
        arguments: [
            ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"), ("", "/"),
            ("a/b", "/"), ("//a", "/"),
        ])
    func defaultPaths(_ path: String, _ expected: String) {
        #expect(CookieMatching.defaultPath(of: path) == expected)
    }

    @Test(
        "CookieOrigin has a URL's host in lower case, its path as sent, and whether its scheme is secure",
        arguments: [
            ("http://EXAMPLE.com", "example.com", "/", false),
            ("https://example.com/A%2Fb/?q#f", "example.com", "/A%2Fb/", true),
            ("http://[::1]:80/x", "::1", "/x", false),
            ("https://u:p@a.b:444/c/../d", "a.b", "/c/../d", true), ("http://localhost/", "localhost", "/", false),
            ("HTTPS://a.b./", "a.b.", "/", true), ("wss://a.b/", "a.b", "/", true),
            ("http://ex%41mple.com/a/b/", "example.com", "/a/b/", false), ("https://a.b?x", "a.b", "/", true),
        ])
    func origins(_ text: String, _ host: String, _ path: String, _ isSecure: Bool) throws {
        let origin = try #require(CookieOrigin(try text.asURL()))
        #expect(origin.host == host && origin.path == path && origin.isSecure == isSecure)
    }

    @Test("An international host is in Punycode for cookies; a URL without a host gets no cookies")
    func internationalHosts() throws {
        #expect(try #require(CookieOrigin(try "https://MÜNCHEN.de/".asURL())).host == "xn--mnchen-3ya.de")
        #expect(CookieOrigin(try "/a".asURL()) == nil)
        #expect(CookieOrigin(try "data:x".asURL()) == nil)
    }

    @Test(
        "IPv4 and IPv6 addresses are distinguished from host names",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("1.2", true), ("2130706433", true), ("0x7f.1", true), ("a.0x", true),
            ("127.0.0.1.", true), ("fe80::1%eth0", true),
            ("a.1b", false), ("1.a", false), ("0xg", false), ("", false), ("localhost", false), ("a.", false),
        ])
    func addresses(_ host: String, _ isAddress: Bool) {
        #expect(CookieMatching.isAddress(host) == isAddress)
    }
}
