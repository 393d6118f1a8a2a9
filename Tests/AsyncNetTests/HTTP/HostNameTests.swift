import Foundation
import Testing

@testable import AsyncNet

@Suite("Host names")
struct HostNameTests {
    @Test(
        "Host names are normalized for comparison: lower case, canonical addresses, Punycode",
        arguments: [
            ("example.com", "example.com"), ("EXAMPLE.com.", "example.com"), ("a_b-c.example", "a_b-c.example"),
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("::1", "::1"), ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("2001:DB8::A", "2001:db8::a"),
            ("[fe80::1%25eth0]", "fe80::1"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("api%2Eexample.com", "api.example.com"),
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("localhost", "localhost"),
            ("", nil), (".", nil), ("a..b", nil), (".a", nil), ("a..", nil), ("a b", nil), ("a:80", nil),
            ("[::1]:80", nil),
            ("[::1", nil), ("[a]", nil), ("[127.0.0.1]", nil), ("https://a", nil), ("a/b", nil), ("*", nil),
            ("*.a", nil),
            ("::g", nil), ("a\u{0}b", nil), ("127.0.0.1 x", nil), (String(repeating: "a", count: 64), nil),
            (String(repeating: "a.", count: 128), nil),
        ] as [(String, String?)])
    func canonical(_ text: String, _ expected: String?) {
        #expect(HostName(text)?.text == expected)
    }

    @Test(
        "The host name of a URL is read without userinfo, port and brackets",
        arguments: [
            ("https://a.example/", "a.example"), ("https://A.example:8443", "a.example"),
            ("https://user:p@b@a.example:1/x@y", "a.example"), ("https://[::1]:8443/", "::1"), ("https://[::1]", "::1"),
            ("https://a.example?x=@b", "a.example"), ("https://a.example#@b", "a.example"), ("https:///x", nil),
            ("x", nil),
        ] as [(String, String?)])
    func urls(_ url: String, _ expected: String?) {
        #expect(HostName(ofURL: url)?.text == expected)
    }

    @Test("Only a host name of several labels has a parent domain")
    func parents() {
        #expect(HostName("a.b.c")?.parent?.text == "b.c")
        #expect(HostName("a")?.parent == nil)
        #expect(HostName("1.2.3.4")?.parent == nil)
    }
}
