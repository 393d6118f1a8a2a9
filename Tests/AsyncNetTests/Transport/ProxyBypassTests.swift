import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Which hosts are connected to without the proxy.
@Suite("Hosts that bypass the proxy", .timeLimit(.minutes(5)))
struct ProxyBypassTests {
    /// The list, and hosts with ports of which the first are in it and the others are not.
    private static let table: [(String, in: [String], out: [String])] = [
        ("", [], ["a", "127.0.0.1", "[::1]"]),
        ("*", ["a", "127.0.0.1", "[::1]", "a:1"], []),
        ("a,*", ["b"], []),
        (
            "example.com", ["example.com", "EXAMPLE.com.", "a.example.com", "a.b.example.com:1"],
            ["notexample.com", "com"]
        ),
        (".example.com", ["example.com", "a.example.com"], ["notexample.com"]),
        (
            "*.example.com", ["a.example.com", "a.b.example.com"],
            ["example.com", "notexample.com", "a.example.com.org"]
        ),
        ("Example.COM.", ["example.com"], ["example.org"]),
        ("a.b, c.d\te.f  g.h", ["a.b", "c.d", "e.f", "g.h"], ["b", "i.j"]),
        ("bücher.example", ["xn--bcher-kva.example"], ["bcher.example"]),
        ("localhost", ["localhost", "a.localhost"], ["127.0.0.1", "[::1]"]),
        ("127.0.0.1", ["127.0.0.1", "127.1"], ["127.0.0.2", "a.127.0.0.1x"]),
        ("10.0.0.0/8", ["10.0.0.1", "10.255.255.255"], ["11.0.0.1", "10.example", "[::ffff:a00:1]"]),
        ("192.168.4.0/22", ["192.168.4.1", "192.168.7.255"], ["192.168.8.0", "192.168.3.255"]),
        ("1.2.3.4/32", ["1.2.3.4"], ["1.2.3.5"]),
        ("0.0.0.0/0", ["1.2.3.4"], ["[::1]", "a"]),
        ("::1", ["[::1]", "[0:0:0:0:0:0:0:1]"], ["[::2]", "127.0.0.1"]),
        ("[::1]", ["[::1]", "[::1]:8080"], ["[::2]"]),
        ("fd00::/8", ["[fd00::1]", "[fdff::1]"], ["[fe80::1]", "253.0.0.1"]),
        ("[fd00::/8]", ["[fd00::1]"], ["[fe80::1]"]),
        ("[fd00::]/8", ["[fd00::1]"], ["[fe80::1]"]),
        ("2001:db8:8000::/33", ["[2001:db8:8000::1]", "[2001:db8:ffff::1]"], ["[2001:db8:7fff::1]"]),
        ("::/0", ["[::1]"], ["1.2.3.4"]),
        ("fe80::/10", ["[fe80::1%25eth0]", "[fe80::1%eth0]", "fe80::1%eth0"], ["[fec0::1]"]),
        ("example.com:8443", ["example.com:8443", "a.example.com:8443"], ["example.com", "example.com:443"]),
        ("example.com:443", ["example.com"], ["example.com:444"]),
        ("*.example.com:1", ["a.example.com:1"], ["a.example.com", "example.com:1"]),
        ("127.0.0.1:8080", ["127.0.0.1:8080"], ["127.0.0.1", "127.0.0.1:80"]),
        ("[::1]:8080", ["[::1]:8080"], ["[::1]", "[::1]:80"]),
        ("*:8080", ["a:8080", "[::1]:8080"], ["a"]),
        // What is no entry is for nothing, and the others are still there.
        ("a:b,[::1,1.2.3.4/33,::/129,a..b,/8,*a,a:0,a:65536,http://c,d", ["d"], ["a", "b", "[::1]", "1.2.3.4", "c"]),
    ]

    @Test("A bypass list contains the hosts that its entries match, and no others", arguments: table)
    func lists(_ text: String, _ included: [String], _ excluded: [String]) {
        let list = ProxyBypass([text])
        for (hosts, isIncluded) in [(included, true), (excluded, false)] {
            for text in hosts {
                let (host, port) = Self.split(text)
                #expect(list.contains(host, port: port) == isIncluded, "\(text)")
            }
        }
    }

    /// 443 without a port.
    private static func split(_ text: String) -> (String, Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            !text[..<colon].contains(":") || text[..<colon].hasSuffix("]")
        else { return (text, 443) }
        return (String(text[..<colon]), port)
    }

    @Test("A request or raw stream uses the proxy, unless the bypass list contains its host")
    func connections() async throws {
        try await withServer(.text("direct"), .text("direct"), .text("direct"), .text("direct")) {
            (server: MockServer) async throws in
            let port = try #require(server.url().port)
            let closed = try await MockServer.start(isRefusing: true)
            let proxy = ProxyConfiguration.http("127.0.0.1", port: try #require(closed.url().port))
            for (entry, isDirect) in [("127.0.0.0/8", true), ("127.0.0.1:\(port)", true), ("127.0.0.1:1", false)] {
                for kind in TransportUnderTest.withProxies {
                    let session = Session(transport: kind.make(proxy: proxy.bypassing(["*.example", entry])))
                    let response = await session.request(server.url()).serializing(String.self).response
                    #expect(response.value == (isDirect ? "direct" : nil))
                    #expect(response.error?.code == (isDirect ? nil : .cannotConnect))
                }
                let session = Session(transport: .sockets(proxy: proxy.bypassing(["*.example", entry])))
                let code = await AsyncNetError.code {
                    let connection = try await session.connect(to: "127.0.0.1", port: port, tls: .none)
                    await connection.close()
                }
                #expect(code == (isDirect ? nil : .cannotConnect))
            }
            await closed.stop()
        }
    }

    /// libcurl's texts for a proxy in the environment, with the result that it ends with.
    @Test(
        "libcurl's error for an invalid proxy is .invalidConfiguration without its password, and is not retried",
        arguments: [
            (7, "Unsupported proxy scheme for 'socks9://ada:hunter2@127.0.0.1:1'"),
            (5, "Unsupported proxy syntax in 'http://ada:hunter2@127.0.0.1:99999'"),
        ] as [(Int32, String)])
    func environment(_ result: Int32, _ text: String) async {
        let error = LibcurlErrors.error(for: result, .init(text: text))
        #expect(error.code == .invalidConfiguration)
        #expect(!error.description.contains("hunter2"))
        let retry = await RetryPolicy().retry(after: error, context: RequestContext(id: RequestID(), attempt: 1))
        #expect(retry == .doNotRetry)
    }
}
