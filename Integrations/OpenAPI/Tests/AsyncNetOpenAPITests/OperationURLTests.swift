import AsyncNet
import Foundation
import Testing

@testable import AsyncNetOpenAPI

@Suite("The URL of an operation")
struct OperationURLTests {
    @Test(
        "The operation's path and query follow the server's path, character by character",
        arguments: [
            ("http://a", "/pets", "http://a/pets"), ("http://a/", "/pets", "http://a/pets"),
            ("http://a/api/v1", "/pets", "http://a/api/v1/pets"), ("http://a/api/v1/", "/", "http://a/api/v1/"),
            ("http://a:8080/%C3%A9", "/a%2Fb%20c/%25?q=%26&r=a+b", "http://a:8080/%C3%A9/a%2Fb%20c/%25?q=%26&r=a+b"),
            ("https://[::1]/", "/pets?limit=1#", "https://[::1]/pets?limit=1#"),
            ("http://user:password@a/v1", "/pets", "http://user:password@a/v1/pets"),
            ("http://a/v1?key=1#top", "/pets?limit=1", "http://a/v1/pets?limit=1"), ("/", "/pets", "/pets"),
        ])
    func joined(server: String, path: String, expected: String) throws {
        let url = try OperationURL(path: path, of: try #require(URL(string: server))).asURL()
        #expect(url.absoluteString == expected)
    }

    @Test("A path that does not begin with a slash is refused", arguments: [nil, "", "pets", "?a=b", "*"])
    func refused(path: String?) throws {
        let server = try #require(URL(string: "http://a"))
        let error = #expect(throws: AsyncNetError.self) { try OperationURL(path: path, of: server) }
        #expect(error?.code == .malformedURL)
    }
}
