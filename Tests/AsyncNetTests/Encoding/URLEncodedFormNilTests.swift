import AsyncNet
import Foundation
import Testing

// Synthesized code leaves members that are nil to the container, so every type that has a default of its own there is
// tried.
@Suite("nil in forms", .timeLimit(.minutes(5)))
struct URLEncodedFormNilTests {
    typealias Encoder = URLEncodedFormEncoder

    struct Nothing: Encodable, Sendable {
        var array: [Int?] = [1, nil, 3]
        var dictionary: [String: Page?] = ["none": nil]
        var json: JSON = ["none": nil, "list": [nil]]
        var page = Page()
        var struct_: Page?
    }

    @Test(
        "nil is omitted, empty, null or a closure's text, at each level",
        arguments: [
            (Encoder.NilEncoding.dropKey, "array[0]=1&array[2]=3&page[isLast]=0"),
            (
                .dropValue,
                "array[0]=1&array[1]=&array[2]=3&dictionary[none]=&json[list][0]=&json[none]=&page[isLast]=0&page[size]=&struct_="
            ),
            (
                .null,
                """
                array[0]=1&array[1]=null&array[2]=3&dictionary[none]=null&json[list][0]=null&json[none]=null&page[isLast]=0&page[size]=null\
                &struct_=null
                """
            ),
            (
                .custom { "-" },
                "array[0]=1&array[1]=-&array[2]=3&dictionary[none]=-&json[list][0]=-&json[none]=-&page[isLast]=0&page[size]=-&struct_=-"
            ),
            (.custom { nil }, "array[0]=1&array[2]=3&page[isLast]=0"),
        ])
    func levels(_ encoding: Encoder.NilEncoding, _ expected: String) throws {
        #expect(try readable(Nothing(), Encoder(arrayEncoding: .indexInBrackets, nilEncoding: encoding)) == expected)
    }

    struct Types: Encodable {
        var a: Bool?, b: String?, c: Double?, d: Float?, e: Int?, f: Int8?, g: Int16?, h: Int32?, i: Int64?, j: Int128?
        var k: UInt?, l: UInt8?, m: UInt16?, n: UInt32?, o: UInt64?, p: UInt128?, q: Date?, r: Data?, s: URL?,
            t: Decimal?, u: UUID?
        var v: [Int]?, w: [String: Int]?, x: JSON?, y: Page?
    }

    @Test("A nil member of any type is encoded as nilEncoding says")
    func types() throws {
        let expected = "abcdefghijklmnopqrstuvwxy".map { "\($0)=" }.joined(separator: "&")
        #expect(try Encoder(nilEncoding: .dropValue).encode(Types()) == expected)
        #expect(try Encoder().encode(Types()).isEmpty)
    }

    @Test("An optional member with a value is encoded, whatever its type")
    func present() throws {
        let value = Types(
            a: true, b: "b", c: 1.5, d: 0.1, e: -1, f: -8, g: -16, h: -32, i: .min, j: .max, k: 1, l: 8, m: 16, n: 32,
            o: .max, p: .max,
            q: Date(timeIntervalSinceReferenceDate: 1), r: Data("r".utf8), s: URL(string: "http://s/?q#f"),
            t: Decimal(string: "0.1"),
            u: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), v: [1], w: ["w": 1], x: ["x": 1],
            y: Page(size: 1))
        #expect(
            try readable(value, Encoder()) == """
                a=1&b=b&c=1.5&d=0.1&e=-1&f=-8&g=-16&h=-32&i=-9223372036854775808&j=170141183460469231731687303715884105727&k=1&l=8&m=16&n=32\
                &o=18446744073709551615&p=340282366920938463463374607431768211455&q=2001-01-01T00:00:01Z&r=cg==&s=http://s/?q#f&t=0.1\
                &u=00010203-0405-0607-0809-0A0B0C0D0E0F&v[]=1&w[w]=1&x[x]=1&y[isLast]=0&y[size]=1
                """)
    }
}
