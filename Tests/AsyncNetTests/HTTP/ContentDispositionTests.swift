import Testing

@testable import AsyncNet

/// Cases of RFC 6266 §5, RFC 8187 §3.2 and of the tests at greenbytes.de/tech/tc2231.
@Suite("Content-Disposition", .timeLimit(.minutes(5)))
struct ContentDispositionTests {
    @Test(
        "The file name of Content-Disposition comes from filename or filename*",
        arguments: [
            ("Attachment; filename=example.html", "example.html"),
            ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=utf-8''%e2%82%ac; filename=\"EURO\"", "€"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8'en-GB'%c2%a3%20and%20%e2%82%ac%20rates", "£ and € rates"),
            ("attachment; filename*=UTF-8''a'b", "a'b"),
            ("attachment; filename=\"foo-\u{E4}.html\"", "foo-ä.html"),
            ("attachment; filename=\"foo-%41.html\"", "foo-%41.html"),
            ("attachment; filename='foo.bar'", "'foo.bar'"),
            ("attachment; filename=\"f\\oo.html\"", "foo.html"),
            ("attachment; filename=\"\\\"quoting\\\" tested\\\\.html\"", "\"quoting\" tested\\.html"),
            ("attachment; filename=\"Here's a semicolon;.html\"", "Here's a semicolon;.html"),
            ("attachment; foo=\"a;filename=b\"; filename=c", "c"),
            ("attachment; filename=foo,bar.html", "foo,bar.html"),
            ("attachment; filename=foo bar.html ", "foo bar.html"),
            ("attachment; filename=\"/foo.html\"", "/foo.html"),
            ("attachment; filename =\"foo.html\"", "foo.html"), ("attachment;filename=a;filename=b", "a"),
            ("attachment;; ;filename=a;", "a"),
            ("attachment; filename=\"open", "open"),
            ("attachment; filename=\"a\".txt; x=y", "a"), ("attachment; xfilename=a", nil), ("attachment", nil),
            ("attachment; filename", nil),
            ("attachment; filename=", nil),
            ("attachment; filename=\"\"", nil), ("attachment; =x; filename=a", "a"),
            ("attachment; filename*0=\"foo.\"; filename*1=\"html\"", nil),
            ("attachment; filename=\"a\u{301}.txt\"", "a\u{301}.txt"),
            ("attachment; filename=\"\u{301}.txt\"", "\u{301}.txt"),
            ("attachment; filename*=\"UTF-8''%41\"", "A"),
        ] as [(String, String?)])
    func names(_ text: String, _ expected: String?) throws {
        #expect(try #require(ContentDisposition(text)).fileName == expected)
    }

    @Test(
        "If filename* of Content-Disposition cannot be decoded, the file name comes from filename",
        arguments: [
            "UTF-8''%", "UTF-8''%e", "UTF-8''%zz", "UTF-8''%e4", "UTF-8''%e2%82", "UTF-8'%41", "UTF-8%41", "''%41",
            "utf-16''%41", "koi8-r''%41",
            "UTF-8''\u{E4}", "",
            "UTF-8''", "UTF-8''%+1", "iso-8859-1''\u{E4}",
        ])
    func undecodable(_ value: String) throws {
        #expect(try #require(ContentDisposition("attachment; filename=a; filename*=\(value)")).fileName == "a")
    }

    @Test(
        "The type of Content-Disposition is parsed in any case, and lowercased",
        arguments: [("ATTACHMENT", "attachment"), (" inline ;x=y", "inline"), ("form-data; name=a", "form-data")])
    func types(_ text: String, _ type: String) {
        #expect(ContentDisposition(text)?.type == type)
    }

    @Test(
        "A Content-Disposition without a valid type is not parsed",
        arguments: [
            "", ";", "; filename=a", "filename=a", "\"attachment\"; filename=a", "attachment filename=a",
            "attachment, x; filename=a", "ä",
        ])
    func malformed(_ text: String) {
        #expect(ContentDisposition(text) == nil)
    }
}
