import AsyncNet
import Foundation
import Testing

@Suite("JSON values", .timeLimit(.minutes(5)))
struct JSONValueTests {
    let json: JSON = [
        "name": "Ada", "count": 3, "rate": 2.5, "ok": true, "none": nil, "tags": ["a", "b"],
        "address": ["geo": ["lat": 51.5], "lines": ["one", "two"]],
    ]

    @Test("Members, elements and key paths are read, and wrong ones give nil")
    func access() {
        #expect(json.name.string == "Ada")
        #expect(json.count.int == 3)
        #expect(json.rate.double == 2.5)
        #expect(json.ok.bool == true)
        #expect(json["tags"][0].string == "a")
        #expect(json.tags[2].string == nil)
        #expect(json.tags[-1].exists == false)
        #expect(json.address.geo.lat.double == 51.5)
        #expect(json[keyPath: "address.geo.lat"].double == 51.5)
        #expect(json[keyPath: "address.lines.1"].string == "two")
        #expect(json[keyPath: "address.nowhere.1"].string == nil)
        #expect(json.nowhere.at.all[3].string == nil)
        #expect(json.name.int == nil)
        #expect(json.array == nil)
        #expect(json.object?.count == 7)
    }

    @Test("An explicit null exists, a missing member does not")
    func nulls() {
        #expect(json.none.isNull)
        #expect(json.none.exists)
        #expect(!json.nowhere.isNull)
        #expect(!json.nowhere.exists)
        #expect(JSON.null.description == "null")
    }

    @Test("Members and elements can be set, added and removed")
    func setting() {
        var json: JSON = [:]
        json.a.b = 1
        json.list = []
        json.list[0] = "x"
        json.list[5] = "ignored"
        #expect(json == ["a": ["b": 1], "list": ["x"]])
        json.a = json.nowhere
        #expect(json == ["list": ["x"]])
        json.list = nil
        #expect(json == ["list": nil])
    }

    @Test(
        "Integers up to 64 bits are exact, and longer numbers keep all digits",
        arguments: [
            "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
            "18446744073709551616",
            "123456789012345678901234567890", "3.14159265358979323846264338327950288", "0.1", "1.7976931348623157e+308",
            "1e400", "-1E-400",
            "12345678901234567.25", "0.30000000000000004", "100000000000000000000",
        ])
    func exactNumbers(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(json.description == text)
        #expect(try JSON(parsing: json.description) == json)
        #expect(Set([json, try JSON(parsing: text)]).count == 1)
    }

    @Test("A typed accessor gives a number only if it fits")
    func numberAccess() throws {
        #expect(try JSON(parsing: "9223372036854775807").int64 == .max)
        #expect(try JSON(parsing: "9223372036854775808").int64 == nil)
        #expect(try JSON(parsing: "18446744073709551615").uint64 == .max)
        #expect(try JSON(parsing: "-1").uint64 == nil)
        #expect(try JSON(parsing: "2.0").int == 2)
        #expect(try JSON(parsing: "2.5").int == nil)
        #expect(try JSON(parsing: "1e400").double == nil)
        #expect(
            try JSON(parsing: "123456789012345678901234567890").decimal
                == Decimal(string: "123456789012345678901234567890"))
        #expect(
            try JSON(parsing: "3.14159265358979323846264338327950288").decimal
                == Decimal(string: "3.14159265358979323846264338327950288"))
    }

    @Test(
        "Numbers are equal and have the same hash if their values are equal",
        arguments: [
            ("1", "1.0", true), ("1", "1e0", true), ("100", "1e2", true), ("0", "-0", true), ("0.5", "5e-1", true),
            ("1", "1.5", false),
            ("18446744073709551616", "18446744073709551616", true),
            ("18446744073709551616", "18446744073709551617", false),
            ("1e20", "100000000000000000000", true), ("9007199254740993", "9007199254740992.0", false),
            ("1e400", "10e399", true),
            ("-1", "1", false), ("0.1", "0.10", true), ("18446744073709551615", "18446744073709551615.0", true),
            ("1e99999999999999999999", "1", false), ("1e99999999999999999999", "1e99999999999999999998", false),
            ("1e-99999999999999999999", "0", false),
            ("9223372036854775000.0", "9223372036854775000", true),
            ("9223372036854775000.0", "9223372036854774784", false),
        ])
    func numberEquality(_ one: String, _ other: String, _ areEqual: Bool) throws {
        let (one, other) = (try JSON(parsing: one), try JSON(parsing: other))
        #expect((one == other) == areEqual)
        #expect((other == one) == areEqual)
        if areEqual { #expect(one.hashValue == other.hashValue) }
    }

    @Test("NaN and infinities become null")
    func notFinite() {
        #expect(JSON(Double.nan).isNull)
        #expect(JSON(Double.infinity).isNull)
    }

    @Test("JSON text is escaped, and sorted and indented as the options say")
    func writing() {
        let json: JSON = ["b": [1, "\"\\\n\u{1}é/"], "a": [:], "c": []]
        #expect(json.description == #"{"a":{},"b":[1,"\"\\\n\u0001é/"],"c":[]}"#)
        let pretty = String(decoding: json.data(options: [.sortedKeys, .prettyPrinted]), as: UTF8.self)
        #expect(pretty == "{\n  \"a\": {},\n  \"b\": [\n    1,\n    \"\\\"\\\\\\n\\u0001é/\"\n  ],\n  \"c\": []\n}")
    }

    struct User: Codable, Equatable {
        var id: Int
        var name: String?
    }

    @Test("Encodable values become JSON, and JSON becomes Decodable values")
    func coding() throws {
        let user = User(id: 1, name: "Ada")
        #expect(JSON(encoding: user) == ["id": 1, "name": "Ada"])
        #expect(try JSON(encoding: user).decode(User.self) == user)
        let error = #expect(throws: AsyncNetError.self) { try JSON(["id": "x"]).decode(User.self) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("id is not Int") == true)
    }

    @Test("An error of encode(to:) gives null without an encoder, and encodingFailed with one")
    func encodingFailure() {
        struct Broken: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        #expect(JSON(encoding: Broken()).isNull)
        #expect(AsyncNetError.code { _ = try JSON(encoding: Broken(), using: JSONEncoder()) } == .encodingFailed)
    }

    @Test("JSON is unchanged after encoding and decoding with Foundation's coders")
    func codable() throws {
        let json: JSON = ["a": [1, -2.5, true, nil, "x"], "big": 18_446_744_073_709_551_615, "o": [:]]
        let data = try JSONEncoder().encode(json)
        #expect(try JSONDecoder().decode(JSON.self, from: data) == json)
        #expect(try JSON(data: data) == json)
    }

    @Test(
        "A number that Decimal cannot hold fails in JSONEncoder, and is exact in JSON.description",
        arguments: ["1e400", "1e-400", "123456789012345678901234567890123456789012345678901"])
    func beyondDecimal(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([json]) }
        #expect(JSON([json]).description == "[\(text)]")
    }

    @Test(
        "A merge patch gives the results of RFC 7396 Appendix A",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#), (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
            (#"{"a":"foo"}"#, "null", "null"),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
            ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ])
    func mergePatch(_ target: String, _ patch: String, _ result: String) throws {
        var merged = try JSON(parsing: target)
        merged.merge(try JSON(parsing: patch))
        #expect(try merged == JSON(parsing: result))
    }
}
