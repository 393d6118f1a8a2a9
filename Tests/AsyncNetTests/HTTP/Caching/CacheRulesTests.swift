import Foundation
import Testing

@testable import AsyncNet

@Suite("Storing and invalidating responses")
struct CacheRulesTests {
    @Test(
        "Status and Cache-Control decide whether a response is stored (RFC 9111 §3)",
        arguments: [
            (200, "", true), (204, "", true), (404, "", true), (501, "", true), (301, "", true), (308, "", true),
            (302, "", false), (302, "max-age=1", true), (302, "private", true), (302, "public", true),
            (500, "", false), (500, "max-age=1", true), (206, "max-age=1", true), (206, "", true),
            (416, "max-age=1", false), (304, "max-age=1", false),
            (401, "max-age=1", false), (407, "max-age=1", false),
            (100, "max-age=1", false), (599, "max-age=1", true), (599, "max-age=1, must-understand", false),
            (200, "no-store", false), (200, "max-age=1, no-store", false), (200, "no-store, must-understand", true),
            (200, "No-Store", false), (200, "no-cache", true), (200, "private", true), (200, "x=\"no-store\"", true),
        ])
    func stores(_ status: Int, _ control: String, _ expected: Bool) {
        let headers: HTTPHeaders = control.isEmpty ? [:] : ["Cache-Control": control]
        #expect(CacheRules.mayStore(status, headers) == expected)
    }

    @Test(
        "A successful unsafe method invalidates its URL, Location and Content-Location (RFC 9111 §4.4)",
        arguments: [
            ("POST", 200, [:], ["http://a/x"]), ("PUT", 204, [:], ["http://a/x"]), ("DELETE", 302, [:], ["http://a/x"]),
            ("X-METHOD", 200, [:], ["http://a/x"]), ("POST", 404, [:], []), ("POST", 500, [:], []),
            ("GET", 200, [:], []), ("OPTIONS", 200, [:], []), ("QUERY", 200, [:], []),
            ("POST", 201, ["Location": "/y"], ["http://a/x", "http://a/y"]),
            ("POST", 201, ["Content-Location": "z"], ["http://a/x", "http://a/z"]),
            ("POST", 201, ["Location": "http://b/y"], ["http://a/x"]),
            ("POST", 201, ["Location": "https://a/y"], ["http://a/x"]),
        ] as [(String, Int, [String: String], [String])])
    func invalidates(_ method: String, _ status: Int, _ headers: [String: String], _ expected: [String]) {
        let request = CacheRequest.get(method: HTTPMethod(rawValue: method))
        let head = HTTPResponseHead(statusCode: status, url: request.url, headers: HTTPHeaders(headers))
        #expect(CacheRules.invalidated(by: head, to: request).map(\.absoluteString) == expected)
    }
}

@Suite("Variants of a stored response")
struct CacheVariantTests {
    @Test(
        "A variant matches a request whose headers named in Vary are equal as lists (RFC 9111 §4.1)",
        arguments: [
            ("A", ["A": "1"], ["A": "1"], true), ("A", ["A": "1"], ["A": "2"], false), ("A", ["A": "1"], [:], false),
            ("A", [:], [:], true), ("A", [:], ["A": ""], false), ("a, B", ["A": "1"], ["A": "1", "b": "2"], false),
            ("A", ["A": "1, 2"], ["A": "1,2"], true), ("A", ["A": "1,2"], ["A": "2,1"], false),
            ("A", ["A": "x"], ["A": "X"], false), ("A", ["A": "\"1, 2\""], ["A": "\"1,2\""], false),
            ("A", ["A": "\"1, 2\", 3"], ["A": "\"1, 2\",3"], true),
            ("Accept-Language", ["Accept-Language": "en, DE"], ["Accept-Language": "EN,de"], true),
            ("Accept-Language", ["Accept-Language": "en, de"], ["Accept-Language": "de, en"], false),
            ("", ["A": "1"], ["A": "2"], true),
        ] as [(String, [String: String], [String: String], Bool)])
    func matches(_ vary: String, _ first: [String: String], _ second: [String: String], _ expected: Bool) throws {
        let variant = try #require(CacheVariant(of: ["Vary": vary], to: .get(HTTPHeaders(first))))
        #expect(variant.matches(.get(HTTPHeaders(second))) == expected)
        let other = try #require(CacheVariant(of: ["Vary": vary], to: .get(HTTPHeaders(second))))
        #expect((variant == other) == expected && (variant.identity == other.identity) == expected)
    }

    @Test("A response with Vary: * matches no request", arguments: ["*", "A, *", "*, A"])
    func everything(_ vary: String) {
        #expect(CacheVariant(of: ["Vary": vary], to: .get()) == nil)
    }

    @Test("Several lines of Vary, or of a header that it names, are compared as one list")
    func lines() throws {
        let variant = try #require(CacheVariant(of: ["Vary: A", "Vary: B"], to: .get(["A: 1", "A: 2", "B: 3"])))
        #expect(variant.matches(.get(["A: 1, 2", "B: 3"])) && !variant.matches(.get(["A: 1, 2"])))
    }

    @Test("A response to credentials is used only for the same credentials, unless the response is public")
    func users() throws {
        let own = try #require(CacheVariant(of: [:], to: .get(["Authorization": "Bearer a"])))
        #expect(own.matches(.get(["Authorization": "Bearer a"])))
        #expect(!own.matches(.get(["Authorization": "Bearer b"])) && !own.matches(.get()))
        #expect(!own.matches(.get(credential: "u:p")))
        let shared = try #require(CacheVariant(of: ["Cache-Control": "public"], to: .get(credential: "u:p")))
        #expect(shared.matches(.get()) && shared.matches(.get(["Authorization": "Bearer b"])))
    }

    @Test(
        "A response is not used for another value of a secret header, or of Cookie if the response is private",
        arguments: [("X-API-Key", ""), ("Proxy-Authorization", ""), ("Cookie", "private"), ("X-Auth-Token", "")])
    func secretHeaders(_ name: String, _ control: String) throws {
        let response: HTTPHeaders = control.isEmpty ? [:] : ["Cache-Control": control]
        let own = try #require(CacheVariant(of: response, to: .get([name: "a"])))
        #expect(own.matches(.get([name: "a"])) && !own.matches(.get([name: "b"])) && !own.matches(.get()))
    }

    @Test("A response that is not private is used for any Cookie, and for each Authorization that one credential makes")
    func oneUser() throws {
        let other = try #require(CacheVariant(of: [:], to: .get(["Cookie": "a=1"])))
        #expect(other.matches(.get(["Cookie": "a=2"])))
        let vary = try #require(CacheVariant(of: ["Vary": "Authorization"], to: .get(credential: "u:p")))
        #expect(vary.matches(.get(["Authorization": "Digest nonce=1"], credential: "u:p")))
    }

    @Test("The key of a variant contains no header value of the request")
    func secrets() throws {
        let request = CacheRequest.get(["Cookie": "id=secret", "Authorization": "Bearer secret"])
        let variant = try #require(CacheVariant(of: ["Vary": "Cookie"], to: request))
        let text = String(decoding: try JSONEncoder().encode(variant), as: UTF8.self)
        #expect(text.contains("cookie") && !text.contains("secret"))
    }
}

@Suite("Cache keys")
struct CacheKeyTests {
    @Test(
        "A URL's cache key has the host in lower case, a port and a path, and no fragment",
        arguments: [
            ("http://a/x", "http://a:80/x"), ("http://A/x", "http://a:80/x"), ("http://a:80/x", "http://a:80/x"),
            ("http://a", "http://a:80/"), ("http://a?q", "http://a:80/?q"),
            ("https://a/x?q=1#f", "https://a:443/x?q=1"),
            ("http://a/X", "http://a:80/X"), ("http://a:81/#f", "http://a:81/"), ("http://a#f", "http://a:80/"),
        ])
    func keys(_ text: String, _ expected: String) throws {
        #expect(
            CacheRequest(HTTPRequestHead(url: try text.asURL()), mode: .standard, trust: .verified()).key == expected)
    }
}
