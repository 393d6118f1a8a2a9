import Testing

@testable import AsyncNet

@Suite("Cache-Control")
struct CacheControlTests {
    @Test(
        "max-age of Cache-Control is parsed as whole seconds (RFC 9111 §1.2.2, §4.2.1)",
        arguments: [
            ("max-age=60", 60), ("Max-Age=60", 60), ("no-store, max-age=60", 60), ("max-age=\"60\"", 60),
            ("max-age = 60", 0), ("max-age=", 0), ("max-age", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
            ("max-age='60'", 0), ("max-age=99999999999999999999", 1 << 31), ("max-age=60, max-age=1", 60),
            ("a=\"x, max-age=1\", max-age=2", 2), ("a=\"\\\", max-age=1\", max-age=2", 2), ("a=\"x, max-age=3", 3),
            (",,max-age=3,,", 3),
            ("s-maxage=60", nil), ("xmax-age=60", nil), ("", nil),
        ] as [(String, Int?)])
    func seconds(_ value: String, _ expected: Int?) {
        #expect(CacheControl(value).seconds("max-age") == expected)
    }

    @Test("Several Cache-Control lines are one list, of which the first of equal directives counts")
    func lines() {
        let control = CacheControl(["Cache-Control: max-age=1", "Cache-Control: no-cache, max-age=2"])
        #expect(control.seconds("max-age") == 1 && control.contains("no-cache") && !control.contains("no-store"))
    }

    @Test("max-stale without an argument accepts any age")
    func maxStale() {
        #expect(CacheControl("max-stale").optionalSeconds("max-stale") == CacheControl.mostSeconds)
        #expect(CacheControl("max-stale=5").optionalSeconds("max-stale") == 5)
        #expect(CacheControl("max-stale=x").optionalSeconds("max-stale") == 0)
        #expect(CacheControl("").optionalSeconds("max-stale") == nil)
    }
}
