import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Which servers are trusted by which settings, and what the errors say. Scripts/trust-conformance has more certificates.
@Suite("Server trust", .timeLimit(.minutes(5)))
struct ServerTrustTests {
    /// Of no key.
    private static let wrongPin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func result(
        _ wire: WireTransport, _ url: URL, _ configuration: SocketTransport.Configuration
    ) async -> DataResponse<Data, AsyncNetError> {
        let session = Session(transport: wire.make(configuration))
        let response = await session.request(url).serializing(Data.self).response
        await session.finish()
        return response
    }

    private func failure(
        _ wire: WireTransport, _ url: URL, _ configuration: SocketTransport.Configuration
    ) async -> AsyncNetError? {
        await result(wire, url, configuration).error
    }

    private func withTLSServer(
        _ tls: MockServer.TLS = .selfSigned, body: (MockServer) async throws -> Void
    ) async throws {
        let server = try await MockServer.start(tls: tls)
        await server.route("/*") { _ in .text("ok") }
        let result = await Result(of: { try await body(server) })
        await server.stop()
        try result.get()
    }

    private func trusting(_ server: MockServer) -> TLSConfiguration { .init(trust: .anchors([server.anchor])) }

    private func url(_ server: MockServer, host: String, _ path: String = "/") throws -> URL {
        try "https://\(host):\(server.port)\(path)".asURL()
    }

    // MARK: What the error of a refused server says

    @Test(
        "The error for an invalid certificate has the server's certificates, and no request is sent",
        arguments: WireTransport.allCases,
        [
            (MockServer.TLS.selfSigned, false, .certificateNotTrusted), (.expired, true, .certificateExpired),
            (.wrongHost, true, .certificateHostMismatch),
        ] as [(MockServer.TLS, Bool, AsyncNetError.Code)])
    func chain(_ wire: WireTransport, _ expected: (MockServer.TLS, Bool, AsyncNetError.Code)) async throws {
        let (tls, isTrusted, code) = expected
        try await withTLSServer(tls) { server in
            let response = await result(wire, server.url("/"), .init(tls: isTrusted ? trusting(server) : .init()))
            let error = try #require(response.error)
            #expect(error.code == code)
            #expect(await server.requestCount == 0)
            #expect(await server.connectionCount == 1)
            await server.connectionsClosed()
            // libcurl has the certificates of a chain that it accepts only.
            guard wire == .sockets else {
                #expect(error.serverTrust != nil)
                return
            }
            let certificate = try #require(error.serverTrust?.certificates.first)
            #expect(certificate.pem == server.anchor)
            #expect(certificate.subject == "CN=AsyncNet MockServer")
            #expect(
                certificate.subjectAlternativeNames.first == (tls == .wrongHost ? "DNS:wrong.example" : "DNS:localhost")
            )
            #expect((certificate.notAfter < Date()) == (tls == .expired))
            #expect(error.serverTrust?.expectedPins == [])
            #expect(error.description.contains("the server showed CN=AsyncNet MockServer, issued by"))
            #expect(!error.description.contains("BEGIN"))
            #expect(response.metrics.serverCertificates == [certificate])
        }
    }

    @Test(
        "The error of a wrong pin has the expected pins and the server's pin, and no request is sent",
        arguments: WireTransport.allCases)
    func pins(_ wire: WireTransport) async throws {
        try await withTLSServer { server in
            var tls = trusting(server)
            tls.pins = [Self.wrongPin]
            let error = try #require(await failure(wire, server.url("/"), .init(tls: tls)))
            #expect(error.code == .certificatePinMismatch)
            let pin = TLSConfiguration.pin(of: server.anchor)
            #expect(error.serverTrust?.expectedPins == [Self.wrongPin])
            #expect(error.serverTrust?.pin == pin)
            #expect(error.message.contains("its pin is \(pin); pinned: \(Self.wrongPin)"))
            #expect(await server.requestCount == 0)
            #expect(await server.connectionCount == 1)
            tls.pins.append(pin)
            #expect(await failure(wire, server.url("/"), .init(tls: tls)) == nil)
        }
    }

    @Test("connect() with .refused settings throws .certificateNotTrusted, and opens no connection")
    func refusesStreams() async throws {
        try await withTLSServer { server in
            let session = Session(transport: .sockets())
            let ended = await AsyncNetError.code {
                _ = try await session.connect(to: "127.0.0.1", port: server.port, tls: .refused)
            }
            #expect(ended == .certificateNotTrusted)
            #expect(await server.connectionCount == 0)
            await session.finish()
        }
    }

    @Test("The settings of tlsForHosts are found for each spelling of their host")
    func settingsForStream() throws {
        let pinned = TLSConfiguration(pins: [Self.wrongPin])
        let configuration = SocketTransport.Configuration(
            tls: .refused, tlsForHosts: ["api.example.com": pinned, "bücher.example": pinned, "[::1]": pinned])
        for host in ["API.example.com.", "xn--bcher-kva.example", "::1", "[::1]"] {
            #expect(try configuration.tls(forHost: host).pins == [Self.wrongPin])
        }
        #expect(
            AsyncNetError.code { _ = try configuration.tls(forHost: "other.example.com") } == .certificateNotTrusted)
        #expect(AsyncNetError.code { _ = try configuration.tls(forHost: "a~b.example.com") } == .malformedURL)
    }

    @Test(
        "With tlsForHosts, a host that no entry can name leads to .malformedURL", arguments: WireTransport.allCases)
    func unnamedHost(_ wire: WireTransport) async throws {
        let configuration = SocketTransport.Configuration(tlsForHosts: ["*.example.com": .init(pins: [Self.wrongPin])])
        let url = try #require(URL(string: "https://a~b.example.com/"))
        #expect(await failure(wire, url, configuration)?.code == .malformedURL)
    }

    @Test("A server that staples no status is refused if the settings require one", arguments: WireTransport.allCases)
    func status(_ wire: WireTransport) async throws {
        try await withTLSServer { server in
            var tls = trusting(server)
            tls.requiresStapledStatus = true
            let error = try #require(await failure(wire, server.url("/"), .init(tls: tls)))
            #expect(error.code == .certificateRevoked)
            #expect(error.serverTrust?.certificates.first?.pem == (wire == .sockets ? server.anchor : nil))
            #expect(await server.requestCount == 0)
        }
    }

    // MARK: Settings for hosts

    @Test(
        "A host of tlsForHosts has the settings of its entry, and other hosts have the transport's",
        arguments: WireTransport.allCases)
    func hosts(_ wire: WireTransport) async throws {
        try await withTLSServer { server in
            var pinned = trusting(server)
            pinned.pins = [Self.wrongPin]
            let configuration = SocketTransport.Configuration(
                tls: pinned, tlsForHosts: ["LOCALHOST.": trusting(server), "[::1]": .init()])
            for (host, code) in [("localhost", nil), ("LocalHost", nil), ("127.0.0.1", .certificatePinMismatch)]
                as [(String, AsyncNetError.Code?)]
            {
                let target = try url(server, host: host)
                #expect(await failure(wire, target, configuration)?.code == code)
            }
        }
    }

    @Test(
        "Requests to two hosts in turn over one loop each have their own host's settings",
        arguments: WireTransport.allCases)
    func mixed(_ wire: WireTransport) async throws {
        try await withTLSServer { server in
            var pinned = trusting(server)
            pinned.pins = [Self.wrongPin]
            let session = Session(
                transport: wire.make(.init(tls: pinned, tlsForHosts: ["localhost": trusting(server)], eventLoops: 1)))
            for round in 0..<6 {
                let host = round.isMultiple(of: 2) ? "localhost" : "127.0.0.1"
                let error = await session.request(try url(server, host: host)).serializing(Data.self).result.failure
                #expect(error?.code == (round.isMultiple(of: 2) ? nil : .certificatePinMismatch))
            }
            await session.finish()
        }
    }

    @Test("Each hop of a redirect has the TLS settings of its own host", arguments: WireTransport.allCases)
    func redirects(_ wire: WireTransport) async throws {
        try await withTLSServer { target in
            try await withTLSServer { first in
                let location = try url(target, host: "localhost", "/target").absoluteString
                await first.route("/*") { _ in .status(302, headers: ["Location": location]) }
                let start = try url(first, host: "127.0.0.1")
                let right = [
                    "127.0.0.1": trusting(first), "localhost": trusting(target),
                ]
                #expect(await failure(wire, start, .init(tls: .refused, tlsForHosts: right)) == nil)
                #expect(await target.requestCount == 1)
                let wrong = ["127.0.0.1": trusting(first), "localhost": trusting(first)]
                let error = try #require(await failure(wire, start, .init(tls: .refused, tlsForHosts: wrong)))
                #expect(error.code == .certificateNotTrusted)
                #expect(error.serverTrust?.certificates.first?.pem == (wire == .sockets ? target.anchor : nil))
                let unlisted = ["127.0.0.1": trusting(first)]
                #expect(
                    await failure(wire, start, .init(tls: .refused, tlsForHosts: unlisted))?.code
                        == .certificateNotTrusted)
                #expect(await first.requestCount == 3)
                #expect(await target.requestCount == 1)
            }
        }
    }

    @Test(
        "With tls .refused a host without an entry is refused without a connection, except over http",
        arguments: WireTransport.allCases)
    func unlisted(_ wire: WireTransport) async throws {
        let configuration = SocketTransport.Configuration(tls: .refused, tlsForHosts: ["a.example": .init()])
        try await withTLSServer { server in
            let error = try #require(await failure(wire, server.url("/"), configuration))
            #expect(error.code == .certificateNotTrusted)
            #expect(error.message.contains("no entry for 127.0.0.1"))
            #expect(await server.connectionCount == 0)
        }
        try await withServer(.text("x")) { (server: MockServer) async throws in
            #expect(await failure(wire, server.url("/"), configuration) == nil)
        }
    }

    @Test(
        "Invalid settings in tlsForHosts are .invalidConfiguration for each request",
        arguments: WireTransport.allCases,
        [
            ["a:1": TLSConfiguration()], ["*": .init()], ["a": .init(pins: ["x"])],
            ["a": .init(trust: .anchors([Data]()))],
            ["a": .init(), "A": .init(minimumVersion: .tls13)],
            ["a": .init(pins: [TLSConfiguration.pin(of: "x")])],
        ])
    func invalid(_ wire: WireTransport, _ hosts: [String: TLSConfiguration]) async throws {
        let url = try "https://127.0.0.1:1/".asURL()
        let error = await failure(wire, url, .init(tlsForHosts: hosts))
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(
        "The transport's description names the hosts whose certificates are not verified",
        arguments: WireTransport.allCases)
    func description(_ wire: WireTransport) {
        let transport = wire.make(.init(tlsForHosts: ["b.example": .init(trust: .disabled)]))
        #expect(transport.transportDescription.hasSuffix(", NOT VERIFYING CERTIFICATES OF b.example"))
        let pinned = TLSConfiguration(trust: .disabled, pins: ["sha256//" + Data(count: 32).base64EncodedString()])
        let byPins = wire.make(.init(tls: pinned, tlsForHosts: ["b.example": pinned]))
        #expect(!byPins.transportDescription.contains("NOT VERIFYING"), "pins verify, so nothing is warned of")
        let verifying = wire.make(.init(tlsForHosts: ["b.example": .init()]))
        #expect(!verifying.transportDescription.contains("NOT VERIFYING"))
    }

    // MARK: Metrics

    @Test(
        "Metrics have the certificates of a new connection if reportsCertificates is set",
        arguments: WireTransport.allCases, [true, false])
    func metrics(_ wire: WireTransport, _ reports: Bool) async throws {
        try await withTLSServer { server in
            let settings = SocketTransport.Configuration(
                tls: trusting(server), reportsCertificates: reports, idleTimeout: .seconds(600))
            let session = Session(transport: wire.make(settings))
            for isFirst in [true, false] {
                let response = await session.request(server.url("/")).serializing(Data.self).response
                let pems = response.metrics.serverCertificates.map(\.pem)
                #expect(pems == (reports && isFirst ? [server.anchor] : []))
                #expect(response.metrics.hops.first?.transport.certificates == pems)
            }
            await session.finish()
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(of work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
