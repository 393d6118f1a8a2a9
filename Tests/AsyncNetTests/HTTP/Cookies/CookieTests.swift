import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Cookies", .timeLimit(.minutes(5)))
struct CookieTests {
    private static let now = Date(timeIntervalSince1970: 1_795_316_400)

    private func cookie(_ text: String, _ url: String) throws -> Cookie? {
        Cookie(setCookie: text, from: try url.asURL(), now: Self.now)
    }

    @Test(
        "A cookie is for its host, or with Domain for the hosts below the domain, and other domains are refused",
        arguments: [
            ("a=1", "http://www.example.com/", "www.example.com only"),
            ("a=1; Domain=example.com", "http://www.example.com/", "example.com"),
            ("a=1; Domain=.example.com", "http://example.com/", "example.com"),
            ("a=1; Domain=EXAMPLE.COM", "http://www.example.com/", "example.com"),
            ("a=1; Domain=www.example.com", "http://example.com/", "refused"),
            ("a=1; Domain=example.org", "http://example.com/", "refused"),
            ("a=1; Domain=com", "http://example.com/", "refused"),
            ("a=1; Domain=com.", "http://example.com./", "refused"),
            ("a=1; Domain=.", "http://example.com./", "example.com. only"),
            ("a=1; Domain=localhost", "http://localhost/", "localhost only"),
            ("a=1; Domain=localhost", "http://a.localhost/", "refused"),
            ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "127.0.0.1 only"),
            ("a=1; Domain=0.0.1", "http://127.0.0.1/", "refused"), ("a=1; Domain=[::1]", "http://[::1]/", "::1 only"),
            ("a=1; Domain=::1", "http://[::1]/", "::1 only"), ("a=1; Domain=", "http://a.b/", "a.b only"),
            ("a=1; Domain=x; Domain=", "http://a.b/", "a.b only"),
            ("a=1; Domain=example.com.", "http://example.com/", "refused"),
            ("a=1; Domain=example.com.", "http://www.example.com./", "example.com."),
            ("a=1; Domain=example.com", "http://example.com./", "refused"),
            ("a=1; Domain=münchen.de", "http://münchen.de/", "refused"),
            ("a=1; Domain=xn--mnchen-3ya.de", "http://münchen.de/", "xn--mnchen-3ya.de"),
            ("a=1; Domain=..example.com", "http://www.example.com/", "refused"),
            ("a=1; Domain=*.example.com", "http://www.example.com/", "refused"),
        ])
    func domains(_ text: String, _ url: String, _ expected: String) throws {
        let cookie = try cookie(text, url)
        #expect(cookie.map { $0.isHostOnly ? "\($0.domain) only" : $0.domain } ?? "refused" == expected)
    }

    @Test("Domain with a public suffix is refused, unless the host is that suffix: then the cookie is host-only")
    func publicSuffixes() throws {
        func domain(_ text: String, _ url: String) throws -> String? {
            let (parsed, origin) = (try #require(SetCookie(text)), try #require(CookieOrigin(try url.asURL())))
            return Cookie(parsed, from: origin, now: Self.now) { $0 == "co.uk" }.map { "\($0.domain) \($0.isHostOnly)" }
        }
        #expect(try domain("a=1; Domain=.CO.uk", "http://x.co.uk/") == nil)
        #expect(try domain("a=1; Domain=co.uk.", "http://x.co.uk./") == nil)
        #expect(try domain("a=1; Domain=co.uk", "http://co.uk/") == "co.uk true")
        #expect(try domain("a=1; Domain=x.co.uk", "http://x.co.uk/") == "x.co.uk false")
        #expect(try domain("a=1; Domain=co.uk", "http://example.com/") == nil)
    }

    @Test(
        "Secure needs https; SameSite=None and the prefixes __Secure- and __Host- need Secure",
        arguments: [
            ("a=1; Secure", "http", false), ("a=1; Secure", "https", true), ("a=1; SameSite=None", "https", false),
            ("a=1; SameSite=None; Secure", "https", true),
            ("__Secure-a=1; Secure", "https", true), ("__Secure-a=1", "https", false), ("__SECURE-a=1", "https", false),
            ("__Secure-a=1", "http", false),
            ("__Secure-a=1; Secure", "http", false), ("__Host-a=1; Secure; Path=/", "https", true),
            ("__host-a=1; Secure; Path=/", "https", true), ("__Host-a=1; Path=/", "https", false),
            ("__Host-a=1; Secure", "https", false), ("__HOST-a=1; Secure; Path=/x", "https", false),
            ("__Host-a=1; Secure; Path=/; Domain=a.b", "https", false),
            ("__Host-a=1; Secure; Path=/; Domain=", "https", true), ("__Host-a=1; Secure; Path=", "https", true),
            ("=__Host-a; Secure; Path=/", "https", false), ("__Secure-a; Secure", "https", false),
            ("=__host-a=1; Secure; Path=/", "https", false), ("__Hosta=1", "http", true),
            ("__Host-\u{301}=1; Path=/", "https", false), ("__Secure-\u{301}=1", "http", false),
        ])
    func secure(_ text: String, _ scheme: String, _ isAccepted: Bool) throws {
        #expect(try (cookie(text, "\(scheme)://a.b/") != nil) == isAccepted)
    }

    @Test(
        "Secure needs https also on loopback",
        arguments: ["http://localhost/", "http://127.0.0.1/", "http://[::1]/"])
    func loopback(_ url: String) throws {
        #expect(try cookie("a=1; Secure", url) == nil)
    }

    @Test("A cookie's path is Path or the default path, its expiry follows from Max-Age")
    func pathAndExpiry() throws {
        #expect(try cookie("a=1", "http://a.b/x/y?z/w")?.path == "/x")
        #expect(try cookie("a=1; Path=/é", "http://a.b/")?.path == "/é")
        #expect(try cookie("a=1; Max-Age=5", "http://a.b/")?.expires == Self.now + 5)
        #expect(try cookie("a=1; Max-Age=0", "http://a.b/")?.expires == .distantPast)
        #expect(try cookie("a=1", "http://a.b/")?.expires == nil)
        #expect(try cookie("a=1", "http://a.b/")?.creation == Self.now)
        #expect(try cookie("a=1", "/relative") == nil)
    }

    @Test("A cookie made by the program is host-only, unless its domain begins with a dot")
    func ownCookies() {
        let one = Cookie(name: "a", value: "1", domain: ".Example.COM")
        #expect(one.domain == "example.com" && !one.isHostOnly && one.path == "/" && one.isStorable)
        #expect(Cookie(name: "a", value: "1", domain: "[::1]").domain == "::1")
        #expect(Cookie(name: "a", value: "1", domain: "a.b").isHostOnly)
        #expect(!Cookie(name: "a", value: "1", domain: "a.b", isHostOnly: false).isHostOnly)
    }

    @Test(
        "A cookie made by the program with an invalid name, value, domain or prefix is not stored",
        arguments: [
            Cookie(name: "", value: "", domain: "a.b"), Cookie(name: "a;b", value: "1", domain: "a.b"),
            Cookie(name: "a=b", value: "1", domain: "a.b"),
            Cookie(name: "a", value: "1;2", domain: "a.b"), Cookie(name: "a", value: "1\r\nX: y", domain: "a.b"),
            Cookie(name: "a\0", value: "1", domain: "a.b"),
            Cookie(name: "a", value: "1", domain: ""), Cookie(name: "a", value: "1", domain: "a b"),
            Cookie(name: "a", value: "1", domain: "a\nb"), Cookie(name: "a", value: "1", domain: "#a"),
            Cookie(name: "a", value: "1", domain: "..a"), Cookie(name: "a", value: "1", domain: "é.de"),
            Cookie(name: "a", value: "1", domain: "a/b"),
            Cookie(name: "a", value: "1", domain: "a.b", path: "x"),
            Cookie(name: "a", value: "1", domain: "a.b", path: ""),
            Cookie(name: "a", value: "1", domain: "a.b", path: "/\n"),
            Cookie(name: "a", value: "1", domain: "a.b", path: "/;"),
            Cookie(name: "__Host-a", value: "1", domain: "a.b"),
            Cookie(name: "__Host-a", value: "1", domain: ".a.b", isSecure: true),
            Cookie(name: "a", value: "1", domain: "a.b", sameSite: .none),
            Cookie(name: "a", value: String(repeating: "x", count: 4096), domain: "a.b"),
        ])
    func notStorable(_ cookie: Cookie) {
        #expect(!cookie.isStorable)
    }

    @Test("The description and dump of a cookie do not contain its value; encoded and decoded it is unchanged")
    func secrets() throws {
        let cookie = try #require(
            try cookie("a=hunter2; Domain=b.c; Path=/x; Max-Age=10; Secure; HttpOnly; SameSite=Lax", "https://b.c/"))
        var dumped = ""
        dump(cookie, to: &dumped)
        dump(try #require(SetCookie("a=hunter2")), to: &dumped)
        for text in [
            "\(cookie)", String(reflecting: cookie), "\([cookie])", dumped, "\(try #require(SetCookie("a=hunter2")))",
        ] { #expect(!text.contains("hunter2")) }
        #expect(
            cookie.description
                == "a=<redacted>; Domain=.b.c; Path=/x; Expires=Sun, 22 Nov 2026 03:00:10 GMT; Secure; HttpOnly; SameSite=Lax"
        )
        #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(cookie)) == cookie)
    }

    @Test(
        "A cookie converted to HTTPCookie and back is unchanged",
        arguments: [
            Cookie(name: "a", value: "1", domain: "b.c"),
            Cookie(
                name: "a", value: "", domain: ".b.c", path: "/x", expires: Date(timeIntervalSince1970: 2_000_000_000),
                isSecure: true, isHTTPOnly: true),
        ])
    func foundation(_ cookie: Cookie) throws {
        let theirs = try #require(cookie.httpCookie)
        #expect(
            theirs.isSecure == cookie.isSecure && theirs.isHTTPOnly == cookie.isHTTPOnly
                && theirs.expiresDate == cookie.expires)
        var back = try #require(Cookie(theirs))
        back.creation = cookie.creation
        #expect(back == cookie)
    }

    @Test("An HTTPCookie that breaks the rules of its __Host- prefix is refused")
    func foundationRefused() throws {
        let theirs = try #require(HTTPCookie(properties: [.name: "__Host-a", .value: "1", .domain: "b.c", .path: "/"]))
        #expect(Cookie(theirs) == nil)
    }
}

extension Cookie {
    init?(setCookie: String, from url: URL, now: Date = Date()) {
        guard let origin = CookieOrigin(url), let parsed = SetCookie(setCookie) else { return nil }
        self.init(parsed, from: origin, now: now)
    }
}
