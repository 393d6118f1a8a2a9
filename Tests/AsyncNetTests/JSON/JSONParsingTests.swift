import AsyncNet
import Foundation
import Testing

/// What RFC 8259 allows and forbids, for this library's own parser.
@Suite("JSON parsing", .timeLimit(.minutes(5)))
struct JSONParsingTests {
    @Test(
        "Well-formed documents are parsed",
        arguments: [
            ("null", .null), ("true", true), (" false ", false), ("0", 0), ("-1", -1), ("3.25", 3.25), ("1e3", 1000.0),
            ("-0.0", -0.0), (#""""#, ""), (#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{C}\n\r\t"),
            (#""\u00e9\u4e2d\uD83D\uDE00""#, "é中😀"), ("\"日本語\"", "日本語"), ("[]", []), ("[ ]", []), ("{}", [:]),
            ("{ }", [:]),
            ("[1,[2,[3]]]", [1, [2, [3]]]), (#"{"a":{"b":[true,null]}}"#, ["a": ["b": [true, nil]]]),
            ("\u{FEFF}[1]", [1]), ("\t\r\n [ 1 , 2 ] \n", [1, 2]), (#"{"a":1,"a":2}"#, ["a": 2]),
        ] as [(String, JSON)])
    func wellFormed(_ text: String, _ expected: JSON) throws {
        #expect(try JSON(parsing: text) == expected)
    }

    @Test(
        "A malformed document is an error with the position",
        arguments: [
            "", " ", "nul", "truefalse", "[1,]", "[,1]", "[1 2]", "[1", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{a:1}", "{'a':1}",
            "01", "-", "1.", ".5", "1e", "1e+", "+1", "0x10", "NaN", "Infinity", "\"", "\"a", "\"\\", "\"\\x\"",
            "\"\\u12\"", "\"\\u12G4\"",
            "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\t\"", "\"\n\"", "[1]]", "[1] x", "// c\n1", "]",
            "}", ":", ",", "--1", "1..2",
        ])
    func malformed(_ text: String) {
        let error = #expect(throws: AsyncNetError.self) { try JSON(parsing: text) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("line 1, column") == true || text.contains("\n"))
    }

    @Test(
        "A document that is not UTF-8 is an error",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x80]] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) {
        #expect(AsyncNetError.code { _ = try JSON(data: Data(bytes)) } == .decodingFailed)
    }

    @Test("512 nested levels are parsed, 513 are an error, and a million do not crash")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try JSON(parsing: nested(512)).array != nil)
        #expect(AsyncNetError.code { _ = try JSON(parsing: nested(513)) } == .decodingFailed)
        #expect(
            AsyncNetError.code { _ = try JSON(parsing: String(repeating: "[", count: 1_000_000)) } == .decodingFailed)
        #expect(
            AsyncNetError.code { _ = try JSON(parsing: String(repeating: "{\"a\":", count: 1_000_000)) }
                == .decodingFailed)
    }

    @Test("A parsing error names line and column")
    func position() {
        let error = #expect(throws: AsyncNetError.self) { try JSON(parsing: "{\n  \"a\": 1,\n  \"b\": x\n}") }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("line 3, column 8") == true)
    }

    @Test("Ten thousand random mutations of a document never trap the parser")
    func fuzz() {
        let seed = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,null,{"b":""}],"c":18446744073709551616}"#.utf8)
        var random = SeededRandom(state: 42)
        for _ in 0..<10_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let json = try? JSON(data: Data(bytes)) {
                #expect((try? JSON(data: json.data())) == json)
            }
        }
    }
}
