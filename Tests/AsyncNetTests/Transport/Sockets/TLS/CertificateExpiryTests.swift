import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("The expiry of a server's certificate", .timeLimit(.minutes(5)))
struct CertificateExpiryTests {
    @Test("Metrics have the expiry of the server's certificate, also on a reused connection")
    func expiry() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.route("/*") { _ in .text("a") }
        let expected = try ServerCertificate(Data(server.anchor.utf8)).notAfter
        let session = Session(transport: .sockets(.init(tls: .init(trust: .anchors([server.anchor])), eventLoops: 1)))
        for isReused in [false, true] {
            let response = await session.request(server.url("/")).serializing(String.self).response
            #expect(response.metrics.isConnectionReused == isReused)
            #expect(response.metrics.certificateExpiry == expected)
        }
        await session.finish()
        await server.stop()
    }

    @Test("Metrics have no certificate expiry without TLS")
    func noExpiry() async throws {
        try await withServer(.text("a")) { (server: MockServer) async throws in
            let response = await Session(transport: .sockets()).request(server.url()).serializing(String.self).response
            #expect(response.metrics.certificateExpiry == nil)
        }
    }
}
