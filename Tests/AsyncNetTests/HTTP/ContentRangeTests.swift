import Testing

@testable import AsyncNet

@Suite("Content ranges", .timeLimit(.minutes(5)))
struct ContentRangeTests {
    @Test(
        "A valid Content-Range is parsed, and its description is the same text (RFC 9110 §14.4)",
        arguments: [
            ("bytes 0-99/100", 0...99, 100), ("bytes 0-99/*", 0...99, nil), ("bytes */100", nil, 100),
            ("bytes 42-1233/1234", 42...1233, 1234),
            ("bytes 0-0/1", 0...0, 1), ("bytes */0", nil, 0), ("bytes 500-999/1234", 500...999, 1234),
            (
                "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
                9_223_372_036_854_775_805...9_223_372_036_854_775_806, .max
            ),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func wellFormed(_ text: String, _ bytes: ClosedRange<Int64>?, _ total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bytes == bytes)
        #expect(range.total == total)
        #expect(range.description == text)
    }

    @Test(
        "A Content-Range is parsed with any case of its unit, surrounding space and leading zeros",
        arguments: ["BYTES 0-99/100", "Bytes 0-99/100", " bytes 0-99/100\t", "bytes 00-099/0100"])
    func lax(_ text: String) {
        #expect(ContentRange(text)?.description == "bytes 0-99/100")
    }

    @Test(
        "A 206 response must have bytes of the requested range only (RFC 9110 §15.3.7)",
        arguments: [
            ("bytes=0-4", "bytes 0-4/100", true), ("bytes=0-4", "bytes 1-3/100", true),
            ("bytes=0-4", "bytes 50-54/100", false), ("bytes=0-4", "bytes 0-5/*", false),
            ("bytes=90-", "bytes 90-99/100", true), ("bytes=90-", "bytes 89-99/*", false),
            ("bytes=-10", "bytes 90-99/100", true), ("bytes=-10", "bytes 0-9/100", false),
            ("bytes=-10", "bytes 0-9/*", true), ("bytes=0-1,4-5", "bytes 7-8/9", true), ("bytes=0-4", "nonsense", true),
        ])
    func asked(_ asked: String, _ sent: String, _ isRight: Bool) throws {
        let url = try "http://a/".asURL()
        let head = HTTPResponseHead(statusCode: 206, url: url, headers: ["Content-Range": sent])
        let request = HTTPRequestHead(url: url, headers: ["Range": asked])
        let code = AsyncNetError.code { try head.checkRange(askedBy: request) }
        #expect(code == (isRight ? nil : .badServerResponse))
    }

    @Test(
        "A malformed Content-Range is not parsed",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-99", "bytes=0-99/100", "items 0-99/100", "bytes 99-0/100",
            "bytes 0-100/100", "bytes 0-99/0", "bytes */*",
            "bytes */", "bytes /100",
            "bytes -99/100", "bytes 0-/100", "bytes -/100", "bytes +0-99/100", "bytes 0-+99/100", "bytes 0-99/+100",
            "bytes 0--99/100", "bytes -1-99/100",
            "bytes 0 - 99/100",
            "bytes  0-99/100", "bytes 0-99 /100", "bytes 0-99/100/100", "bytes 0-99/100 x", "bytes 0x0-9/10",
            "bytes 0-9.5/10",
            "bytes 0-99/99999999999999999999",
            "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*",
            "bytes 99999999999999999999-99999999999999999999/*", "bytes ٠-٩/*",
            "bytes 0-99/100, bytes 0-99/100",
            "bytes 0-9/10\u{301}",
        ])
    func malformed(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        "A ByteRange is written as the value of a Range header, with 0 in place of negative bounds",
        arguments: [
            (ByteRange.from(5), "bytes=5-"), (.from(0), "bytes=0-"), (.closed(0...499), "bytes=0-499"),
            (.last(500), "bytes=-500"), (.from(-5), "bytes=0-"),
            (.closed(-5...5), "bytes=0-5"), (.last(.min), "bytes=-0"), (.from(.max), "bytes=9223372036854775807-"),
        ])
    func asked(_ range: ByteRange, _ text: String) {
        #expect(range.headerValue == text)
    }
}
