import Foundation
import Testing

@testable import AsyncNet

@Suite("Cookie store", .timeLimit(.minutes(5)))
struct CookieStoreTests {
    private static let start = Date(timeIntervalSince1970: 1_795_316_400)

    /// A store and its clock.
    private struct Fixture {
        var store = CookieStore()
        var now = CookieStoreTests.start

        mutating func receive(_ url: String, _ values: String..., context: CookieContext = CookieContext()) throws
            -> Int
        {
            store.receive(values, from: try #require(CookieOrigin(try url.asURL())), context, now: now).count
        }

        mutating func header(_ url: String, _ context: CookieContext = CookieContext()) throws -> String? {
            store.header(for: try #require(CookieOrigin(try url.asURL())), context, now: now)
        }
    }

    @Test("Cookies are sent sorted by length of path, then by creation, then by the order in which they were set")
    func order() throws {
        var it = Fixture()
        #expect(try it.header("http://a.b/") == nil)
        #expect(try it.receive("http://a.b/", "z=1", "y=2; Path=/x", "abc", "e=") == 4)
        it.now += 1
        #expect(try it.receive("http://a.b/", "a=3; Path=/", "b=4; Path=/x/y", "c=5; Path=/x") == 3)
        #expect(try it.header("http://a.b/x/y/z") == "b=4; y=2; c=5; z=1; abc; e=; a=3")
        #expect(try it.header("http://a.b/xy") == "z=1; abc; e=; a=3")
    }

    @Test("A replaced cookie keeps its place and creation time")
    func replacing() throws {
        var it = Fixture()
        _ = try it.receive("https://a.b/", "x=1; Max-Age=100", "y=1")
        it.now += 50
        #expect(try it.receive("https://a.b/", "x=2; Secure; HttpOnly") == 1)
        #expect(try it.header("https://a.b/") == "x=2; y=1")
        #expect(it.store.cookies(now: it.now).map(\.creation) == [Self.start, Self.start])
        #expect(it.store.cookies(now: it.now).map(\.expires) == [nil, nil])
        it.now += 100
        #expect(try it.header("https://a.b/") == "x=2; y=1")
    }

    @Test(
        "A cookie replaces another one only if name, domain, path and host-only flag are equal"
    )
    func identity() throws {
        var it = Fixture()
        _ = try it.receive(
            "https://a.b.c/", "x=1", "x=2; Path=/y", "x=3; Domain=b.c", "x=4; Domain=a.b.c", "X=5", "é=6", "e\u{301}=7")
        #expect(it.store.count == 7)
        _ = try it.receive("https://a.b.c/z", "x=8", "x=9; Domain=.A.b.C; Secure", "é=10; Expires=31 Dec 9999 23:59:59")
        #expect(it.store.count == 7)
        #expect(try it.header("https://a.b.c/") == "x=8; x=3; x=9; X=5; é=10; e\u{301}=7")
    }

    @Test("A cookie with an expiry in the past removes the stored one")
    func ending() throws {
        var it = Fixture()
        #expect(try it.receive("http://a.b/", "x=1", "y=2; Max-Age=10", "z=3; Max-Age=0") == 2)
        #expect(try it.receive("http://a.b/", "x=; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(try it.header("http://a.b/") == "y=2")
        it.now += 9.9
        #expect(try it.header("http://a.b/") == "y=2")
        it.now += 0.1
        #expect(try it.header("http://a.b/") == nil)
        #expect(it.store.cookies(now: it.now).isEmpty)
        _ = try it.receive("http://a.b/", "y=4")
        #expect(it.store.count == 1 && it.store.cookies(now: it.now).first?.creation == it.now)
    }

    @Test(
        "Host and scheme of a URL decide which cookies are sent",
        arguments: [
            ("http://example.com/", "sub=1"), ("http://www.example.com/", "host=1; sub=1"),
            ("https://www.example.com/", "host=1; sub=1; safe=1"), ("http://x.www.example.com/", "sub=1"),
            ("http://badexample.com/", nil), ("http://com/", nil),
            ("https://WWW.EXAMPLE.COM:444/", "host=1; sub=1; safe=1"), ("http://example.com./", nil),
        ])
    func hosts(_ url: String, _ header: String?) throws {
        var it = Fixture()
        _ = try it.receive(
            "https://www.example.com/", "host=1", "sub=1; Domain=example.com", "safe=1; Secure", "no=1; Domain=com",
            "no=1; Domain=x.www.example.com")
        #expect(try it.header(url) == header)
    }

    @Test("An IP address gets only the cookies that it set")
    func addresses() throws {
        var it = Fixture()
        _ = try it.receive("http://127.0.0.1/", "x=1", "y=1; Domain=0.0.1")
        _ = try it.receive("http://[::1]/", "z=1; Domain=[::1]")
        #expect(try it.header("http://127.0.0.1:81/") == "x=1")
        #expect(try it.header("http://[::1]/") == "z=1")
        #expect(try it.header("http://1.127.0.0.1/") == nil)
        _ = it.store.set(Cookie(name: "w", value: "1", domain: ".0.0.1"), now: it.now)
        #expect(try it.header("http://127.0.0.1/") == "x=1")
    }

    @Test(
        "A response over http cannot set, replace or hide a Secure cookie",
        arguments: [
            ("s=2", "/"), ("s=2; Path=/login", "/"), ("s=2; Path=/login/en", "/"),
            ("s=2; Domain=example.com; Path=/login", "/"), ("s=; Max-Age=0; Path=/login", "/"),
            ("s=2; Secure; Path=/x", "/"),
            ("s=2", "/login/"),
        ])
    func secureAlone(_ value: String, _ path: String) throws {
        var it = Fixture()
        _ = try it.receive("https://www.example.com/login/", "s=1; Secure; Path=/login")
        let isBeside = value == "s=2" && path == "/"
        #expect(try it.receive("http://www.example.com\(path)", value) == (isBeside ? 1 : 0))
        let header = try it.header("https://www.example.com/login/")
        #expect(header?.hasPrefix("s=1") == true)
    }

    @Test("A Secure cookie cannot be overridden over http in parent or child domains until it expires")
    func secureAloneDomains() throws {
        var it = Fixture()
        _ = try it.receive("https://example.com/", "s=1; Secure; Domain=example.com; Max-Age=10")
        _ = try it.receive("https://a.x.org/", "t=1; Secure")
        #expect(try it.receive("http://www.example.com/", "s=2", "s=2; Domain=example.com", "other=1") == 1)
        #expect(try it.receive("http://b.x.org/", "t=2; Domain=x.org", "t=3") == 1)
        #expect(try it.receive("http://badexample.com/", "s=2") == 1)
        #expect(try it.receive("https://www.example.com/", "s=3") == 1)
        it.now += 10
        #expect(try it.receive("http://example.com/", "s=4; Domain=example.com") == 1)
    }

    @Test("A request of another site gets the cookies that SameSite allows (RFC 6265bis §5.8.3)")
    func sameSite() throws {
        var it = Fixture()
        _ = try it.receive(
            "https://a.b/", "n=1; SameSite=None; Secure", "l=1; SameSite=Lax", "s=1; SameSite=Strict", "u=1",
            "o=1; SameSite=odd")
        #expect(try it.header("https://a.b/") == "n=1; l=1; s=1; u=1; o=1")
        #expect(try it.header("https://a.b/", CookieContext(isSameSite: false)) == "n=1")
        #expect(
            try it.header("https://a.b/", CookieContext(isSameSite: false, isTopLevelNavigation: true))
                == "n=1; l=1; u=1; o=1")
    }

    @Test(
        "A response to a cross-site request sets SameSite=None cookies only, unless a user navigated (RFC 6265bis §5.7)"
    )
    func sameSiteStoring() throws {
        var it = Fixture()
        let values = ["n=1; SameSite=None; Secure", "l=1; SameSite=Lax", "s=1; SameSite=Strict", "u=1"]
        let origin = try #require(CookieOrigin(try "https://a.b/".asURL()))
        #expect(
            it.store.receive(values, from: origin, CookieContext(isSameSite: false), now: it.now).map(\.name) == ["n"])
        #expect(
            it.store.receive(
                values, from: origin, CookieContext(isSameSite: false, isTopLevelNavigation: true), now: it.now
            ).count == 4)
    }

    @Test("Cookies can be removed by a condition, and all together", arguments: [("x", 2), ("none", 3)])
    func removing(_ name: String, _ left: Int) throws {
        var it = Fixture()
        _ = try it.receive("http://a.b/", "x=1", "y=1", "z=1; Domain=a.b")
        it.store.remove { $0.name == name }
        #expect(it.store.count == left && it.store.cookies(now: it.now).count == left)
        it.store.removeAll()
        #expect(it.store.count == 0 && it.store.cookies(now: it.now).isEmpty)
    }
}
