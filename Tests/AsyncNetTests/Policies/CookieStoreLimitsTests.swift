import Foundation
import Testing

@testable import AsyncNet

@Suite("Limits of the cookie store", .timeLimit(.minutes(5)))
struct CookieStoreLimitsTests {
    private static let start = Date(timeIntervalSince1970: 1_795_316_400)

    private static func limits(perDomain: Int, total: Int = 3000, crowded: Int = 50) -> CookieLimits {
        var limits = CookieLimits()
        (limits.perDomain, limits.total, limits.crowdedSite) = (perDomain, total, crowded)
        return limits
    }

    /// Sets cookies a second apart. `!` before a name makes a cookie secure, a number after it is its lifetime.
    private static func fill(
        _ store: inout CookieStore, _ names: [String], domain: String = "a.b", from time: Double = 0
    ) {
        for (index, name) in names.enumerated() {
            let now = start + time + Double(index)
            let cookie = Cookie(
                name: name.filter(\.isLetter), value: "1", domain: domain,
                expires: Int(name.drop(while: { !$0.isNumber })).map { now + Double($0) }, isSecure: name.hasPrefix("!")
            )
            if !store.set(cookie, now: now) { Issue.record("\(cookie)") }
        }
    }

    private static func names(_ store: CookieStore, after time: Double = 100) -> String {
        store.cookies(now: start + time).map(\.name).joined()
    }

    @Test(
        "Above a domain's limit expired cookies are removed first, then insecure ones, then the least recently sent",
        arguments: [
            (["a", "b", "c", "d"], "bcd"), (["a", "b1", "c", "d"], "acd"), (["!a", "b", "!c", "d"], "acd"),
            (["!a", "!b", "!c", "!d"], "bcd"), (["!a", "!b", "!c", "d"], "abc"),
            (["a1", "b1", "c", "d"], "cd"), (["a", "b", "a", "c", "d"], "acd"),
        ])
    func fullDomain(_ names: [String], _ left: String) {
        var store = CookieStore(limits: Self.limits(perDomain: 3))
        Self.fill(&store, names)
        #expect(Self.names(store) == left)
    }

    @Test("Sending a cookie counts as its last use, and reading the cookies of the jar does not")
    func lastAccess() throws {
        var store = CookieStore(limits: Self.limits(perDomain: 3))
        Self.fill(&store, ["a", "b", "c"])
        let origin = CookieOrigin(host: "a.b", path: "/", isSecure: false)
        #expect(store.cookies(for: origin, now: Self.start + 9).count == 3)
        Self.fill(&store, ["d"], from: 10)
        #expect(Self.names(store) == "bcd")
        _ = store.set(Cookie(name: "p", value: "1", domain: "a.b", path: "/p"), now: Self.start + 20)
        #expect(Self.names(store) == "cdp")
        #expect(store.header(for: origin, now: Self.start + 30) == "c=1; d=1")
        Self.fill(&store, ["e"], from: 40)
        #expect(Self.names(store) == "cde")
    }

    @Test("Above the total limit, cookies of sites with many cookies are removed first")
    func total() {
        var store = CookieStore(limits: Self.limits(perDomain: 10, total: 6, crowded: 2))
        Self.fill(&store, ["a"], domain: "old.b")
        Self.fill(&store, ["!c", "d", "e"], domain: "many.b", from: 10)
        Self.fill(&store, ["f", "g"], domain: "two.b", from: 20)
        #expect(store.count == 6)
        Self.fill(&store, ["h"], domain: "x.b", from: 30)
        #expect(Self.names(store) == "acefgh")
        Self.fill(&store, ["i"], domain: "y.b", from: 40)
        #expect(Self.names(store) == "cefghi")
    }

    @Test("Above the total limit, expired cookies are removed first")
    func totalExpired() {
        var store = CookieStore(limits: Self.limits(perDomain: 10, total: 3))
        Self.fill(&store, ["a", "b50"], domain: "a.b")
        Self.fill(&store, ["c"], domain: "c.b", from: 60)
        Self.fill(&store, ["d"], domain: "d.b", from: 61)
        #expect(Self.names(store) == "acd" && store.count == 3)
    }

    @Test(
        "By default a domain has at most 180 cookies and the store 3000, and large sites are reduced to 50 each"
    )
    func defaults() {
        var store = CookieStore()
        for index in 0..<400 { _ = store.set(Cookie(name: "\(index)", value: "1", domain: "a.b"), now: Self.start) }
        #expect(store.count == 180)
        for index in 0..<2820 {
            _ = store.set(Cookie(name: "a", value: "1", domain: "\(index).b"), now: Self.start + 1 + Double(index))
        }
        #expect(store.count == 3000)
        _ = store.set(Cookie(name: "a", value: "1", domain: "last.b"), now: Self.start + 3000)
        #expect(store.count == 2871)
        #expect(
            store.cookies(now: Self.start).map(\.name) == (350..<400).map { "\($0)" }
                + Array(repeating: "a", count: 2821))
        for index in 0..<130 {
            _ = store.set(Cookie(name: "b", value: "1", domain: "\(index).c"), now: Self.start + 3001 + Double(index))
        }
        #expect(store.count == 2700)
        #expect(store.cookies(now: Self.start).first?.domain == "251.b")
    }

    @Test("Above the total limit, a site with many cookies keeps at least crowdedSite of them")
    func crowdedKeepsItsShare() {
        var store = CookieStore(limits: Self.limits(perDomain: 10, total: 20, crowded: 3))
        for index in 0..<14 { Self.fill(&store, ["a"], domain: "\(index).b", from: Double(index)) }
        Self.fill(&store, ["b", "c", "d", "e", "f", "g", "h"], domain: "many.b", from: 20)
        #expect(store.count == 18)
        #expect(Self.names(store) == String(repeating: "a", count: 14) + "efgh")
        for name in ["i", "j", "k"] { Self.fill(&store, [name], domain: "\(name).b", from: 40) }
        #expect(Self.names(store) == String(repeating: "a", count: 14) + "fgh" + "ijk")
        Self.fill(&store, ["l"], domain: "l.b", from: 50)
        #expect(Self.names(store) == String(repeating: "a", count: 11) + "fgh" + "ijkl")
    }

    @Test(
        "A site that sets cookies on many domains does not remove cookies of other sites",
        arguments: [1, 40])
    func oneSite(perDomain: Int) throws {
        var store = CookieStore()
        for index in 0..<2000 { _ = store.set(Cookie(name: "a", value: "1", domain: "\(index).b"), now: Self.start) }
        for index in 0..<200 {
            let origin = try #require(CookieOrigin(try "https://\(index).evil.example/".asURL()))
            _ = store.receive(
                (0..<perDomain).map { "x\($0)=1; Secure" }, from: origin, now: Self.start + 1 + Double(index))
        }
        #expect(store.cookies(now: Self.start).count { $0.name == "a" } == 2000)
        #expect(store.count <= 3000)
        #expect(store.cookies(now: Self.start).last?.domain == "199.evil.example")
    }

    @Test("A site whose cookies were all removed is no longer counted")
    func counts() {
        var store = CookieStore()
        for name in ["a.x.b", "b.x.b", "c.y.b"] { Self.fill(&store, ["a", "b"], domain: name) }
        #expect(store.sites.mapValues(\.count) == ["x.b": 4, "y.b": 2])
        store.remove { $0.domain == "a.x.b" || $0.name == "a" }
        #expect(store.sites.mapValues(\.domains) == ["x.b": ["b.x.b"], "y.b": ["c.y.b"]])
        store.remove { $0.domain != "c.y.b" }
        #expect(store.sites.mapValues(\.count) == ["y.b": 1] && store.count == 1)
        store.removeAll()
        #expect(store.sites.isEmpty && store.domains.isEmpty)
    }

    @Test(
        "Crowded sites are reduced to equal numbers of cookies, at least 50, until the excess is removed",
        arguments: [
            ([180], 10, 170), ([180], 500, 50), ([100, 60], 10, 90), ([100, 60], 60, 50), ([100, 100], 10, 95),
            ([100, 90, 80], 30, 80), ([100, 90, 80], 31, 79), ([], 5, 50),
        ])
    func level(_ sizes: [Int], _ excess: Int, _ level: Int) {
        #expect(CookieStore.level(of: sizes, removing: excess, least: 50) == level)
    }

    private static let suffixes: Set<String> = ["co.uk", "github.io", "amazonaws.com"]

    @Test(
        "The site of a domain is its public suffix with one more label",
        arguments: [
            ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("a.example.com.", "example.com"),
            ("com", "com"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"),
            ("::1", "::1"), ("x.y.co.uk", "y.co.uk"), ("co.uk", "co.uk"), ("me.github.io", "me.github.io"),
            ("x.me.github.io", "me.github.io"), ("", ""), ("..", ""),
        ])
    func site(_ domain: String, _ site: String) {
        let store = CookieStore(isPublicSuffix: { Self.suffixes.contains($0) })
        #expect(store.site(of: domain) == site)
    }

    @Test("The relatives of a domain are the domains with cookies that equal it, or are above or below it")
    func relatives() {
        var store = CookieStore()
        for index in 0..<2900 {
            _ = store.set(Cookie(name: "a", value: "1", domain: "\(index).b", isSecure: true), now: Self.start)
        }
        for name in ["x.org", "a.x.org", "b.a.x.org", "bx.org"] {
            _ = store.set(Cookie(name: "a", value: "1", domain: name), now: Self.start)
        }
        #expect(store.relatives(of: "new.b").isEmpty)
        #expect(Set(store.relatives(of: "a.x.org")) == ["x.org", "a.x.org", "b.a.x.org"])
        #expect(Set(store.relatives(of: "x.org")) == ["x.org", "a.x.org", "b.a.x.org"])
        #expect(Set(store.relatives(of: "b.a.x.org")) == ["x.org", "a.x.org", "b.a.x.org"])
        #expect(store.relatives(of: "7.b") == ["7.b"])
    }
}
