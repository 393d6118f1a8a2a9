import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Numbers of a `JSON` inside a Codable type keep every digit, read and written.
@Suite("JSON as a member of Codable types")
struct JSONExactnessTests {
    struct One: Codable { var j: JSON }
    struct Nested: Codable {
        var list: [JSON], named: [String: JSON], maybe: JSON?, none: JSON?, deep: [String: [One]], numbered: [Int: JSON]
    }
    enum Shape: Codable { case of(JSON) }
    /// Decoded by `JSONDecoder`, since the tape does not support `Decimal`.
    struct Special: Codable { var d: Decimal, j: JSON }
    /// Codes its value in a single value container.
    struct Wrapped: Codable {
        var j: JSON
        init(from decoder: any Decoder) throws { j = try decoder.singleValueContainer().decode(JSON.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(j)
        }
    }
    /// Decodes its values by hand, through nested containers.
    struct Manual: Codable {
        var values: [JSON] = []
        enum Keys: String, CodingKey { case a, b }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .a)
            while !list.isAtEnd { values.append(try list.decode(JSON.self)) }
            values.append(try container.nestedContainer(keyedBy: Keys.self, forKey: .b).decode(JSON.self, forKey: .a))
            values.append(try JSON(from: try container.superDecoder(forKey: .b)))
        }
        func encode(to encoder: any Encoder) throws {}
    }

    static let numbers = [
        "1e400", "-1E-400", "1.0", "-0.0", "-0", "0.10", "123456789012345678901234567890.123456789012345",
        "1234567890123456789012345678901234567890123456", "18446744073709551615",
        "18446744073709551616", "9223372036854775808", "0.1", "1", "-9223372036854775808", "1.7976931348623157e308",
        "5e-324", "1e22",
    ]

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try StandardJSONDecoder().decode(type, from: Data(text.utf8))
    }
    private func exact(_ text: String) throws -> String { try JSON(parsing: text).description }

    @Test(
        "A number in a JSON member keeps its digits, in any Decodable type",
        arguments: numbers)
    func reading(_ number: String) throws {
        let text = try exact(number)
        #expect(try decode(One.self, #"{"j":\#(number)}"#).j.description == text)
        #expect(try decode([JSON].self, "[1,\(number)]")[1].description == text)
        #expect(try decode(Wrapped.self, number).j.description == text)
        #expect(try decode([Wrapped?].self, "[null,\(number)]")[1]?.j.description == text)
        #expect(try decode(Special.self, #"{"d":1.5,"j":\#(number)}"#).j.description == text)
        #expect(
            try decode(Special.self, #"{"d":1.5,"j":[[\#(number)],{"x":\#(number)}]}"#).j.description
                == #"[[\#(text)],{"x":\#(text)}]"#)
        #expect(try decode([String: JSON].self, #"{"é\n":\#(number)}"#).first?.value.description == text)
        #expect(try decode(Shape.self, #"{"of":{"_0":\#(number)}}"#) == .of(JSON(parsing: number)))
        let nested =
            #"{"list":[\#(number)],"named":{"a":{"b":\#(number)},"é":1},"maybe":\#(number),"none":null,"deep":{"x":[{"j":[\#(number)]}]},"numbered":{"7":\#(number)}}"#
        for nested in [nested, nested.replacing("é", with: "e")] {
            let value = try decode(Nested.self, nested)
            #expect(
                [value.list[0], value.named["a"]?.b, value.maybe, value.deep["x"]?[0].j[0], value.numbered[7]].map {
                    $0?.description
                } == Array(repeating: text, count: 5))
            #expect(value.none == nil)
        }
        for name in ["x", "é"] {
            let manual = try decode(Manual.self, #"{"a":[\#(number),[\#(number)]],"b":{"a":\#(number),"\#(name)":0}}"#)
            #expect(
                manual.values.map(\.description) == [
                    text, "[\(text)]", text, try exact(#"{"a":\#(number),"\#(name)":0}"#),
                ])
        }
        #expect(try JSON(parsing: #"{"j":\#(number)}"#).decode(One.self).j.description == text)
    }

    @Test("null, strings and deep nesting in a JSON member are decoded as by JSONDecoder")
    func others() throws {
        #expect(try decode(One.self, #"{"j":null}"#).j.isNull)
        #expect(try decode(Special.self, #"{"d":1,"j":null}"#).j.isNull)
        #expect(try decode(Special.self, #"{"d":1,"j":["1e400",true,{}]}"#).j == ["1e400", true, [:]])
        let deep = String(repeating: "[", count: 200) + "1e400" + String(repeating: "]", count: 200)
        #expect(try decode(One.self, #"{"j":\#(deep)}"#).j.description == deep)
        #expect(throws: DecodingError.self) { try decode(One.self, "{}") }
        #expect(throws: DecodingError.self) { try decode(One.self, #"{"j":1e400"#) }
        #expect(throws: DecodingError.self) { try decode(One.self, #"{"j":tru}"#) }
        let utf16 = try #require(#"{"j":[1,"é"]}"#.data(using: .utf16LittleEndian))
        #expect(try StandardJSONDecoder().decode(One.self, from: utf16).j == [1, "é"])
    }

    @Test(
        "A repeated name in a document has the value that JSONDecoder takes",
        arguments: [#"{"j":1,"j":2}"#, #"{"j":{"a":1,"a":2}}"#, #"{"x":{"y":1,"y":1},"j":1.5}"#])
    func repeatedNames(_ text: String) throws {
        #expect(try decode(One.self, text).j == JSONDecoder().decode(One.self, from: Data(text.utf8)).j)
    }

    /// Decodes other data with an inner decoder that has the outer decoder's userInfo.
    private struct Other: Decodable {
        var j: JSON
        init(from decoder: any Decoder) throws {
            let inner = JSONDecoder()
            if let key = JSONDocument.key { inner.userInfo[key] = decoder.userInfo[key] as? JSONDocument }
            j = try inner.decode(One.self, from: Data(#"{"j":7}"#.utf8)).j
        }
    }

    @Test(
        "A JSONDecoder made inside init(from:) decodes its own data, even with the outer decoder's userInfo",
        arguments: [#"{"j":1,"é":1}"#, #"{"j":[7],"é":1}"#, #"{"j":"7","é":1}"#])
    func innerDecoder(_ text: String) throws {
        #expect(try decode(Other.self, text).j == 7)
    }

    private func encode(_ value: some Encodable & Sendable, _ encoder: JSONParameterEncoder = .json) throws -> String {
        let request = URLRequest(url: .temporaryDirectory)
        return String(decoding: try encoder.encode(value, into: request).httpBody ?? Data(), as: UTF8.self)
    }

    @Test("A number in a JSON member is encoded with its digits, in any Encodable type", arguments: numbers)
    func writing(_ number: String) throws {
        let json = try JSON(parsing: number)
        let text = json.description
        #expect(try encode(One(j: json)) == #"{"j":\#(text)}"#)
        #expect(try encode([json, json]) == "[\(text),\(text)]")
        #expect(try encode(["a": json]) == #"{"a":\#(text)}"#)
        #expect(try encode([nil, json]) == "[null,\(text)]")
        #expect(try encode(Optional(json)) == text)
        #expect(try encode(Shape.of(json)) == #"{"of":{"_0":\#(text)}}"#)
        #expect(try encode(Special(d: 1.5, j: [json]), .json(.sortedKeys)) == #"{"d":1.5,"j":[\#(text)]}"#)
        #expect(try encode(json.decode(Wrapped.self)) == text)
        let nested = Nested(
            list: [json], named: ["b": 1, "a": json], maybe: json, none: nil, deep: ["x": [One(j: [json])]],
            numbered: [7: json])
        #expect(
            try encode(nested, .json(.sortedKeys))
                == #"{"deep":{"x":[{"j":[\#(text)]}]},"list":[\#(text)],"maybe":\#(text),"named":{"a":\#(text),"b":1},"numbered":{"7":\#(text)}}"#
        )
        #expect(JSON(encoding: One(j: json)).j.description == text)
        #expect(try JSON(encoding: One(j: json), using: JSONEncoder()).j.description == text)
    }

    @Test("Output formatting, strategies and userInfo of the JSONEncoder apply to JSON members")
    func options() throws {
        struct Value: Encodable {
            var aName = 1
            var aJSON: JSON = ["xY": [1, ["b": "/", "a": 1e3]], "e": []]
            var date = Date(timeIntervalSince1970: 1)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        let text = """
            {
              "a_json" : {
                "e": [],
                "xY": [
                  1,
                  {
                    "a": 1000.0,
                    "b": "/"
                  }
                ]
              },
              "a_name" : 1,
              "date" : 1
            }
            """
        #expect(try encode(Value(), .json(encoder: encoder)) == text)
        #expect(encoder.userInfo.isEmpty)
    }

    /// Encodes the text of an inner encoder that has the outer encoder's userInfo.
    private struct Inner: Encodable {
        var j: JSON
        func encode(to encoder: any Encoder) throws {
            let inner = JSONEncoder()
            if let key = JSONInsertions.key { inner.userInfo[key] = encoder.userInfo[key] as? JSONInsertions }
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: try inner.encode(["a": j]), as: UTF8.self))
        }
    }

    private final class Subclass: JSONEncoder, @unchecked Sendable {
        override func encode(_ value: some Encodable) throws -> Data { Data("mine".utf8) }
    }

    @Test("The encoded text contains no placeholder for a JSON value, and a string that looks like one is unchanged")
    func placeholders() throws {
        #expect(try encode([Inner(j: 1.5)]) == #"["{\"a\":1.5}"]"#)
        #expect(try encode(["AsyncNet.JSON.x.0"]) == #"["AsyncNet.JSON.x.0"]"#)
        #expect(
            try encode([One(j: "AsyncNet.JSON.x.0"), One(j: JSON([JSON]())["x"])])
                == #"[{"j":"AsyncNet.JSON.x.0"},{"j":null}]"#)
        #expect(try encode(["a": 1], .json(encoder: Subclass())) == "mine")
    }

    @Test(
        "Encoding and decoding 50,000 JSON members takes linear time", .timeLimit(.minutes(5)),
        arguments: [false, true])
    func many(_ isPretty: Bool) throws {
        let values = (0..<50_000).map { One(j: JSON(Double($0))) }
        let text = try encode(values, isPretty ? .json([.prettyPrinted]) : .json)
        #expect(try decode([One].self, text).map(\.j.double) == (0..<50_000).map(Double.init))
        #expect(
            try decode(
                [Special].self, "[" + (0..<20_000).map { "{\"d\":1,\"j\":\($0).0}" }.joined(separator: ",") + "]"
            ).last?.j.description == "19999.0")
    }

    @Test("A number in a JSON member keeps its digits beside a string with unpaired surrogates that is not decoded")
    func invalidNeighbour() throws {
        let number = "123456789012345678901234567890.123456789012345"
        #expect(try decode(One.self, #"{"x":"\uD800 \uDC00\uD800","j":\#(number)}"#).j.description == exact(number))
        #expect(throws: DecodingError.self) { try decode([String: String].self, #"{"x":"\uD800"}"#) }
    }

    @Test("Foundation's coders keep the value of numbers that Decimal holds, and refuse to encode 1e400")
    func foundation() throws {
        #expect(try JSONDecoder().decode(One.self, from: Data(#"{"j":[1.0,0.1,1e30]}"#.utf8)).j == [1, 0.1, 1e30])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(One(j: JSON(parsing: "1e400"))) }
        #expect(String(decoding: try JSONEncoder().encode(One(j: 1.0)), as: UTF8.self) == #"{"j":1}"#)
    }
}

extension JSONExactnessTests.Shape: Equatable {}
