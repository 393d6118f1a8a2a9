import Foundation
import Testing

@testable import AsyncNet

/// A body is cut by limits, and made by others: nothing of it may be taken for granted.
@Suite("Redaction of bodies", .timeLimit(.minutes(5)))
struct BodyRedactorTests {
    private let rule = RedactionRule.standard
    private let secret = UInt8(ascii: "Q")

    @Test("Only the values of secret fields in a body are redacted", arguments: RedactionCases.bodies)
    func bodies(_ body: String, _ type: String?, _ written: String) {
        #expect(String(decoding: rule.body(Data(body.utf8), contentType: type), as: UTF8.self) == written)
    }

    @Test("A body that is cut at any byte shows no secret after redaction", arguments: RedactionCases.bodies)
    func cut(_ body: String, _ type: String?, _ written: String) {
        for length in 0...body.utf8.count {
            let cut = Data(body.utf8.prefix(length))
            if rule.body(cut, contentType: type).contains(secret) {
                Issue.record("\(String(decoding: cut, as: UTF8.self))")
            }
        }
    }

    @Test("Secrets in JSON inside JSON strings, and in URLs inside URLs, are redacted at any depth", arguments: 0...8)
    func nested(_ depth: Int) throws {
        var (json, harmless, url) = (#"{"token":"Quux"}"#, #"{"a":"Quux"}"#, "https://h/?token=Quux")
        for _ in 0..<depth {
            json = String(decoding: try JSONEncoder().encode(["a": json]), as: UTF8.self)
            harmless = String(decoding: try JSONEncoder().encode(["a": harmless]), as: UTF8.self)
            url = "https://h/?a=\(PercentEncoding.encoded(url))"
        }
        #expect(!rule.body(Data(json.utf8), contentType: nil).contains(secret))
        #expect(rule.body(Data(harmless.utf8), contentType: nil) == Data(harmless.utf8))
        #expect(!rule.text(ofURL: url).contains("Quux"))
    }

    @Test("JSON in UTF-16 or UTF-32 is replaced by REDACTED as a whole", arguments: [2, 4], [false, true])
    func wide(_ width: Int, _ isBigEndian: Bool) {
        func wide(_ text: String) -> Data {
            Data(
                text.unicodeScalars.flatMap { scalar in
                    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * UInt32($0))) }
                    return isBigEndian ? bytes.reversed() : bytes
                })
        }
        for start in ["", "\u{FEFF}"] {
            let body = wide(start + #"{"token":"Q","ä":1}"#)
            #expect(rule.body(body, contentType: "application/json") == Data("REDACTED".utf8))
            #expect(!rule.body(body.dropLast(9), contentType: nil).contains(secret))
        }
    }

    @Test(
        "Text in UTF-16 whose media type is JSON, a form or events is replaced by REDACTED as a whole",
        arguments: [
            ("text/event-stream", #"data: {"password":"Q"}"#), ("application/javascript", #"cb({"token":"Q"})"#),
            ("application/json", #""{\"token\":\"Q\"}""#),
            ("application/json", String(repeating: " ", count: 200) + #"{"token":"Q"}"#),
            ("application/x-www-form-urlencoded", "remember&password=Q"),
            ("application/x-www-form-urlencoded", "é=1&password=Q"),
        ])
    func wideType(_ type: String, _ text: String) throws {
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16] {
            let body = try #require(text.data(using: encoding))
            #expect(rule.body(body, contentType: type) == Data("REDACTED".utf8))
        }
    }

    @Test("Bytes that are not text are unchanged by redaction, unless they are the value of a secret field")
    func binary() {
        let body = Data([0x7B, 0xFF, 0x22, 0xC3, 0x22, 0x3A, 0x22, 0x80, 0x5C])
        #expect(rule.body(body, contentType: "application/json") == body)
        let invalid = Data([0x7B] + "\"token\":\"".utf8 + [0xFF, 0xC3, 0x22, 0x7D])
        #expect(rule.body(invalid, contentType: nil) == Data(#"{"token":"REDACTED"}"#.utf8))
    }

    @Test(
        "Redaction of deeply nested or repeated delimiters takes linear time and bounded stack",
        arguments: [
            "{\"a\":", "[", "\"", "\"\\", "\"a\":", "\"token\":[", "a=;", ";a=b", "&", "--", "?a=", "https://a@", "%25",
            "\r\n\r\n", "--B\r\n\r\n",
        ])
    func hostile(_ word: String) {
        let body = Data(String(repeating: word, count: 1 << 14).utf8)
        let closure = RedactionRule { _, _ in nil }
        for type in ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=B"] {
            _ = rule.body(body, contentType: type)
            _ = closure.body(body, contentType: type)
        }
    }

    @Test("Random bodies never trap redaction, and are unchanged if they have neither secret names nor URLs")
    func fuzzed() {
        let words = [
            "\"", "\\", "\\u", "{", "}", "[", ":", ",", "a", "=", "&", ";", "%", "--B", "\r\n", " ", "\u{0}", "é",
        ]
        var random = Fuzzing.random(16)
        for _ in 0..<Fuzzing.inputs(3000) {
            let body = Data(
                (0..<Int.random(in: 0...20, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
                    .joined().utf8)
            for type in ["application/json", "application/x-www-form-urlencoded", RedactionCases.form] {
                // Zero bytes may look like UTF-16, which is redacted as a whole.
                if ![body, Data(RedactionRule.mark.utf8)].contains(rule.body(body, contentType: type)) {
                    Issue.record("\(String(decoding: body, as: UTF8.self))")
                }
            }
        }
    }
}
