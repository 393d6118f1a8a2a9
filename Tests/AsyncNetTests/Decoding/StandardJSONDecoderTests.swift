import Foundation
import Testing

@testable import AsyncNet

/// Values and errors are compared with those of `JSONDecoder`.
@Suite("Standard JSON decoder")
struct StandardJSONDecoderTests {
    struct Everything: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var name: String
            var numbers: [Int]
            var more: [Inner]?
        }

        enum Kind: String, Codable { case one, two }
        enum Shape: Codable, Equatable {
            case circle(radius: Double)
            case square(side: Int)
        }

        var string: String
        var int: Int
        var double: Double
        var bool: Bool
        var optional: Int?
        var date: Date
        var kind: Kind
        var inner: Inner
        var list: [Inner]
        var dictionary: [String: Double]
        var matrix: [[Int8]]
        var optionals: [String?]
        var shape: Shape
        var float: Float
        var unsigned: UInt64
    }

    struct Special: Codable, Equatable {
        var data: Data
        var url: URL
        var decimal: Decimal
    }

    /// Ignores a decoding error, which must not hide that the tape did not support the value.
    struct Forgiving: Decodable, Equatable {
        var value: Int

        enum Keys: CodingKey { case value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            value = (try? container.decode(Int.self, forKey: .value)) ?? -1
        }
    }

    /// Decodes by hand, through every kind of container.
    struct Manual: Decodable, Equatable {
        var text: String
        var path: [String]

        enum Keys: String, CodingKey { case a, b, missing }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            var list = try container.nestedUnkeyedContainer(forKey: .a)
            var parts: [String] = []
            while !list.isAtEnd {
                if try list.decodeNil() {
                    parts.append("nil")
                    continue
                }
                let index = list.currentIndex
                if var inner = try? list.nestedUnkeyedContainer() {
                    parts.append("\(index):\(try inner.decode(String.self))")
                    continue
                }
                let nested = try list.nestedContainer(keyedBy: Keys.self)
                parts.append("\(index)=\(try nested.decode(Int.self, forKey: .b))")
            }
            let keys = container.allKeys.map(\.rawValue).sorted()
            let missing = try container.decodeIfPresent(Int.self, forKey: .missing)
            text = (parts + keys + ["\(container.contains(.missing)) \(missing as Any) \(list.count as Any)"]).joined(
                separator: ",")
            path = (decoder.codingPath + list.codingPath).map(\.stringValue)
        }
    }

    private func same<Value: Decodable & Equatable>(
        _ type: Value.Type, _ text: String, _ location: SourceLocation = #_sourceLocation
    ) {
        same(type, Data(text.utf8), location)
    }

    private func same<Value: Decodable & Equatable>(
        _ type: Value.Type, _ data: Data, _ location: SourceLocation = #_sourceLocation
    ) {
        let own = Result { try StandardJSONDecoder().decode(type, from: data) }
        let foundations = Result { try JSONDecoder().decode(type, from: data) }
        switch (own, foundations) {
        case (.success(let one), .success(let other)): #expect(one == other, sourceLocation: location)
        case (.failure(let one), .failure(let other)): #expect("\(one)" == "\(other)", sourceLocation: location)
        default:
            Issue.record(
                "\(own) is not \(foundations) for \(String(decoding: data.prefix(200), as: UTF8.self))",
                sourceLocation: location)
        }
    }

    private static let sample = """
        {"string":"a\\u00e9\\n\\"€😀","int":-42,"double":0.1,"bool":true,"optional":null,"date":12.5,"kind":"two",
         "inner":{"name":"x","numbers":[1,2,3],"more":[{"name":"y","numbers":[]}]},"list":[{"numbers":[1],"name":"z"}],
         "dictionary":{"b":1,"a":2.5e3},"matrix":[[1,-2],[],[127]],"optionals":["a",null],"shape":{"circle":{"radius":1.5}},"float":3.4,"unsigned":18446744073709551615}
        """

    @Test("A document with every kind of value, and copies with one fault each, are decoded as by JSONDecoder")
    func everything() {
        same(Everything.self, Self.sample)
        for (what, instead) in [
            ("-42", "\"x\""), ("-42", "1.0"), ("-42", "1.5"), ("-42", "1e2"), ("-42", "-0"),
            ("-42", "99999999999999999999"), ("0.1", "1"), ("0.1", "\"1\""), ("0.1", "1e400"),
            ("true", "1"), ("127", "128"), ("\"two\"", "\"three\""), ("null,\"date\"", "7,\"date\""),
            ("\"bool\"", "\"pool\""), ("12.5", "\"now\""), ("\"circle\"", "\"line\""),
            ("[1,2,3]", "{}"), ("{\"name\":\"x\"", "[\"name\""), ("]}", "]"), ("\"b\":1", "\"b\":1,\"b\":2"),
            ("\"b\"", "\"\\u0062\""), ("1.5", "01.5"), ("\"z\"", "null"),
        ] {
            same(Everything.self, Self.sample.replacingOccurrences(of: what, with: instead))
        }
    }

    @Test("JSONTape decodes a supported document without giving up")
    func plainness() throws {
        let plain = try #require(
            JSONTape(text: Self.sample.replacingOccurrences(of: "18446744073709551615", with: "5")))
        _ = try plain.decode(Everything.self, at: 0)
        #expect(!plain.hasGivenUp)
    }

    @Test("Data, URL, Decimal and Date are decoded as by JSONDecoder")
    func special() {
        same(Special.self, #"{"data":"aGk=","url":"https://a.b/c?d","decimal":1.10000000000000000001}"#)
        same(Special.self, #"{"data":[1,2],"url":"","decimal":"1"}"#)
        same([Date].self, "[0, -1.5, 1e3]")
        same([URL].self, #"["x"]"#)
    }

    @Test(
        "Hand-written init(from:) decodes as with JSONDecoder",
        arguments: [
            #"{"a":[null,{"b":1},["x"],null],"b":2}"#, #"{"a":[]}"#, #"{"b":1}"#, #"{"a":[1]}"#, #"{"a":null}"#, "[]",
            "{}",
        ])
    func manual(_ text: String) { same(Manual.self, text) }

    @Test(
        "A type that catches decoding errors is decoded as by JSONDecoder",
        arguments: ["1", "1.0", "1e1", "\"x\"", "null", "9223372036854775808", "[]"])
    func forgiving(_ value: String) { same(Forgiving.self, "{\"value\":\(value)}") }

    @Test(
        "Numbers of every form decode as with JSONDecoder",
        arguments: [
            "0", "-0", "0.0", "-0.0", "1", "-1", "0.1", "0.30000000000000004", "123456789012345", "1234567890123456",
            "9007199254740993", "9223372036854775807", "-9223372036854775808",
            "1.7976931348623157e308", "5e-324", "2.2250738585072014E-308", "0.1e-2", "1E5", "1e-400", "1e39", "-1e-50",
            "0.00000000000000000000001", "16777217", "12345678901234567890", "3.141592653589793", "100000000000000.5",
            "999999999999999.9", "1.", ".5", "+1", "01", "1e", "0x1",
        ])
    func numbers(_ text: String) {
        same([Double].self, "[\(text)]")
        same([Float].self, "[\(text)]")
        same([Int].self, "[\(text)]")
        same([UInt8].self, "[\(text)]")
        same([Int64].self, "[\(text)]")
        same(Double.self, text)
    }

    @Test(
        "Invalid and unusual documents are decoded as by JSONDecoder",
        arguments: [
            "", " ", "nul", "null", "tru", "true", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "[1 2]", "[1]x",
            "\"\\x\"", "\"\\ud800\"", "\"a", "[\"\u{1}\"]", "\u{FEFF}[\"x\"]", "[[[[", "]", "\"\"",
            " [ \"a\" , \"b\" ] \n",
        ])
    func documents(_ text: String) {
        same([String].self, text)
        same(String?.self, text)
        same([String: Int].self, text)
        same(Bool.self, text)
    }

    @Test("Bytes that are not UTF-8, and other encodings, are decoded as by JSONDecoder")
    func encodings() throws {
        same([String].self, Data([0x5B, 0x22, 0xFF, 0x22, 0x5D]))
        same([String].self, try #require("[\"x\"]".data(using: .utf16)))
        same([String].self, try #require("[\"x\"]".data(using: .utf32LittleEndian)))
    }

    @Test("Documents nested to any depth are decoded as by JSONDecoder", arguments: [10, 99, 100, 101, 500, 600])
    func nesting(_ depth: Int) {
        struct Nest: Codable, Equatable { var inside: [Nest] }
        same(
            Nest.self, String(repeating: "{\"inside\":[", count: depth / 2) + String(repeating: "]}", count: depth / 2))
    }

    @Test("Dictionaries with many or repeated names decode as with JSONDecoder")
    func dictionaries() {
        let members = (0..<100).map { "\"k\($0 * 7 % 100)\":\($0)" }
        same([String: Int].self, "{\(members.joined(separator: ","))}")
        same([String: Int].self, "{\((members + members).joined(separator: ","))}")
        same([Int: String].self, #"{"1":"a","x":"b"}"#)
    }

    @Test("Documents with a random byte changed, cut off or doubled are decoded as by JSONDecoder")
    func mutations() {
        var random = SeededRandom(state: 7)
        let original = Array(Self.sample.utf8)
        for _ in 0..<3000 {
            var bytes = original
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
            }
            same(Everything.self, Data(bytes))
        }
    }

    @Test("A decoder that a value keeps can be used later")
    func kept() throws {
        struct Keeper: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        let keeper = try StandardJSONDecoder().decode(Keeper.self, from: Data(#"{"a":"b"}"#.utf8))
        #expect(try [String: String](from: keeper.decoder) == ["a": "b"])
    }

    struct Accented: Decodable, Equatable {
        var value: Int?
        enum Keys: String, CodingKey { case value = "e\u{301}" }
        init(from decoder: any Decoder) throws {
            value = try decoder.container(keyedBy: Keys.self).decodeIfPresent(Int.self, forKey: .value)
        }
    }

    struct Path: Decodable, Equatable {
        var path: [String]
        init(from decoder: any Decoder) throws {
            path = decoder.codingPath.map { "\($0.stringValue) \($0.intValue as Any)" }
        }
    }

    @Test("Names equal only after normalization, invalid names and coding paths decode as with JSONDecoder")
    func names() {
        for text in ["{\"\u{E9}\":1}", "{\"e\u{301}\":1}", "{\"\u{E9}\":1,\"e\u{301}\":2}", "{}", "{\"e\":1}"] {
            same(Accented.self, text)
            same([String: Int].self, text)
        }
        same([String: Int].self, Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]))
        for text in [#"{"a":"\u12"}"#, #"{"a":"\u12G4"}"#, #"{"a":"\x"}"#, #"{"a":"\u0041"}"#, #"{"a":"\"}"#] {
            same([String: NoContent].self, text)
        }
        same([Int: Path].self, #"{"5":{},"7":{}}"#)
        same([String: [Path]].self, #"{"a":[{},{}]}"#)
    }
}

extension JSONTape {
    /// Makes a tape of a text whose bytes are never freed.
    convenience init?(text: String) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        self.init(UnsafeBufferPointer(bytes))
    }
}
