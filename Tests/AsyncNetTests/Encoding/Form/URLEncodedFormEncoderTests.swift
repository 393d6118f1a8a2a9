import AsyncNet
import Foundation
import Testing

@Suite("Form structure", .timeLimit(.minutes(5)))
struct URLEncodedFormEncoderTests {
    typealias Encoder = URLEncodedFormEncoder

    // MARK: Order

    @Test("Members are sorted by the bytes of their names at every level; elements of arrays keep their order")
    func sorted() throws {
        let value: JSON = ["b": [10, 2, 1], "a": ["z": 1, "é": 2, "Z": 3, "zz": 4, "ſ": 5, "": 6], "a0": 1, "B": 1]
        let expected = "B=1&a[]=6&a[Z]=3&a[z]=1&a[zz]=4&a[é]=2&a[ſ]=5&a0=1&b[]=10&b[]=2&b[]=1"
        for _ in 0..<5 { #expect(try readable(value, Encoder()) == expected) }
    }

    @Test("Members are sorted by their encoded names, and members with the same encoded name by their keys")
    func sortedByName() throws {
        struct Names: Encodable { var b = 1, c = 2, a = 3, B = 4 }
        #expect(try Encoder(keyEncoding: .custom { $0 == "a" ? "z" : $0 }).encode(Names()) == "B=4&b=1&c=2&z=3")
        #expect(try Encoder(keyEncoding: .uppercased).encode(Names()) == "A=3&B=4&B=1&C=2")
    }

    @Test("With sortsKeys off, members are in the order in which they were encoded")
    func unsorted() throws {
        struct Names: Encodable { var c = 1, a = Page(size: 1), b = [2, 1] }
        #expect(try readable(Names(), Encoder(sortsKeys: false)) == "c=1&a[size]=1&a[isLast]=0&b[]=2&b[]=1")
    }

    // MARK: Shapes

    @Test("Empty structs, dictionaries and arrays are omitted")
    func empty() throws {
        struct Empty: Encodable {}
        struct Holder: Encodable {
            var a: [Int] = [], b: [String: Int] = [:], c = Empty(), d: JSON = [], e: JSON = [:], f = [[Int]]()
        }
        #expect(try Encoder().encode(Empty()) == "")
        #expect(try Encoder().encode([String: Int]()) == "")
        #expect(try Encoder().encode([:] as JSON) == "")
        #expect(try Encoder(nilEncoding: .null).encode(Holder()) == "")
    }

    @Test("Keys may be integers or empty")
    func keys() throws {
        #expect(try Encoder().encode([10: "a", 9: "b"]) == "10=a&9=b")
        #expect(try readable(["": ["": 1]], Encoder()) == "[]=1")
    }

    struct Tree: Encodable, Sendable {
        enum Kind: String, Encodable { case leaf, twig }
        var kind = Kind.twig
        var children: [String: [Tree?]] = [:]
    }

    @Test("A recursive type is encoded down to its leaves")
    func tree() throws {
        let tree = Tree(children: ["x": [Tree(children: ["y": [Tree(kind: .leaf)]]), nil, Tree(kind: .leaf)]])
        #expect(
            try readable(tree, Encoder(arrayEncoding: .indexInBrackets)) == """
                children[x][0][children][y][0][kind]=leaf&children[x][0][kind]=twig&children[x][2][kind]=leaf&kind=twig
                """)
    }

    class Base: Encodable {
        let id = 1
    }

    final class Derived: Base {
        enum CodingKeys: CodingKey { case name, list, parent }

        override func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("n", forKey: .name)
            try super.encode(to: container.superEncoder())
            try super.encode(to: container.superEncoder(forKey: .parent))
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(0)
            try super.encode(to: list.superEncoder())
            try super.encode(to: encoder)
        }
    }

    @Test("A superclass is encoded with its subclass, as an element or as a named member")
    func superclass() throws {
        let expected = "id=1&list[id]=1&name=n&parent[id]=1"
        #expect(try readable(Derived(), Encoder(arrayEncoding: .indexInBrackets)) == expected)
    }

    struct Interleaved: Encodable {
        func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            var one = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "one"))
            var two = container.nestedUnkeyedContainer(forKey: AnyKey(stringValue: "two"))
            try one.encode(1, forKey: AnyKey(stringValue: "a"))
            try two.encode(2)
            var again = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "one"))
            try again.encode(3, forKey: AnyKey(stringValue: "b"))
            try two.encodeNil()
            var inner = two.nestedContainer(keyedBy: AnyKey.self)
            try inner.encode(4, forKey: AnyKey(stringValue: "c"))
            var deep = two.nestedUnkeyedContainer()
            try deep.encode(5)
            try container.encode("old", forKey: AnyKey(stringValue: "three"))
            try container.encode("new", forKey: AnyKey(stringValue: "three"))
        }
    }

    @Test("Nested containers may be filled alternately, and the last value for a key is encoded")
    func interleaved() throws {
        let expected = "one[a]=1&one[b]=3&two[0]=2&two[1]=-&two[2][c]=4&two[3][0]=5&three=new"
        let encoder = Encoder(arrayEncoding: .indexInBrackets, nilEncoding: .custom { "-" }, sortsKeys: false)
        #expect(try readable(Interleaved(), encoder) == expected)
    }

    struct Located: Encodable {
        static let key = CodingUserInfoKey(rawValue: "unit")

        func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.singleValueContainer()
            let unit = Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "none"
            try container.encode("\(unit) at \(encoder.codingPath.map(\.stringValue).joined(separator: "/"))")
        }
    }

    @Test("The Encoder passed to encode(to:) has the form encoder's userInfo and the coding path")
    func userInfo() throws {
        let key = try #require(Located.key)
        #expect(try readable(["a": [Located()]], Encoder(userInfo: [key: "km"])) == "a[]=km at a/0")
        #expect(try readable(["a": Located()], Encoder()) == "a=none at a")
    }

    // MARK: JSON

    @Test("Numbers of untyped JSON keep all digits, in optionals and containers too")
    func json() throws {
        let text = #"""
            {"n":123456789012345678901234567890123456789012345678901,"e":1e400,"d":0.1000000000000000055511151231257827,
            "i":18446744073709551615,"f":1.0,"z":-0}
            """#
        let json = try JSON(parsing: text)
        let expected = """
            d=0.1000000000000000055511151231257827&e=1e400&f=1.0&i=18446744073709551615\
            &n=123456789012345678901234567890123456789012345678901&z=-0.0
            """
        #expect(try Encoder().encode(json) == expected)
        #expect(try Encoder().encode(Optional(json)) == expected)
        let prefixed = expected.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=")
            return "a[\(parts[0])]=\(parts[1])"
        }.joined(separator: "&")
        #expect(try readable(["a": json], Encoder()) == prefixed)
        #expect(
            try Encoder(arrayEncoding: .noBrackets).encode(["a": [json["n"]]])
                == "a=123456789012345678901234567890123456789012345678901")
    }

    @Test("A Decimal is encoded with all digits, and a Float with as few digits as identify it")
    func numbers() throws {
        let decimal = try #require(Decimal(string: "12345678901234567890.123456789"))
        #expect(try Encoder().encode(["d": decimal]) == "d=12345678901234567890.123456789")
        #expect(try Encoder().encode(["f": Float(0.1)]) == "f=0.1")
        #expect(try Encoder().encode(["d": 1e16, "e": 1, "f": -0.5]) == "d=1e%2B16&e=1.0&f=-0.5")
        #expect(
            try Encoder().encode(["i": [Int128.min], "j": [-1]])
                == "i%5B%5D=-170141183460469231731687303715884105728&j%5B%5D=-1")
    }
}
