import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Servers whose handshake fails", .timeLimit(.minutes(5)))
struct HandshakeFailureTests {
    private func error(from server: RawServer, _ change: (inout TLSConfiguration) -> Void = { _ in }) async
        -> AsyncNetError?
    {
        await server.told(change: change).error
    }

    @Test("Requests that wait for a first handshake, which the server does not answer, get another connection")
    func silence() async throws {
        let site = try RawServer.site(ignored: 1)
        let transport = SocketTransport(.init(tls: TLSConfiguration(trust: .anchors([TestAuthority.root]))))
        let (session, url) = (Session(transport: transport), "https://127.0.0.1:\(site.port)/")
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<3 { group.addTask { try await session.request(url).serializing(String.self).value } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names.count == 3)
    }

    @Test(
        "A server that ends each handshake with a ticket gets one without, directly and through proxies",
        arguments: [nil, .http, .https, .socks5] as [ProxyServer.Kind?])
    func refusedTicket(_ kind: ProxyServer.Kind?) async throws {
        let pem = "\(RawServer.certificate)\n\(RawServer.key)\n".replacing("\n", with: "\\n")
        let server = try RawServer(
            """
            import ssl, tempfile
            if not hasattr(serve, "context"):
                serve.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                serve.context.maximum_version = ssl.TLSVersion.TLSv1_2
                with tempfile.NamedTemporaryFile("w") as file:
                    file.write("\(pem)")
                    file.flush()
                    serve.context.load_cert_chain(file.name)
            # The extension session_ticket is empty unless the client offers a ticket (RFC 5077).
            if b"\\x00\\x23\\x00\\x00" not in socket.socket.recv(c, 4096, socket.MSG_PEEK): return c.close()
            t = serve.context.wrap_socket(c, server_side=True)
            head = b""
            while b"\\r\\n\\r\\n" not in head: head += t.recv(4096)
            t.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 1\\r\\n\\r\\nx")
            t.unwrap()
            """, readsHead: false)
        let proxy = try kind.map { kind in try TestProxy(kind) }
        let transport = SocketTransport(
            .init(tls: RawServer.trust, proxy: proxy?.configuration() ?? .none, eventLoops: 1))
        let session = Session(transport: transport)
        for _ in 0..<2 {
            #expect(
                try await session.request("https://127.0.0.1:\(server.port)/").serializing(String.self).value == "x")
        }
        await session.finish()
    }

    @Test(
        "The error names a server that answers without TLS as the cause",
        arguments: ["HTTP/1.1 400 Bad Request\\r\\n\\r\\n", "220 mail\\r\\n"])
    func withoutTLS(_ text: String) async throws {
        let server = try RawServer("c.recv(1); c.sendall(b'\(text)')", readsHead: false)
        let error = await error(from: server)
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains("answered without TLS") == true, "\(error?.message ?? "")")
    }

    @Test(
        "The error of a server without a common TLS version or cipher suite says which is missing",
        arguments: [
            (
                "context.maximum_version = ssl.TLSVersion.TLSv1_2", TLSConfiguration(minimumVersion: .tls13),
                "versions of TLS"
            ),
            (
                "context.minimum_version = ssl.TLSVersion.TLSv1_3", TLSConfiguration(maximumVersion: .tls12),
                "versions of TLS"
            ),
            (
                "context.maximum_version = ssl.TLSVersion.TLSv1_2; context.set_ciphers('ECDHE-ECDSA-AES256-GCM-SHA384')",
                TLSConfiguration(cipherSuites: ["ECDHE-ECDSA-AES128-GCM-SHA256"]), "none of the offered cipher suites"
            ),
        ])
    func nothingInCommon(_ settings: String, _ tls: TLSConfiguration, _ text: String) async throws {
        var tls = tls
        tls.trust = .anchors([TestAuthority.root])
        let error = try await RawServer.site(settings: settings).told(.init(tls: tls)).error
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test(
        "If a server requires a client certificate or refuses ours, the error says so",
        arguments: ["TLSv1_2", "TLSv1_3"],
        [
            (nil, "client certificate"), (RawServer.key, "authority"),
        ] as [(String?, String)])
    func clients(_ version: String, _ expected: (String?, String)) async throws {
        let site = try RawServer.site(
            requiresClient: true, settings: "context.maximum_version = ssl.TLSVersion.\(version)")
        let error = await error(from: site) { tls in
            tls.clientIdentity = expected.0.map { .init(certificate: RawServer.certificate, key: $0) }
        }
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains(expected.1) == true, "\(error?.message ?? "")")
    }

    @Test(
        "The error of a handshake that the server ends with an alert names the likely cause",
        arguments: [(112, "serverName"), (80, "internal error"), (40, "none of the offered")])
    func alerts(_ alert: Int, _ text: String) async throws {
        let server = try RawServer("c.recv(1); c.sendall(bytes([21, 3, 3, 0, 2, 2, \(alert)]))", readsHead: false)
        let error = await error(from: server)
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test(
        "The error for a certificate that is not trusted says what the chain lacks",
        arguments: [
            ([TestAuthority.site], TestAuthority.root, "does not send an intermediate certificate"),
            ([TestAuthority.site, TestAuthority.intermediate], TestAuthority.clientA, "its issuer is unknown"),
            (
                [TestAuthority.site, TestAuthority.intermediate, TestAuthority.root], TestAuthority.clientA,
                "a root that is not trusted"
            ),
        ])
    func untrusted(_ chain: [String], _ anchor: String, _ text: String) async throws {
        let error = await error(from: try RawServer.site(chain: chain)) { $0.trust = .anchors([anchor]) }
        #expect(error?.code == .certificateNotTrusted)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
}
