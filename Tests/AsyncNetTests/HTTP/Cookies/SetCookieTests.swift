import Foundation
import Testing

@testable import AsyncNet

@Suite("Set-Cookie", .timeLimit(.minutes(5)))
struct SetCookieTests {
    private static let now = Date(timeIntervalSince1970: 1_795_316_400)

    @Test(
        "Name and value of Set-Cookie are parsed as in RFC 6265bis §5.6",
        arguments: [
            ("a=1", "a", "1"), (" a \t=\t 1 ", "a", "1"), ("a=", "a", ""), ("a==1=", "a", "=1="),
            ("a= b c ", "a", "b c"), ("a=1;", "a", "1"),
            ("a=\"x\"", "a", "\"x\""), ("a=\"x;y\"", "a", "\"x"), ("a=x, b=y", "a", "x, b=y"),
            ("a\tb=1\t2", "a\tb", "1\t2"),
            ("abc", "", "abc"), ("=abc", "", "abc"), ("abc; Path=/", "", "abc"), (" = abc ", "", "abc"),
            ("==a", "", "=a"),
            ("naïve=é", "naïve", "é"), ("a=\u{301}1", "a", "\u{301}1"), ("a=1;\u{301}Secure", "a", "1"),
            ("Path=/x", "Path", "/x"), ("a=1 ; ; ;", "a", "1"),
        ])
    func pair(_ text: String, _ name: String, _ value: String) throws {
        let cookie = try #require(SetCookie(text))
        #expect(cookie.name == name && cookie.value == value && !cookie.isSecure)
    }

    @Test(
        "An empty Set-Cookie, or one with control characters, is not parsed",
        arguments: [
            "", " ", "=", " = ", ";", "; a=1", "= ; Path=/", "a=\u{0}", "a=1\u{1}", "a\n=1", "a=1\r", "a=1\r\nb=2",
            "a=1; Path=/\u{7F}", "a=1; x\u{1F}", "a=1\u{B}",
        ])
    func refused(_ text: String) {
        #expect(SetCookie(text) == nil)
    }

    @Test("A cookie's name and value have at most 4096 octets together, an attribute's value 1024")
    func sizes() throws {
        let long = String(repeating: "x", count: 4094)
        #expect(try #require(SetCookie("ab=\(long)")).value.count == 4094)
        #expect(SetCookie("abc=\(long)") == nil && SetCookie("\(long)=abc") == nil && SetCookie("\(long)abc") == nil)
        #expect(SetCookie("a=\(String(repeating: "é", count: 2048))") == nil)
        let path = "/" + String(repeating: "x", count: 1023)
        #expect(try #require(SetCookie("a=1; Path=/y; Path=\(path)")).path == path)
        #expect(try #require(SetCookie("a=1; Path=/y; Path=\(path)x")).path == "/y")
        #expect(try #require(SetCookie("a=1; Domain=b.c; Domain=\(path)x")).domain == "b.c")
        #expect(try #require(SetCookie("a=1; Secure=\(path)x")).isSecure == false)
    }

    @Test(
        "Attributes of Set-Cookie are parsed in any order and case, and the last of a name counts",
        arguments: [
            ("a=1; Secure; HttpOnly", "secure httponly"), ("a=1;SECURE;httponly", "secure httponly"),
            ("a=1; Secure=no; HttpOnly=", "secure httponly"),
            ("a=1; \"Secure\"; HttpOnlyx; Secure qux", ""), ("a=1; Path=/x", "path=/x"), ("a=1; path = /x ", "path=/x"),
            ("a=1; Path=/x; Path=/y", "path=/y"),
            ("a=1; Path=/x; Path=y", "default"), ("a=1; Path=", "default"), ("a=1; Path", "default"),
            ("a=1; Path=\"/x\"", "default"), ("a=1; Path=/x=y", "path=/x=y"),
            ("a=1; Domain=.EXAMPLE.com", "domain=example.com"), ("a=1; Domain=b.c; Domain=", ""),
            ("a=1; Domain=b.c; Domain", ""), ("a=1; Domain=..b.c", "domain=.b.c"),
            ("a=1; SameSite=LAX", "lax"), ("a=1; SameSite=strict", "strict"), ("a=1; SameSite=None", "none"),
            ("a=1; SameSite=Strict; SameSite=odd", ""), ("a=1; SameSite", ""),
            ("a=1; SameSite=unspecified", ""),
            (
                "a=1; Domain=b.c; Path=/; Secure; SameSite=Lax; Partitioned; Priority=High",
                "domain=b.c path=/ secure lax"
            ),
        ])
    func attributes(_ text: String, _ expected: String) throws {
        let cookie = try #require(SetCookie(text))
        var found: [String] = []
        if !cookie.domain.isEmpty { found.append("domain=\(cookie.domain)") }
        if cookie.hasPath { found.append(cookie.path.map { "path=\($0)" } ?? "default") }
        if cookie.isSecure { found.append("secure") }
        if cookie.isHTTPOnly { found.append("httponly") }
        if cookie.sameSite != .unspecified { found.append(cookie.sameSite.rawValue) }
        #expect(found.joined(separator: " ") == expected)
    }

    @Test(
        "A cookie expires by Max-Age, else by Expires, after 400 days at most",
        arguments: [
            ("a=1", nil), ("a=1; Max-Age=10", 10), ("a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 10),
            ("a=1; Expires=31 Dec 9999 23:59:59; Max-Age=10", 10),
            ("a=1; Max-Age=10; Max-Age=20", 20), ("a=1; Max-Age=10; Max-Age=x", 10), ("a=1; Max-Age=+5", nil),
            ("a=1; Max-Age=", nil), ("a=1; Max-Age=-", nil),
            ("a=1; Max-Age=5x", nil), ("a=1; Max-Age=1.5", nil), ("a=1; Max-Age=٣", nil), ("a=1; Max-Age=\"10\"", nil),
            ("a=1; Max-Age=0010", 10),
            ("a=1; Max-Age=34560000", 34_560_000), ("a=1; Max-Age=34560001", 34_560_000),
            ("a=1; Max-Age=99999999999999999999", 34_560_000),
            ("a=1; Max-Age=9223372036854775808", 34_560_000),
            ("a=1; Expires=Sun, 22 Nov 2026 03:00:10 GMT", 10), ("a=1; Expires=31 Dec 9999 23:59:59", 34_560_000),
            ("a=1; Expires=Wed, 21 Oct 9999999 07:28:00 GMT", nil),
            ("a=1; Expires=Sun, 22 Nov 2026 03:00:10 GMT; Expires=never", 10), ("a=1; Expires", nil),
            ("a=1; Expires=01 Jan 1601 00:00:00", -13_439_790_000),
        ] as [(String, Double?)])
    func expiry(_ text: String, _ seconds: Double?) throws {
        let expiry = try #require(SetCookie(text)).expiry(now: Self.now)
        #expect(expiry?.timeIntervalSince(Self.now) == seconds)
    }

    @Test(
        "A Max-Age of zero or less makes the cookie expire at once",
        arguments: ["0", "-1", "-0", "-99999999999999999999", "000"])
    func ended(_ age: String) throws {
        #expect(
            try #require(SetCookie("a=1; Max-Age=\(age); Expires=31 Dec 9999 23:59:59")).expiry(now: Self.now)
                == .distantPast)
    }

    @Test(
        "An extreme time of the clock does not trap the computation of a cookie's expiry",
        arguments: [-62_135_769_600, 1e300, -1e300, .infinity, -.infinity, .nan])
    func oddClocks(_ seconds: Double) throws {
        let now = Date(timeIntervalSince1970: seconds)
        for age in ["Max-Age=99999999999", "Max-Age=-5", "Expires=31 Dec 9999 23:59:59"] {
            let cookie = Cookie(setCookie: "a=1; \(age)", from: try #require(URL(string: "http://a.b")), now: now)
            #expect(cookie.map { "\($0)".contains("Expires=") } == true)
        }
    }
}
