import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

@Suite("TLS settings of stored responses")
struct ResponseTrustTests {
    private typealias TLS = TLSConfiguration

    private static let pin = "sha256//" + Data(count: 32).base64EncodedString()
    private static let other = "sha256//" + Data(repeating: 1, count: 32).base64EncodedString()
    private static let settings: [String: TLSConfiguration] = [
        "system": .system, "disabled": TLS(trust: .disabled), "no name": TLS(verifiesHostName: false),
        "a": TLS(trust: .anchors(["a"])), "b": TLS(trust: .anchors(["b"])),
        "file": TLS(trust: .anchors(file: URL(fileURLWithPath: "/a"))),
        "pin": TLS(pins: [pin]), "other pin": TLS(pins: [other]), "disabled pin": TLS(trust: .disabled, pins: [pin]),
        "1.3": TLS(minimumVersion: .tls13), "1.1": TLS(minimumVersion: .tls11),
        "status": TLS(requiresStapledStatus: true),
        "client": TLS(clientIdentity: .init(certificate: "c", key: "k")),
        "lists": TLS(revocationLists: .pem("a")), "list file": TLS(revocationLists: .file(URL(filePath: "/a"))),
        "name": TLS(serverName: "a.example"), "client p": TLS(clientIdentity: .init(pkcs12: Data("c".utf8))),
        "client d": TLS(clientIdentity: .init(certificate: "d", key: "k")),
    ]

    /// For each settings of a request, those whose responses it uses beside its own.
    private static let used: [String: Set<String>] = [
        "system": ["pin", "other pin", "1.3", "status", "lists", "list file"],
        "disabled": [
            "system", "no name", "a", "b", "file", "pin", "other pin", "disabled pin", "1.3", "1.1", "status",
            "lists", "list file", "name",
        ],
        "no name": [
            "system", "disabled", "a", "b", "file", "pin", "other pin", "disabled pin", "1.3", "1.1", "status",
            "lists", "list file", "name",
        ],
        "disabled pin": ["pin"],
    ]

    @Test(
        "A response received over TLS is used only by requests whose TLS settings require the same or less",
        arguments: settings.keys.sorted())
    func demands(_ name: String) throws {
        let request = try #require(Self.settings[name]).trust(by: "")
        let used = Self.settings.filter { $0.value.trust(by: "").serves(request) }.keys
        #expect(Set(used) == (Self.used[name] ?? []).union([name]))
    }

    @Test(
        "A response from an unverified server is used only by unverified requests over the same route",
        arguments: [
            ("", "", true), ("proxy http://p:1", "proxy http://p:1", true), ("proxy http://p:1", "", false),
            ("", "proxy http://p:1", false), ("proxy http://p:1", "proxy http://p:2", false),
        ])
    func routes(_ stored: String, _ request: String, _ expected: Bool) {
        #expect(ResponseTrust.unverified(route: stored).serves(.unverified(route: request)) == expected)
        let tls = TLS(trust: .disabled)
        #expect(tls.trust(by: stored).serves(tls.trust(by: request)) == expected)
        #expect(TLS.system.trust(by: stored).serves(TLS.system.trust(by: request)))
        #expect(TLS.system.trust(by: stored).serves(tls.trust(by: request)))
    }

    @Test(
        "A LibcurlTransport's route names its proxy without password, its Unix socket or its configured addresses",
        arguments: [
            (.init(), ""), (.init(proxy: .http("p", port: 1, username: "u", password: "w")), "proxy http://p:1"),
            (.init(proxy: .url("http://u:w@p:1")), "proxy http://p:1"),
            (.init(proxy: .socks5("p", port: 1)), "proxy socks5h://p:1"), (.init(unixSocket: "/s"), "unix /s"),
            (.init(addresses: ["A:80": ["127.0.0.2"]]), "addresses 127.0.0.2"),
            (.init(addresses: ["b:80": ["::1"]]), ""), (.init(proxy: .url("http://p:1").bypassing(["a"])), ""),
        ] as [(LibcurlTransport.Configuration, String)])
    func libcurlRoutes(_ configuration: LibcurlTransport.Configuration, _ expected: String) throws {
        #expect(configuration.route.text(to: try "http://a/x".asURL()) == expected)
    }

    @Test("Responses over a LibcurlTransport are .unverified with http; with https the host's TLS settings decide")
    func transports() throws {
        let transport = LibcurlTransport(
            configuration: .init(tlsForHosts: ["b": TLS(trust: .disabled)], proxy: .url("http://p:1")))
        for (url, expected) in [
            ("http://a/", ResponseTrust.unverified(route: "proxy http://p:1")), ("https://a/", .verified()),
            ("https://b/", .unverified(route: "proxy http://p:1")), ("HTTPS://A/", .verified()),
        ] {
            #expect(transport.trust(for: HTTPRequestHead(url: try url.asURL())) == expected, "\(url)")
        }
        #expect(
            URLSessionTransport().trust(for: HTTPRequestHead(url: try "https://a/".asURL())) == .verified())
    }

    @Test("The trust of a user's Transport is unverified, with the type's name as the route")
    func others() throws {
        struct Own: Transport {
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                throw AsyncNetError(.transportFailed)
            }
        }
        let head = HTTPRequestHead(url: try "https://a/".asURL())
        #expect(Own().trust(for: head) == .unverified(route: "Own"))
        #expect(!Own().trust(for: head).serves(.verified()))
        #expect(ResponseTrust.verified().serves(Own().trust(for: head)))
    }

    @Test(
        "A transport whose TLS settings are refused or invalid shares no stored response with any other"
    )
    func nothing() throws {
        let head = HTTPRequestHead(url: try "https://a/".asURL())
        let (pins, hosts) = (TLSConfiguration(pins: ["x"]), ["b": TLSConfiguration.system])
        let trusts = [
            LibcurlTransport(configuration: .init(tls: .refused, tlsForHosts: hosts)).trust(for: head),
            LibcurlTransport(configuration: .init(tls: pins)).trust(for: head),
            LibcurlTransport(configuration: .init(tlsForHosts: ["*": .system])).trust(for: head),
            URLSessionTrust(.refused, hosts).trust(for: head) { "" },
            URLSessionTrust(pins, [:]).trust(for: head) { "" },
        ]
        let others = [.verified(), .unverified(route: ""), .unverified(route: "none")] + trusts
        for (index, trust) in trusts.enumerated() {
            for other in others {
                #expect(!other.serves(trust), "\(index): \(other)")
                #expect(!trust.serves(other), "\(index): \(other)")
            }
        }
    }
}
