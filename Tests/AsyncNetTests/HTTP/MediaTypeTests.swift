import AsyncNet
import Testing

@Suite("Media types", .timeLimit(.minutes(5)))
struct MediaTypeTests {
    @Test(
        "A media type is parsed into type and parameters (RFC 9110 §8.3.1)",
        arguments: [
            ("text/html;charset=utf-8", "text/html", "utf-8"), ("Text/HTML; Charset=\"utf-8\"", "text/html", "utf-8"),
            ("text/html; x=\"a;charset=b\"; charset=c", "text/html", "c"),
            ("text/html; charset=\"a\\\"b\"", "text/html", "a\"b"),
            (" text / html ", "text/html", nil), ("application/json", "application/json", nil),
            ("text/html; charset", "text/html", nil),
            ("text/html;;charset=a;charset=b", "text/html", "a"), ("*/*", "*/*", nil),
            ("text/html; charset=\"open", "text/html", "open"),
            ("text/html; charset= \"a\"", "text/html", "a"),
            ("text/html; x=\"\u{301};charset=b\";charset=c", "text/html", "c"),
        ] as [(String, String, String?)])
    func wellFormed(_ text: String, _ essence: String, _ charset: String?) throws {
        let type = try #require(MediaType(text))
        #expect(type.description == essence)
        #expect(type.charset == charset)
    }

    @Test(
        "A malformed media type is not parsed",
        arguments: ["", "text", "text/", "/html", "a/b/c", "te xt/html", "text/ht ml", ";charset=a"])
    func malformed(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(
        "A media range with * includes the media types that it matches",
        arguments: [
            ("*/*", "a/b", true), ("a/*", "a/b", true), ("*/b", "a/b", true), ("a/b", "a/b", true),
            ("a/c", "a/b", false), ("c/*", "a/b", false),
        ])
    func ranges(_ range: String, _ type: String, _ includes: Bool) throws {
        #expect(try #require(MediaType(range)).includes(try #require(MediaType(type))) == includes)
    }
}
