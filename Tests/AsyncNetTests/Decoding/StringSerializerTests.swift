import Foundation
import Testing

@testable import AsyncNet

/// The bytes of each row were made by Python's codecs, not by the code under test.
@Suite("String serializer", .timeLimit(.minutes(5)))
struct StringSerializerTests {
    private func text(_ bytes: [UInt8], _ type: String?, encoding: String.Encoding? = nil) async throws -> String {
        let url = try "http://a/".asURL()
        let response = RawResponse(
            requestHead: HTTPRequestHead(url: url),
            head: HTTPResponseHead(statusCode: 200, url: url, headers: type.map { ["Content-Type": $0] } ?? [:]),
            data: Data(bytes))
        return try await StringSerializer(encoding: encoding).serialize(response)
    }

    @Test(
        "Text is decoded with the charset of its Content-Type",
        arguments: [
            ("utf-8", [0xC3, 0xA9], "é"), ("UTF8", [0xC3, 0xA9], "é"), ("iso-8859-1", [0xE9], "é"),
            ("Latin1", [0xE9], "é"), ("iso-8859-15", [0xA4], "€"),
            ("windows-1252", [0x80, 0xE9], "€é"), ("windows-1251", [0xCF, 0xF0], "Пр"), ("koi8-r", [0xF0, 0xD2], "Пр"),
            ("koi8-u", [0xA4], "є"),
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
            ("gbk", [0xD6, 0xD0, 0xCE, 0xC4], "中文"), ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("gb18030", [0xD6, 0xD0, 0x81, 0x30, 0x81, 0x30], "中\u{80}"),
            ("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"), ("euc-kr", [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
            ("iso-8859-2", [0xB1], "ą"), ("iso-8859-5", [0xBF], "П"),
            ("iso-8859-7", [0xE1], "α"), ("iso-8859-9", [0xF0], "ğ"), ("windows-1250", [0xB9], "ą"),
            ("windows-1253", [0xE1], "α"), ("windows-1254", [0xF0], "ğ"),
            ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xD5], "Ơ"),
            ("windows-874", [0xA1], "ก"), ("ibm866", [0x8F], "П"),
            ("ibm850", [0x82], "é"), ("ibm437", [0x82], "é"), ("macintosh", [0x8E, 0xDB, 0x41, 0xFF], "é€Aˇ"),
            ("utf-16", [0xFE, 0xFF, 0x00, 0xE9], "é"),
            ("utf-16le", [0xE9, 0x00], "é"), ("utf-16be", [0x00, 0xE9], "é"), ("utf-32be", [0, 0, 0, 0xE9], "é"),
            ("us-ascii", [0x61], "a"),
        ] as [(String, [UInt8], String)])
    func charsets(_ charset: String, _ bytes: [UInt8], _ expected: String) async throws {
        #expect(try await text(bytes, "text/plain; charset=\"\(charset)\"") == expected)
    }

    @Test(
        "Text without a known charset is decoded as UTF-8, without its byte order mark",
        arguments: [nil, "text/plain", "text/plain; charset=klingon"])
    func fallback(_ type: String?) async throws {
        #expect(try await text([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], type) == "é")
    }

    @Test(
        "Invalid bytes of a text are an error that names the charset",
        arguments: [
            ("text/plain", [0xFF], "UTF-8"), ("text/plain; charset=utf-8", [0xC3], "utf-8"),
            ("text/plain; charset=klingon", [0xE9], "klingon"),
            ("text/plain; charset=us-ascii", [0xE9], "us-ascii"),
            ("text/plain; charset=utf-16le", [0x61, 0x00, 0x62], "utf-16le"),
            ("text/plain; charset=utf-32be", [0, 0, 0, 0xE9, 0, 0], "utf-32be"),
        ] as [(String, [UInt8], String)])
    func invalid(_ type: String, _ bytes: [UInt8], _ name: String) async {
        let error = await #expect(throws: AsyncNetError.self) { try await text(bytes, type) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(name) == true)
    }

    @Test("The encoding given to the serializer overrides the charset of the Content-Type")
    func given() async throws {
        #expect(try await text([0xE9], "text/plain; charset=utf-8", encoding: .isoLatin1) == "é")
    }
}
