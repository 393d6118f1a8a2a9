import Foundation
import Testing

@testable import AsyncNet

@Suite("TLS settings for hosts")
struct TLSHostsTests {
    private static func named(_ pin: String) -> TLSConfiguration { TLSConfiguration(pins: [pin]) }

    private static let patterns = [
        "api.example.com": named("exact"), "*.example.com": named("one"), "*.b.example.com": named("two"),
        "Bücher.example": named("idn"), "*.bücher.example": named("idn sub"), "127.0.0.1": named("v4"),
        "[::1]": named("v6"), "dot.example.": named("dot"),
    ]

    @Test(
        "A host has the settings of its own entry, else of a wildcard for one label, else the default",
        arguments: [
            ("api.example.com", "exact"), ("API.example.COM.", "exact"), ("www.example.com", "one"),
            ("a.b.example.com", "two"), ("b.example.com", "one"), ("example.com", nil), ("x.y.example.com", nil),
            ("a.a.b.example.com", nil), ("notexample.com", nil), ("bücher.example", "idn"),
            ("xn--bcher-kva.example", "idn"), ("a.xn--bcher-kva.example", "idn sub"), ("127.0.0.1", "v4"),
            ("127.1", "v4"),
            ("[0::1]", "v6"), ("dot.example", "dot"), ("1.2.3.4", nil), ("!", nil),
        ] as [(String, String?)])
    func choice(_ host: String, _ name: String?) throws {
        let hosts = try TLSHosts(TLSConfiguration(), Self.patterns)
        #expect(hosts.settings[hosts.index(for: HostName(host))].pins.first == name)
        #expect(hosts.settings[hosts.index(forURL: "https://\(host):8443/x")].pins.first == name)
    }

    /// libcurl maps international names (RFC 5895), if it was built so and the program has a locale of UTF-8.
    @Test(
        "A spelling that libcurl maps to a host has that host's settings, or ends the request with .malformedURL",
        arguments: [
            "LOCALHOST", "localhost.", "%4Cocalhost", "localhost%2E", "x:y@localhost", "%EF%BD%8Cocalhost",
            "%E2%84%93ocalhost", "local%C2%ADhost", "localhost%E3%80%82", "localhost%EF%BC%8E", "local%E2%80%8Bhost",
            "localho%C5%BFt", "localhost%00", "localhost%20", "a@b@localhost",
        ])
    func mapped(_ host: String) throws {
        let hosts = try TLSHosts(TLSConfiguration(), ["localhost": Self.named("own")])
        let url = "https://\(host):8443/"
        do throws(AsyncNetError) { try hosts.check(url) } catch { return #expect(error.code == .malformedURL) }
        #expect(hosts.settings[hosts.index(forURL: url)].pins == ["own"])
    }

    @Test("Equal settings of several hosts are stored once, with the default first")
    func distinct() throws {
        let (same, other) = (Self.named("a"), Self.named("b"))
        let hosts = try TLSHosts(same, ["a": same, "b": other, "c": other, "*.d": same])
        #expect(hosts.settings.map(\.pins) == [["a"], ["b"]])
        #expect(hosts.index(forURL: "https://c/") == 1)
        #expect(hosts.index(forURL: "https://a/") == 0)
    }

    @Test(
        "A key of tlsForHosts that is neither a host nor a wildcard is .invalidConfiguration",
        arguments: [
            "", "*", "*.", "*.*.a", "a.*.b", "*a.example", "https://a", "a:443", "a/", "*.127.0.0.1", "*.[::1]", "a..b",
            " ",
            "[::1]:443", "fe80::1%eth0", "[fe80::1%25eth0]", "*.fe80::1%a.example", "a%2Eexample",
        ])
    func malformed(_ pattern: String) {
        let error = #expect(throws: AsyncNetError.self) { try TLSHosts(TLSConfiguration(), [pattern: Self.named("a")]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("tlsForHosts") == true)
    }

    @Test(
        "Two keys of tlsForHosts for one host are .invalidConfiguration",
        arguments: [("a.example", "A.EXAMPLE"), ("::1", "[0::1]"), ("*.a", "*.A.")])
    func twice(_ one: String, _ other: String) {
        let patterns = [one: Self.named("a"), other: Self.named("b")]
        let error = #expect(throws: AsyncNetError.self) { try TLSHosts(TLSConfiguration(), patterns) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("two entries") == true)
    }

    @Test("TLS settings that differ in one property are not equal")
    func differences() throws {
        let identity = TLSConfiguration.ClientIdentity(certificate: "a", key: "b", password: "c")
        let all: [TLSConfiguration] = [
            .init(), .refused, .init(trust: .disabled), .init(trust: .anchors(["a"])), .init(trust: .anchors(["b"])),
            .init(trust: .anchors(file: URL(filePath: "/a"))), .init(pins: ["a"]), .init(clientIdentity: identity),
            .init(clientIdentity: .init(certificate: "a", key: "b")), .init(minimumVersion: .tls13),
            .init(verifiesHostName: false), .init(requiresStapledStatus: true),
        ]
        #expect(Set(all).count == all.count)
    }
}
