import AsyncNet
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Values whose text was compared with that of Alamofire's `URLEncodedFormEncoder`, by its source and its tests.
@Suite("Forms as Alamofire writes them", .timeLimit(.minutes(5)))
struct AlamofireFormTests {
    typealias Encoder = URLEncodedFormEncoder

    /// A value that encodes itself by a closure.
    struct Manual: Encodable, Sendable {
        let encode: @Sendable (any Swift.Encoder) throws -> Void
        init(_ encode: @escaping @Sendable (any Swift.Encoder) throws -> Void) { self.encode = encode }
        func encode(to encoder: any Swift.Encoder) throws { try encode(encoder) }

        static func keyed(_ encode: @escaping @Sendable (inout KeyedEncodingContainer<AnyKey>) throws -> Void) -> Manual
        {
            Manual { encoder in
                var container = encoder.container(keyedBy: AnyKey.self)
                try encode(&container)
            }
        }
    }

    class Base: Encodable { let base = 1 }

    final class Own: Base {
        enum CodingKeys: CodingKey { case own }

        override func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(2, forKey: .own)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("superEncoder() puts the members of the superclass beside the members of the subclass, at each level")
    func inheritance() throws {
        #expect(try readable(Own(), Encoder()) == "base=1&own=2")
        #expect(try readable(["a": Own()], Encoder()) == "a[base]=1&a[own]=2")
        #expect(try readable(["a": [Own()]], Encoder(arrayEncoding: .indexInBrackets)) == "a[0][base]=1&a[0][own]=2")
    }

    private static let root = AnyKey(stringValue: "root")
    private static let a = AnyKey(stringValue: "a")
    private static let b = AnyKey(stringValue: "b")

    private static let mixtures: [(Manual, String)] = [
        (
            // ManuallyEncodableStruct of Alamofire's tests.
            .keyed { container in
                var keyed = container.nestedContainer(keyedBy: AnyKey.self, forKey: root)
                try keyed.encode(["string": "string"], forKey: a)
                var unkeyed = container.nestedUnkeyedContainer(forKey: root)
                try unkeyed.encode([1, 2, 3])
                var inner = unkeyed.nestedContainer(keyedBy: AnyKey.self)
                try inner.encode(["string": "string"], forKey: a)
                var deep = unkeyed.nestedUnkeyedContainer()
                try deep.encode([1, 2, 3])
            },
            """
            root[][][]=1&root[][][]=2&root[][][]=3&root[][]=1&root[][]=2&root[][]=3&root[][a][string]=string
            """
        ),
        (
            // ManuallyEncodableSubclass of Alamofire's tests.
            .keyed { container in
                let (four, five) = (AnyKey(stringValue: "four"), AnyKey(stringValue: "five"))
                try container.encode([1, 2, 3], forKey: four)
                try container.encode(["a": "a", "b": "b"], forKey: five)
                var above = container.superEncoder().container(keyedBy: AnyKey.self)
                try above.encode("one", forKey: four)
                var named = container.superEncoder(forKey: four).container(keyedBy: AnyKey.self)
                try named.encode(2, forKey: five)
                var unkeyed = container.nestedUnkeyedContainer(forKey: four)
                var last = unkeyed.superEncoder().container(keyedBy: AnyKey.self)
                try last.encode("one", forKey: four)
            },
            "five[a]=a&five[b]=b&four[five]=2&four[four]=one"
        ),
        (
            .keyed { container in
                var list = container.nestedUnkeyedContainer(forKey: a)
                try list.encode(0)
                var keyed = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try keyed.encode(1, forKey: b)
                try list.encode(2)
            }, "a[]=2"
        ),
        (
            .keyed { container in
                try container.encode("text", forKey: a)
                _ = container.nestedUnkeyedContainer(forKey: a)
                _ = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
            }, "a=text"
        ),
        (
            .keyed { container in
                var keyed = container.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try keyed.encode(1, forKey: b)
                var single = container.superEncoder(forKey: a).singleValueContainer()
                try single.encode("text")
            }, "a=text"
        ),
        (
            // The root becomes an array, and an object again when the older container is used.
            Manual { encoder in
                var keyed = encoder.container(keyedBy: AnyKey.self)
                var inner = keyed.nestedContainer(keyedBy: AnyKey.self, forKey: a)
                try inner.encode(1, forKey: b)
                var unkeyed = encoder.unkeyedContainer()
                try unkeyed.encode(2)
                try inner.encode(3, forKey: a)
            }, "a[a]=3"
        ),
    ]

    @Test(
        "If a value fills containers of different kinds, the container filled last is encoded",
        arguments: mixtures.indices)
    func mixed(_ index: Int) throws {
        let (value, expected) = Self.mixtures[index]
        #expect(try readable(value, .alamofire) == expected)
    }

    @Test("Two unkeyed containers for one key are joined, where Alamofire overwrites the first")
    func twoLists() throws {
        let value = Manual.keyed { container in
            var one = container.nestedUnkeyedContainer(forKey: Self.a)
            try one.encode(1)
            var other = container.nestedUnkeyedContainer(forKey: Self.a)
            try other.encode(2)
        }
        #expect(try readable(value, Encoder(arrayEncoding: .indexInBrackets)) == "a[0]=1&a[1]=2")
    }

    @Test("The encoder .alamofire writes dates as seconds since 2001, and sorts encoded pairs and array elements")
    func preset() throws {
        struct Values: Encodable {
            var date = Date(timeIntervalSinceReferenceDate: 23)
            var list = [2, 10, 1], a = 1, a0 = true, data = Data("a?".utf8), none: Int?
            var map = ["z": ["y b"], "b": ["c"]]
        }
        #expect(
            try Encoder.alamofire.encode(Values())
                == "a0=1&a=1&data=YT8%3D&date=23.0&list%5B%5D=1&list%5B%5D=10&list%5B%5D=2&map%5Bb%5D%5B%5D=c&map%5Bz%5D%5B%5D=y%20b"
        )
        var unsorted = Encoder.alamofire
        unsorted.sortsKeys = false
        #expect(try readable(Values(), unsorted).hasPrefix("date=23.0&list[]=2&list[]=10&list[]=1&a=1&a0=1"))
        #expect(try Encoder.alamofire.encode([String: Int]()) == "")
    }

    @Test("Dates are written as in RFC 3339 by default, and as seconds since 2001 by the encoder .alamofire")
    func dates() async throws {
        let value = ["d": Date(timeIntervalSinceReferenceDate: 23)]
        #expect(try Encoder().encode(value) == "d=2001-01-01T00%3A00%3A23Z")
        let request = try URLEncodedFormParameterEncoder(encoder: .alamofire).encode(
            value, into: HTTPRequestHead(url: try "http://a/".asURL()).urlRequest)
        #expect(request.url?.absoluteString == "http://a/?d=23.0")
    }
}
