import AsyncNet
import Foundation
import Testing

@Suite("Form escaping", .timeLimit(.minutes(5)))
struct URLEncodedFormEscapingTests {
    typealias Encoder = URLEncodedFormEncoder

    private static let punctuation = ##" !"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"##

    @Test(
        "ASCII punctuation is escaped unless the escaping keeps it",
        arguments: [
            (Encoder(), "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C-./%3A%3B%3C%3D%3E?%40%5B%5C%5D%5E_%60%7B%7C%7D~"),
            (
                Encoder(spaceEncoding: .plusReplaced, escaping: .whatwg),
                "+%21%22%23%24%25%26%27%28%29*%2B%2C-.%2F%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E_%60%7B%7C%7D%7E"
            ),
            (
                Encoder(escaping: .init(keeping: "[]")),
                "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2D%2E%2F%3A%3B%3C%3D%3E%3F%40[%5C]%5E%5F%60%7B%7C%7D%7E"
            ),
        ])
    func punctuation(_ encoder: Encoder, _ expected: String) throws {
        #expect(try encoder.encode([Self.punctuation: Self.punctuation]) == "\(expected)=\(expected)")
    }

    @Test(
        "Letters and digits are not escaped, and other characters are escaped as UTF-8",
        arguments: [
            ("azAZ09", "azAZ09"), ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"), ("👩‍🚀", "%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80"),
            ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"),
            ("\r\n", "%0D%0A"), ("\0\t\u{7F}", "%00%09%7F"), ("\"'", "%22%27"), ("%2B", "%252B"), ("", ""),
        ])
    func text(_ text: String, _ expected: String) throws {
        for escaping in [Encoder.Escaping.rfc3986, .whatwg] {
            #expect(try Encoder(escaping: escaping).encode(["k": text]) == "k=\(expected)")
            #expect(try Encoder(escaping: escaping).encode([text: "v"]) == "\(expected)=v")
        }
    }

    @Test("Characters with a meaning in forms are escaped even if the escaping keeps them")
    func never() throws {
        let encoder = Encoder(escaping: .init(keeping: "%&=+# \r\n\0é" + Self.punctuation))
        #expect(try encoder.encode(["a&b": "c=d%+# \r\n\0é!"]) == "a%26b=c%3Dd%25%2B%23%20%0D%0A%00%C3%A9!")
    }

    @Test("Encoded keys and values are decoded by Foundation")
    func roundTrip() throws {
        let value = Self.punctuation + "日本語 👩‍🚀 \r\n"
        var components = URLComponents()
        components.percentEncodedQuery = try Encoder().encode([value: value])
        #expect(components.queryItems == [URLQueryItem(name: value, value: value)])
    }

    @Test("Keys and values of 20,000 characters are encoded whole")
    func long() throws {
        let key = String(repeating: "k", count: 20_000), value = String(repeating: "ü", count: 20_000)
        let encoded = String(repeating: "%C3%BC", count: 20_000)
        #expect(try Encoder().encode([key: [value]]) == "\(key)%5B%5D=\(encoded)")
    }

    /// What this thread has computed so far: what else the machine does meanwhile does not count.
    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("Encoding 10,000 pairs takes less than 30 times as long as encoding 1,000")
    func linear() throws {
        func time(_ count: Int, times: Int) throws -> Double {
            let array = ["a": (0..<count).map { Page(size: $0) }]
            let dictionary = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", "\($0)") })
            let start = threadTime()
            for _ in 0..<times {
                #expect(try Encoder().encode(array).utf8.count { $0 == UInt8(ascii: "&") } == 2 * count - 1)
                #expect(try Encoder().encode(dictionary).utf8.count { $0 == UInt8(ascii: "&") } == count - 1)
            }
            return threadTime() - start
        }
        let (few, many) = (try time(1000, times: 5), try time(10_000, times: 1))
        #expect(many < few * 6, "\(few) s for five times 1,000, \(many) s for 10,000")
    }
}
