import AsyncNet
import Foundation
import Testing

@Suite("Cookie store's limits", .timeLimit(.minutes(5)))
struct CookieStoreLimitsTests {
    private static let start = Date(timeIntervalSince1970: 1_795_316_400)

    private static func limits(perDomain: Int, total: Int = 3000, crowded: Int = 50) -> CookieLimits {
        var limits = CookieLimits()
        (limits.perDomain, limits.total, limits.crowdedDomain) = (perDomain, total, crowded)
        return limits
    }

    /// Sets these, a second apart; `!` before a name is a secure cookie, a number after it its age.
    private static func fill(_ store: inout CookieStore, _ names: [String], domain: String = "a.b", from time: Double = 0) {
        for (index, name) in names.enumerated() {
            let now = start + time + Double(index)
            let cookie = Cookie(name: name.filter(\.isLetter), value: "1", domain: domain, expires: Int(name.drop(while: { !$0.isNumber })).map { now + Double($0) }, isSecure: name.hasPrefix("!"))
            if !store.set(cookie, now: now) { Issue.record("\(cookie)") }
        }
    }

    private static func names(_ store: CookieStore, after time: Double = 100) -> String {
        store.cookies(now: start + time).map(\.name).joined()
    }

    @Test("Of a full domain go first expired ones, then not secure ones, then those sent longest ago", arguments: [
        (["a", "b", "c", "d"], "bcd"), (["a", "b1", "c", "d"], "acd"), (["!a", "b", "!c", "d"], "acd"), (["!a", "!b", "!c", "!d"], "bcd"), (["!a", "!b", "!c", "d"], "abc"),
        (["a1", "b1", "c", "d"], "cd"), (["a", "b", "a", "c", "d"], "acd"),
    ])
    func fullDomain(_ names: [String], _ left: String) {
        var store = CookieStore(limits: Self.limits(perDomain: 3))
        Self.fill(&store, names)
        #expect(Self.names(store) == left)
    }

    @Test("Sending counts; looking does not")
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

    @Test("When all are too many, crowded domains give way first")
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

    @Test("When all are too many, expired ones go before any other")
    func totalExpired() {
        var store = CookieStore(limits: Self.limits(perDomain: 10, total: 3))
        Self.fill(&store, ["a", "b50"], domain: "a.b")
        Self.fill(&store, ["c"], domain: "c.b", from: 60)
        Self.fill(&store, ["d"], domain: "d.b", from: 61)
        #expect(Self.names(store) == "acd" && store.count == 3)
    }

    @Test("180 of a domain, 3000 in all; beyond that the oldest tenth goes")
    func defaults() {
        var store = CookieStore()
        for index in 0..<400 { _ = store.set(Cookie(name: "\(index)", value: "1", domain: "a.b"), now: Self.start) }
        #expect(store.count == 180)
        for index in 0..<2820 { _ = store.set(Cookie(name: "a", value: "1", domain: "\(index).b"), now: Self.start + 1 + Double(index)) }
        #expect(store.count == 3000)
        _ = store.set(Cookie(name: "a", value: "1", domain: "last.b"), now: Self.start + 3000)
        #expect(store.count == 2700)
        #expect(store.cookies(now: Self.start).map(\.domain) == (121..<2820).map { "\($0).b" } + ["last.b"])
    }

    @Test("A crowded domain keeps what is not crowded, if others are older")
    func crowdedKeepsItsShare() {
        var store = CookieStore(limits: Self.limits(perDomain: 10, total: 20, crowded: 3))
        for index in 0..<14 { Self.fill(&store, ["a"], domain: "\(index).b", from: Double(index)) }
        Self.fill(&store, ["b", "c", "d", "e", "f", "g", "h"], domain: "many.b", from: 20)
        #expect(store.count == 18)
        #expect(Self.names(store) == String(repeating: "a", count: 14) + "efgh")
        for name in ["i", "j", "k"] { Self.fill(&store, [name], domain: "\(name).b", from: 40) }
        #expect(Self.names(store) == String(repeating: "a", count: 12) + "fgh" + "ijk")
    }
}
