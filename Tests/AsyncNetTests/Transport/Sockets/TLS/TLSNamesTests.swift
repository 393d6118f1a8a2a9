import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Cipher suites, groups and server names", .timeLimit(.minutes(5)))
struct TLSNamesTests {
    @Test(
        "Only the cipher suites of cipherSuites are offered, and only the versions of TLS that have one",
        arguments: [
            (["TLS_CHACHA20_POLY1305_SHA256"], "TLS_CHACHA20_POLY1305_SHA256, TLSv1.3"),
            (["TLS_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"], "TLS_AES_128_GCM_SHA256, TLSv1.3"),
            (["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES128-GCM-SHA256"], "TLSv1.2"),
            (["ECDHE-ECDSA-AES256-GCM-SHA384"], "ECDHE-ECDSA-AES256-GCM-SHA384, TLSv1.2"),
        ])
    func suites(_ suites: [String], _ expected: String) async throws {
        let site = try RawServer.site()
        let response = await site.told { $0.cipherSuites = suites }
        #expect(response.value?.hasSuffix(expected) == true, "\(response.result)")
    }

    @Test(
        "An unknown or invalid name of a cipher suite or group is an error that names it",
        arguments: [
            (["NO-SUCH-SUITE"], [], "no suite NO-SUCH-SUITE"),
            (["ECDHE-ECDSA-AES128-GCM-SHA256", "AES"], [], "no suite AES "),
            (["TLS_NONE"], [], "no suite TLS_NONE"), (["TLS_AES_128_GCM_SHA256", "TLS_X"], [], "no suite TLS_X"),
            (["TLS_AES_128_GCM_SHA256", "HIGH"], [], "no suite HIGH"),
            (["ADH-AES128-SHA256"], [], "no suite ADH-AES128-SHA256"),
            (["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-NULL-SHA"], [], "no suite ECDHE-RSA-NULL-SHA"),
            ([], ["X25519", "P-257"], "no group P-257"), (["a:b"], [], "not: a:b"), (["!aNULL"], [], "not: !aNULL"),
            (["DEFAULT@SECLEVEL=0"], [], "not: DEFAULT@"), ([""], [], "cipherSuites must have names"),
            ([], ["P-256", "P-256"], "groups has a name twice: P-256"), ([], ["P 256"], "not: P 256"),
        ] as [([String], [String], String)])
    func unknown(_ suites: [String], _ groups: [String], _ text: String) async throws {
        let tls = TLSConfiguration(cipherSuites: suites, groups: groups)
        let site = try RawServer.site()
        let error = await site.told(.init(tls: tls)).error
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test(
        "cipherSuites without one for the allowed versions of TLS are .invalidConfiguration",
        arguments: [
            TLSConfiguration(minimumVersion: .tls13, cipherSuites: ["ECDHE-RSA-AES128-GCM-SHA256"]),
            TLSConfiguration(maximumVersion: .tls12, cipherSuites: ["TLS_AES_128_GCM_SHA256"]),
        ])
    func versions(_ tls: TLSConfiguration) {
        let error = #expect(throws: AsyncNetError.self) { try tls.validate() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("cipherSuites") == true)
    }

    @Test(
        "The key exchange uses the group that groups names", arguments: [("P-384", "secp384r1"), ("X25519", "x25519")])
    func groups(_ name: String, _ expected: String) async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in .text("a") }
        let session = Session(
            transport: .sockets(tls: .init(trust: .anchors([server.anchor]), groups: [name])))
        let request = session.request(server.url("/"))
        let events = request.events
        _ = try await request.serializing(String.self).value
        for await event in events {
            guard case .connected(let info) = event, let tls = info.tls else { continue }
            #expect(tls.group == expected || tls.group == nil)
        }
        await session.finish()
        await server.stop()
    }

    @Test("The error of a handshake without a common group names this cause")
    func noGroup() async throws {
        let site = try RawServer.site(settings: "context.set_ecdh_curve('prime256v1')")
        let response = await site.told { $0.groups = ["P-384"] }
        #expect(response.error?.code == .tlsHandshakeFailed)
        #expect(response.error?.message.contains("groups") == true, "\(response.error?.message ?? "")")
    }

    @Test(
        "serverName is sent in the handshake and verified in place of the URL's host",
        arguments: [
            (nil, nil, "None"), ("site.example", nil, "site.example"), ("SITE.example.", nil, "site.example"),
            ("other.example", .certificateHostMismatch, ""), ("127.0.0.1", nil, "None"),
            ("127.0.0.2", .certificateHostMismatch, ""),
        ] as [(String?, AsyncNetError.Code?, String)])
    func serverName(_ name: String?, _ code: AsyncNetError.Code?, _ told: String) async throws {
        let site = try RawServer.site()
        let response = await site.told { $0.serverName = name }
        #expect(response.error?.code == code)
        if code == nil { #expect(response.value?.hasPrefix("None, \(told), ") == true, "\(response.result)") }
    }

    @Test(
        "A serverName that is not a valid host name is .invalidConfiguration",
        arguments: ["", "a b", "a:1", ".example", "*"])
    func invalidName(_ name: String) {
        let error = #expect(throws: AsyncNetError.self) { try TLSConfiguration(serverName: name).validate() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(
        "libcurl and URLSession refuse cipherSuites, groups and serverName",
        arguments: [
            TLSConfiguration(cipherSuites: ["TLS_AES_128_GCM_SHA256"]), TLSConfiguration(groups: ["X25519"]),
            TLSConfiguration(serverName: "a.example"),
        ])
    func elsewhere(_ tls: TLSConfiguration) async {
        for transport in [.libcurl(tls: tls), URLSessionTransport(configuration: .init(tls: tls))] as [any Transport] {
            let error = await Session(transport: transport).request("https://127.0.0.1:1/").serializing(Data.self)
                .response.error
            #expect(error?.code == .unsupportedByTransport)
        }
    }
}
