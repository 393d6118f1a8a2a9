import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("MockServer with TLS", .timeLimit(.minutes(5)))
struct MockServerTLSTests {
    private func withTLSServer<Result>(
        _ tls: MockServer.TLS = .selfSigned, on interface: MockServer.Interface = .ipv4,
        body: (MockServer, Session) async throws -> Result
    ) async throws -> Result {
        let server = try await MockServer.start(on: interface, tls: tls)
        let session = Session(
            transport: .sockets(.init(tls: .init(trust: .anchors([server.anchor])), idleTimeout: .seconds(600))))
        do {
            let result = try await body(server, session)
            await session.finish()
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test(
        "A client that trusts the server's anchor sends several requests on one connection",
        arguments: [MockServer.Interface.ipv4, .ipv6])
    func trusted(_ interface: MockServer.Interface) async throws {
        try await withTLSServer(on: interface) { (server: MockServer, session: Session) async throws in
            server.on(.get, "/users/:id") { request in .json(["id": JSON(request.parameters["id"] ?? "")]) }
            #expect(server.url("/users/1").scheme == "https")
            #expect(server.anchor.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
            for number in 1...3 {
                let text = try await session.request(server.url("/users/\(number)")).serializing(String.self).value
                #expect(text == #"{"id":"\#(number)"}"#)
            }
            #expect(await server.connectionCount == 1)
        }
    }

    @Test(
        "Each faulty certificate ends the request with the error of that fault",
        arguments: [
            (MockServer.TLS.selfSigned, false, .certificateNotTrusted), (.expired, true, .certificateExpired),
            (.wrongHost, true, .certificateHostMismatch),
        ] as [(MockServer.TLS, Bool, AsyncNetError.Code)])
    func refused(_ tls: MockServer.TLS, _ isTrusted: Bool, _ code: AsyncNetError.Code) async throws {
        try await withTLSServer(tls) { server, trusting in
            let session = isTrusted ? trusting : Session(transport: .sockets())
            let result = await session.request(server.url()).serializing(Data.self).result
            #expect(result.failure?.code == code)
            #expect(await server.requestCount == 0)
        }
    }

    @Test("A large body sent and received over TLS arrives whole")
    func largeBodies() async throws {
        try await withTLSServer { (server: MockServer, session: Session) async throws in
            server.on(.put, "/echo") { request in .data(request.body) }
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let request = session.request(
                server.url("/echo"), method: .put, options: RequestOptions(modifier: { $0.httpBody = body }))
            #expect(try await request.serializing(Data.self).value == body)
        }
    }

    @Test(
        "Each fault over TLS ends the request with the error of that fault",
        arguments: [
            (MockResponse.Fault.refuse, [.cannotConnect, .tlsHandshakeFailed, .connectionLost]),
            (.closeBeforeHead, [.emptyReply]), (.resetBeforeHead, [.connectionLost]),
            (.resetMidBody(after: 3), [.connectionLost]), (.truncate(after: 3), [.bodyEndedEarly]),
            (.garbage, [.badServerResponse]),
        ] as [(MockResponse.Fault, [AsyncNetError.Code])])
    func faults(_ fault: MockResponse.Fault, _ codes: [AsyncNetError.Code]) async throws {
        try await withTLSServer { (server: MockServer, session: Session) async throws in
            await server.enqueue(.fault(fault))
            let result = await session.request(server.url(), method: .post).serializing(Data.self).result
            #expect(result.failure.map { codes.contains($0.code) } == true, "\(result)")
        }
    }

    @Test("Bytes that are not TLS end only their own connection")
    func strangers() async throws {
        try await withTLSServer { (server: MockServer, session: Session) async throws in
            let plain = "http://127.0.0.1:\(server.port)/"
            #expect(await session.request(plain).serializing(Data.self).result.failure != nil)
            server.on(.get, "/", replies: .text("fine"))
            #expect(try await session.request(server.url()).serializing(String.self).value == "fine")
            #expect(await server.requestCount == 1)
        }
    }

    @Test("A server without TLS has no anchor")
    func plain() async throws {
        try await withServer { server in
            #expect(server.anchor.isEmpty)
            #expect(server.url().scheme == "http")
        }
    }
}
