import AsyncNet
import Foundation
import Testing

/// What the tables of these suites encode.
struct Page: Encodable, Sendable {
    var size: Int?
    var isLast = false
}

struct Search: Encodable, Sendable {
    var text = "a b"
    var tags = ["x", "y"]
    var page: Page? = Page(size: 20)
    var places = ["home": [Page(size: 1), Page(size: nil)]]
}

struct Naming: Encodable, Sendable {
    struct Inner: Encodable, Sendable { var innerKey = 1 }
    var myURLProperty = [Inner()]
    var userID = ["firstName": 1]
}

/// The text before it is escaped, which is easier to read; what the table says has no escapes of its own.
func readable(_ value: some Encodable, _ encoder: URLEncodedFormEncoder) throws -> String {
    let text = try encoder.encode(value)
    return try #require(text.removingPercentEncoding)
}

// One row of expected bytes for each option, each over values nested in arrays, dictionaries and optionals.
@Suite("Form options", .timeLimit(.minutes(5)))
struct URLEncodedFormOptionsTests {
    typealias Encoder = URLEncodedFormEncoder

    @Test(
        "By default keys have brackets, Bool is 1 or 0, nil is omitted, and reserved characters are escaped"
    )
    func defaults() throws {
        let text = try Encoder().encode(Search())
        #expect(
            text == """
                page%5BisLast%5D=0&page%5Bsize%5D=20&places%5Bhome%5D%5B%5D%5BisLast%5D=0&places%5Bhome%5D%5B%5D%5Bsize%5D=1\
                &places%5Bhome%5D%5B%5D%5BisLast%5D=0&tags%5B%5D=x&tags%5B%5D=y&text=a%20b
                """)
    }

    @Test(
        "Array elements are named by arrayEncoding, in nested arrays and arrays of structs too",
        arguments: [
            (Encoder.ArrayEncoding.brackets, "a[]=1&a[]=2&m[][]=3&m[][]=4&m[][]=5&s[][isLast]=0&s[][size]=6"),
            (.noBrackets, "a=1&a=2&m=3&m=4&m=5&s[isLast]=0&s[size]=6"),
            (.indexInBrackets, "a[0]=1&a[1]=2&m[0][0]=3&m[0][1]=4&m[1][0]=5&s[0][isLast]=0&s[0][size]=6"),
            (.custom { "\($0)<\($1)>" }, "a<0>=1&a<1>=2&m<0><0>=3&m<0><1>=4&m<1><0>=5&s<0>[isLast]=0&s<0>[size]=6"),
        ])
    func arrays(_ encoding: Encoder.ArrayEncoding, _ expected: String) throws {
        struct Arrays: Encodable { var a = [1, 2], m = [[3, 4], [5]], s = [Page(size: 6)] }
        #expect(try readable(Arrays(), Encoder(arrayEncoding: encoding)) == expected)
    }

    @Test(
        "boolEncoding makes Bool a number or a word, also in arrays, optionals and JSON values",
        arguments: [
            (Encoder.BoolEncoding.numeric, "a[]=1&a[]=0&j[b]=1&o=1"), (.literal, "a[]=true&a[]=false&j[b]=true&o=true"),
        ])
    func bools(_ encoding: Encoder.BoolEncoding, _ expected: String) throws {
        struct Bools: Encodable { var a = [true, false], o: Bool? = true, j: JSON = ["b": true] }
        #expect(try readable(Bools(), Encoder(boolEncoding: encoding)) == expected)
    }

    @Test(
        "Data is Base64, an array of numbers, or a closure's text, as dataEncoding says",
        arguments: [
            (Encoder.DataEncoding.base64, "a%5B%5D=%2B/8%3D&o%5Bd%5D=%2B/8%3D"),
            (.deferredToData, "a%5B%5D%5B%5D=251&a%5B%5D%5B%5D=255&o%5Bd%5D%5B%5D=251&o%5Bd%5D%5B%5D=255"),
            (.custom { $0.map { String($0, radix: 16) }.joined() }, "a%5B%5D=fbff&o%5Bd%5D=fbff"),
        ])
    func data(_ encoding: Encoder.DataEncoding, _ expected: String) throws {
        struct Datas: Encodable { var a = [Data([0xFB, 0xFF])], o: [String: Data?] = ["d": Data([0xFB, 0xFF])] }
        #expect(try Encoder(dataEncoding: encoding).encode(Datas()) == expected)
    }

    private static let year: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy"
        return formatter
    }()

    @Test(
        "Dates are written as dateEncoding says, and whole seconds and milliseconds have no fraction",
        arguments: [
            (Encoder.DateEncoding.deferredToDate, "a[]=0.0&o=1.5"),
            (.secondsSince1970, "a[]=978307200&o=978307201.5"),
            (.millisecondsSince1970, "a[]=978307200000&o=978307201500"),
            (.iso8601, "a[]=2001-01-01T00:00:00Z&o=2001-01-01T00:00:01Z"),
            (.formatted(year), "a[]=2001&o=2001"),
            (.custom { "\(Int($0.timeIntervalSinceReferenceDate))s" }, "a[]=0s&o=1s"),
        ])
    func dates(_ encoding: Encoder.DateEncoding, _ expected: String) throws {
        struct Dates: Encodable {
            var a = [Date(timeIntervalSinceReferenceDate: 0)]
            var o: Date? = Date(timeIntervalSinceReferenceDate: 1.5)
        }
        #expect(try readable(Dates(), Encoder(dateEncoding: encoding)) == expected)
    }

    @Test(
        "A date in seconds or milliseconds since 1970 is written without a rounding error of Date",
        arguments: [
            (1.001, "1.001", "1001"), (-0.001, "-0.001", "-1"), (1_700_000_000.123, "1700000000.123", "1700000000123"),
            (0.000_001, "1e-06", "0.001"), (0, "0", "0"), (1e15, "1000000000000000", "1000000000000000000"),
        ])
    func milliseconds(_ seconds: Double, _ inSeconds: String, _ inMilliseconds: String) throws {
        let value = ["d": Date(timeIntervalSince1970: seconds)]
        #expect(try Encoder(dateEncoding: .secondsSince1970).encode(value) == "d=\(inSeconds)")
        #expect(try Encoder(dateEncoding: .millisecondsSince1970).encode(value) == "d=\(inMilliseconds)")
    }

    @Test(
        "keyEncoding changes each key of a path, also of a dictionary, and not the brackets",
        arguments: [
            (Encoder.KeyEncoding.useDefaultKeys, "myURLProperty[][innerKey]=1&userID[firstName]=1"),
            (.convertToSnakeCase, "my_url_property[][inner_key]=1&user_id[first_name]=1"),
            (.convertToKebabCase, "my-url-property[][inner-key]=1&user-id[first-name]=1"),
            (.capitalized, "MyURLProperty[][InnerKey]=1&UserID[FirstName]=1"),
            (.uppercased, "MYURLPROPERTY[][INNERKEY]=1&USERID[FIRSTNAME]=1"),
            (.lowercased, "myurlproperty[][innerkey]=1&userid[firstname]=1"),
            (.custom { "<\($0)>" }, "<myURLProperty>[][<innerKey>]=1&<userID>[<firstName>]=1"),
        ])
    func keys(_ encoding: Encoder.KeyEncoding, _ expected: String) throws {
        #expect(try readable(Naming(), Encoder(keyEncoding: encoding)) == expected)
    }

    @Test(
        "convertToSnakeCase splits a key into the same words as JSONEncoder",
        arguments: [
            "simpleOneTwo", "myURL", "singleCharacterAtEndX", "thisIsAnXMLProperty", "single", "", "a", "aA",
            "version4Thing", "partCAPS",
            "partCAPSLowerAGAIN", "asdfĆqer", "already_snake_case", "dataPoint22Word", "_oneTwoThree", "oneTwoThree__",
            "_", "myURL2Go", "x2Y3Z", "École",
        ])
    func words(_ key: String) throws {
        struct Keyed: Encodable {
            let key: String
            func encode(to encoder: any Swift.Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: AnyKey(stringValue: key))
            }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let name = try #require(JSON(data: encoder.encode(Keyed(key: key))).object?.keys.first)
        #expect(try readable([key: 1], Encoder(keyEncoding: .convertToSnakeCase)) == "\(name)=1")
    }

    @Test(
        "An acronym at the start of a key is a word, and a key with separators is unchanged",
        arguments: [
            ("URLPath", "url_path", "url-path"), ("ID", "id", "id"), ("one_Two", "one_two", "one_two"),
            ("one-two", "one-two", "one-two"),
        ])
    func moreWords(_ key: String, _ snake: String, _ kebab: String) throws {
        #expect(try Encoder(keyEncoding: .convertToSnakeCase).encode([key: 1]) == "\(snake)=1")
        #expect(try Encoder(keyEncoding: .convertToKebabCase).encode([key: 1]) == "\(kebab)=1")
    }

    @Test(
        "Keys of a path are joined by keyPathEncoding, and elements keep their brackets",
        arguments: [
            (Encoder.KeyPathEncoding.brackets, "a[b][c]=1&l[][x][y]=2"), (.dots, "a.b.c=1&l[].x.y=2"),
            (.custom { "\($0)->\($1)" }, "a->b->c=1&l[]->x->y=2"),
        ])
    func keyPaths(_ encoding: Encoder.KeyPathEncoding, _ expected: String) throws {
        let value: JSON = ["a": ["b": ["c": 1]], "l": [["x": ["y": 2]]]]
        #expect(try readable(value, Encoder(keyPathEncoding: encoding)) == expected)
    }

    @Test(
        "A space is %20 or a plus sign in keys and values, and a plus sign is escaped",
        arguments: [
            (Encoder.SpaceEncoding.percentEscaped, "a%20b=c%20%2B%20d"), (.plusReplaced, "a+b=c+%2B+d"),
        ])
    func spaces(_ encoding: Encoder.SpaceEncoding, _ expected: String) throws {
        #expect(try Encoder(spaceEncoding: encoding).encode(["a b": "c + d"]) == expected)
    }
}

struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
