import Testing

@testable import AsyncNet

@Suite("Entity tags and If-Range", .timeLimit(.minutes(5)))
struct EntityTagTests {
    @Test(
        "A valid entity tag is parsed, and its description is the same text",
        arguments: [
            ("\"xyzzy\"", "xyzzy", false), ("W/\"xyzzy\"", "xyzzy", true), ("\"\"", "", false), ("W/\"\"", "", true),
            ("\"a\\b'c,;!#~\"", "a\\b'c,;!#~", false), ("\"é\"", "é", false),
            ("\"\u{301}\"", "\u{301}", false),
        ])
    func wellFormed(_ text: String, _ opaque: String, _ isWeak: Bool) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(tag.description == text)
    }

    @Test(
        "A malformed entity tag is not parsed",
        arguments: [
            "", "\"", "xyzzy", "\"xyzzy", "xyzzy\"", "w/\"a\"", "W\"a\"", "W/a", "W/ \"a\"", "\"a b\"", "\"a\"b\"",
            "\"a\", \"b\"", "\"a\0\"",
            "\"a\u{7F}\"", "*", "'a'", "\"a\" b", "W/",
        ])
    func malformed(_ text: String) {
        #expect(EntityTag(text) == nil)
    }

    /// The table of RFC 9110 §8.8.3.2.
    @Test(
        "Entity tags are equal or different by the weak comparison of RFC 9110 §8.8.3.2",
        arguments: [
            ("W/\"1\"", "W/\"1\"", true), ("W/\"1\"", "W/\"2\"", false), ("W/\"1\"", "\"1\"", true),
            ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false), ("\"\u{E9}\"", "\"e\u{301}\"", false),
        ])
    func comparison(_ one: String, _ other: String, _ isSameVersion: Bool) throws {
        let (one, other) = (try #require(EntityTag(one)), try #require(EntityTag(other)))
        #expect(one.isSameVersion(as: other) == isSameVersion)
    }

    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "If-Range is a strong ETag, or without any ETag a Last-Modified at least a minute before Date",
        arguments: [
            (["ETag": "\"a\""], "\"a\""), (["ETag": "\"a\"", "Last-Modified": modified], "\"a\""),
            (["ETag": "W/\"a\""], nil), ([:], nil),
            (["Last-Modified": modified], nil),
            (["ETag": "W/\"a\"", "Last-Modified": modified, "Date": "Mon, 07 Nov 1994 08:49:37 GMT"], nil),
            (["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"], modified),
            (["Last-Modified": modified, "Date": "Sun, 06 Nov 1994 08:50:36 GMT"], nil),
            (["Last-Modified": modified, "Date": modified], nil),
            (["Last-Modified": modified, "Date": "Sat, 05 Nov 1994 08:49:37 GMT"], nil),
            (["Last-Modified": "nonsense", "Date": modified], nil),
            (["Last-Modified": modified, "Date": "now"], nil),
            (["Last-Modified": "Sun Nov  6 08:49:37 1994", "Date": "Mon, 07 Nov 1994 08:49:37 GMT"], modified),
            (["ETag": "a", "Last-Modified": modified, "Date": "Mon, 07 Nov 1994 08:49:37 GMT"], modified),
            (["ETag": "a"], nil), (["Date": modified], nil),
        ] as [([String: String], String?)])
    func ifRange(_ headers: [String: String], _ validator: String?) {
        #expect(IfRange.validator(of: HTTPHeaders(headers)) == validator)
    }

    @Test(
        "If-Range is not sent if a response has different ETags; equal ETags count as one",
        arguments: [
            ([("ETag", "\"a\""), ("ETag", "\"a\"")], "\"a\"", true),
            ([("ETag", "\"a\""), ("ETag", "\"b\"")], nil, false), ([("ETag", "\"a\", \"a\"")], "\"a\"", true),
            ([("ETag", "\"a\", \"b\"")], nil, false), ([("ETag", "\"a,b\"")], "\"a,b\"", false),
            ([("ETag", "\"a\""), ("ETag", "W/\"a\"")], nil, false),
        ] as [([(String, String)], String?, Bool)])
    func several(_ lines: [(String, String)], _ validator: String?, _ isSame: Bool) {
        let headers = HTTPHeaders(lines.map { HTTPHeader(name: $0.0, value: $0.1) })
        #expect(IfRange.validator(of: headers) == validator)
        #expect(IfRange.isSameVersion(headers, as: "\"a\"") == isSame)
    }

    @Test("If-Range is not sent if two Last-Modified lines differ")
    func dates() {
        var headers: HTTPHeaders = ["Last-Modified": Self.modified, "Date": "Mon, 07 Nov 1994 08:49:37 GMT"]
        headers.add(name: "Last-Modified", value: Self.modified)
        #expect(IfRange.validator(of: headers) == Self.modified)
        headers.add(name: "Last-Modified", value: "Sat, 05 Nov 1994 08:49:37 GMT")
        #expect(IfRange.validator(of: headers) == nil)
    }
}
