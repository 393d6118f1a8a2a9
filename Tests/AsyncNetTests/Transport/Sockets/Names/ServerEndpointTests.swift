import Testing

@testable import AsyncNet

@Suite("Server endpoints of URLs")
struct ServerEndpointTests {
    @Test(
        "A URL is parsed to host, port, Host header and request target",
        arguments: [
            ("http://example.com", "example.com", 80, "example.com", "/"),
            ("HTTP://Example.COM:80/a?b#c", "example.com", 80, "example.com", "/a?b"),
            ("https://example.com:8443?q=1", "example.com", 8443, "example.com:8443", "/?q=1"),
            ("https://u:p@example.com/", "example.com", 443, "example.com", "/"),
            ("http://example.com:/x", "example.com", 80, "example.com", "/x"),
            ("http://[::1]:8080/", "::1", 8080, "[::1]:8080", "/"),
            ("http://[fe80::1%25eth0]/", "fe80::1%eth0", 80, "[fe80::1]", "/"),
        ] as [(String, String, UInt16, String, String)])
    func parts(_ url: String, _ host: String, _ port: UInt16, _ authority: String, _ target: String) throws {
        let parsed = try ServerEndpoint.parse(url)
        #expect(parsed.endpoint.host == host)
        #expect(parsed.endpoint.port == port)
        #expect(parsed.endpoint.authority == authority)
        #expect(parsed.target == target)
    }

    @Test(
        "Parsing a URL with an invalid host or port throws .malformedURL",
        arguments: [
            "http:///a", "http://:80/", "http://a:0/", "http://a:65536/", "http://a:b/", "http://[::1/",
            "http://[::1]x/", "http://a:\u{301}80/", "http://[\u{301}::1]/", "http://\u{301}a\u{7F}/",
        ])
    func malformed(_ url: String) {
        let error = #expect(throws: AsyncNetError.self) { try ServerEndpoint.parse(url) }
        #expect(error?.code == .malformedURL)
    }
}

@Suite("Happy Eyeballs")
struct HappyEyeballsTests {
    @Test("Addresses of both families are tried in turn, the family of the first address first")
    func order() {
        var eyeballs = HappyEyeballs(areIPv6: [true, true, true, false, false])
        var order: [Int] = []
        var action = eyeballs.advance()
        while case .attempt(let index) = action {
            order.append(index)
            action = eyeballs.advance()
        }
        #expect(order == [0, 3, 1, 4, 2])
        #expect(action == .wait)
    }

    @Test("A failed attempt begins the next one at once, and the last failure fails the connection")
    func failures() {
        var eyeballs = HappyEyeballs(areIPv6: [false, true])
        #expect(eyeballs.advance() == .attempt(0))
        #expect(eyeballs.hasMore)
        #expect(eyeballs.attemptFailed() == .attempt(1))
        #expect(!eyeballs.hasMore)
        #expect(eyeballs.attemptFailed() == .fail)
    }

    @Test("A failed attempt does not fail the connection while another attempt runs")
    func beside() {
        var eyeballs = HappyEyeballs(areIPv6: [false, true])
        #expect(eyeballs.advance() == .attempt(0))
        #expect(eyeballs.advance() == .attempt(1))
        #expect(eyeballs.attemptFailed() == .wait)
        #expect(eyeballs.attemptFailed() == .fail)
    }

    @Test("A connection without addresses fails")
    func none() {
        var eyeballs = HappyEyeballs(areIPv6: [])
        #expect(eyeballs.advance() == .fail)
    }
}
