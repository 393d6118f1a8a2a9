import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Nothing that was set up under one host's TLS settings serves another host's requests: no connection, no cached trust
/// anchors, no session. See Documents/libcurl-fixes.md.
@Suite("TLS settings that differ, over one loop", .timeLimit(.minutes(5)))
struct SeparateSettingsTests {
    // MARK: Client keys (CVE-2026-8932)

    /// Of another certificate: libcurl makes no connection with the two, but an older one uses a connection again that
    /// was made with the right key.
    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggyg6onlH/r1VrE9s
        F0UWrqLTn5wzYwOpdqSgGXDEM3uhRANCAAR8hGouGOBsetehGTjiPknPmNXE8ubx
        tUs+NQNezY8fnOnRUZPaBgsDwYOGRLW3+EPZH3EGzb8lqUuw1xNRbN4E
        -----END PRIVATE KEY-----
        """

    private func trusting(_ server: MockServer, key: String? = nil) -> TLSConfiguration {
        TLSConfiguration(
            trust: .anchors([server.anchor]),
            clientIdentity: key.map { .init(certificate: RawServer.certificate, key: $0) })
    }

    private func withTLSServer(_ body: (MockServer) async throws -> Void) async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in .text("ok") }
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// The codes with which requests to these hosts end, one after the other, over one session and one loop.
    private func codes(
        _ wire: WireTransport, _ hosts: [String], _ server: MockServer, _ configuration: SocketTransport.Configuration
    ) async throws -> [AsyncNetError.Code?] {
        var configuration = configuration
        configuration.eventLoops = 1
        let session = Session(transport: wire.make(configuration))
        var codes: [AsyncNetError.Code?] = []
        for host in hosts {
            let url = try #require(URL(string: "https://\(host):\(server.port)/"))
            codes.append(await session.request(url).serializing(Data.self).result.failure?.code)
        }
        await session.finish()
        return codes
    }

    private static let refused = AsyncNetError.Code.clientCertificateInvalid

    @Test(
        "In each spelling, a host whose entry has a wrong client key uses no connection of another host",
        arguments: WireTransport.allCases,
        [
            "localhost", "LOCALHOST", "localhost.", "LocalHost.", "l%6Fcalhost", "%4Cocalhost", "x:y@localhost",
        ])
    func spelling(_ wire: WireTransport, _ name: String) async throws {
        try await withTLSServer { server in
            // Not every system finds a name with a dot at its end.
            let configuration = SocketTransport.Configuration(
                tls: trusting(server, key: RawServer.key),
                tlsForHosts: ["localhost": trusting(server, key: Self.otherKey)],
                addresses: ["localhost:\(server.port)": ["127.0.0.1"], "localhost.:\(server.port)": ["127.0.0.1"]])
            let codes = try await codes(
                wire, [name, "127.0.0.1", name, "localhost", "127.0.0.1"], server, configuration)
            #expect(codes == [Self.refused, nil, Self.refused, Self.refused, nil])
            #expect(await server.requestCount == 2)
        }
    }

    @Test(
        "Hosts at one address with different client keys share no connection, direct or through a proxy",
        arguments: WireTransport.allCases)
    func address(_ wire: WireTransport) async throws {
        try await withTLSServer { server in
            let proxy = try RawServer(Self.tunnel(to: server.port))
            let right = trusting(server, key: RawServer.key)
            let unnamed = TLSConfiguration(
                trust: right.trust, clientIdentity: right.clientIdentity, verifiesHostName: false)
            let other = trusting(server, key: Self.otherKey)
            let addresses = ["a", "b"].map { ("\($0).example:\(server.port)", ["127.0.0.1"]) }
            for proxy in [ProxyConfiguration.none, .http("127.0.0.1", port: proxy.port)] {
                let configuration = SocketTransport.Configuration(
                    tls: .refused, tlsForHosts: ["a.example": unnamed, "*.example": other], proxy: proxy,
                    addresses: Dictionary(uniqueKeysWithValues: addresses))
                let codes = try await codes(
                    wire,
                    ["a.example", "b.example", "A.example", "c.b.example"], server, configuration)
                #expect(codes == [nil, Self.refused, nil, .certificateNotTrusted])
            }
            #expect(await server.requestCount == 4)
        }
    }

    /// A proxy with threads: each tunnel leads to the server.
    private static func tunnel(to port: Int) -> String {
        """
        c.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        peer = socket.create_connection(("127.0.0.1", \(port)))
        def copy(source, target):
            try:
                while data := socket.socket.recv(source, 65536): target.sendall(data)
            except OSError: pass
            target.close()
        for pair in [(c, peer), (peer, c)]: threading.Thread(target=copy, args=pair, daemon=True).start()
        """
    }

    @Test(
        "connect() uses the client key of its own call, although connections with another are open")
    func stream() async throws {
        try await withTLSServer { server in
            let right = trusting(server, key: RawServer.key)
            let session = Session(transport: .sockets(.init(tls: right, eventLoops: 1)))
            #expect(try await session.request(server.url("/")).serializing(String.self).value == "ok")
            let open = try await session.connect(to: "127.0.0.1", port: server.port, tls: right)
            for (tls, code) in [
                (trusting(server, key: Self.otherKey), Self.refused), (TLSConfiguration(), .certificateNotTrusted),
            ] {
                let ended = await AsyncNetError.code {
                    _ = try await session.connect(to: "127.0.0.1", port: server.port, tls: tls)
                }
                #expect(ended == code)
            }
            await open.close()
            await session.finish()
        }
    }

    // MARK: Cached trust anchors (CVE-2025-14819)

    /// What the second host has, and how its requests end although the first host's anchors are in memory.
    private static let others: [(String, AsyncNetError.Code)] = [
        ("another file", .certificateNotTrusted), ("other anchors", .certificateNotTrusted),
        ("system", .certificateNotTrusted), ("status", .certificateRevoked), ("pin", .certificatePinMismatch),
    ]

    @Test(
        "TLS settings of one host, such as its anchors or disabled trust, are not used for another host",
        arguments: WireTransport.allCases.flatMap { wire in
            ["file", "no name", "disabled", "anchors"].map { (wire, $0) }
        },
        others)
    func anchors(_ settingOf: (wire: WireTransport, first: String), _ second: (kind: String, code: AsyncNetError.Code))
        async throws
    {
        let (wire, first) = settingOf
        try await withTLSServer { other in
            try await withTLSServer { server in
                let folder = try TemporaryFolder()
                let (right, wrong) = (folder.url.appending(path: "right"), folder.url.appending(path: "wrong"))
                try Data(server.anchor.utf8).write(to: right)
                try Data(other.anchor.utf8).write(to: wrong)
                let file = TLSConfiguration(trust: .anchors(file: right))
                let pin = TLSConfiguration.pin(of: other.anchor)
                let settings: [String: TLSConfiguration] = [
                    "file": file, "no name": .init(trust: file.trust, verifiesHostName: false),
                    "disabled": .init(trust: .disabled), "anchors": trusting(server),
                    "another file": .init(trust: .anchors(file: wrong)), "other anchors": trusting(other),
                    "system": .system, "status": .init(trust: file.trust, requiresStapledStatus: true),
                    "pin": .init(trust: file.trust, pins: [pin]),
                ]
                let configuration = SocketTransport.Configuration(
                    tls: try #require(settings[second.kind]),
                    tlsForHosts: ["localhost": try #require(settings[first])])
                let hosts = ["localhost", "127.0.0.1", "localhost", "127.0.0.1"]
                #expect(try await codes(wire, hosts, server, configuration) == [nil, second.code, nil, second.code])
                #expect(await server.requestCount == 2)
            }
        }
    }
}
