import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// HTTP/3 where nothing answers over UDP. `Scripts/http3` has a server that does.
@Suite("HTTP/3 without a UDP path", .timeLimit(.minutes(5)))
struct HTTP3FallbackTests {
    private static let hasHTTP3 = (try? Libcurl.version.get())?.hasHTTP3 == true

    private func session(_ server: MockServer, _ version: LibcurlTransport.HTTPVersion) -> Session {
        Session(
            transport: .libcurl(.init(tls: .init(trust: .anchors([server.anchor])), httpVersion: version)))
    }

    @Test(
        "A POST succeeds although the offered port of HTTP/3 does not answer", .enabled(if: hasHTTP3),
        arguments: [true, false])
    func deadOffer(_ isOnOwnPort: Bool) async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        let listener = try SilentListener()
        let port = isOnOwnPort ? server.port : listener.port
        server.on(.post, "/") { request in
            MockResponse(headers: ["Alt-Svc": #"h3=":\#(port)""#], body: request.body)
        }
        let session = session(server, .automatic)
        for number in 0..<4 {
            let response = await session.upload(.data(Data("\(number)".utf8)), to: server.url())
                .serializing(String.self).response
            #expect(response.value == "\(number)", "\(String(describing: response.error))")
        }
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.headers["Alt-Used"] == nil })
        await session.finish()
        await server.stop()
    }

    @Test(
        "With .http3 a request ends with .cannotConnect if the port is closed for UDP", .enabled(if: hasHTTP3))
    func onlyHTTP3() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        let session = session(server, .http3)
        let failure = await session.request(server.url()).serializing(Data.self).result.failure
        #expect(failure?.code == .cannotConnect)
        let plain = try "http://127.0.0.1:\(server.port)/".asURL()
        let refusal = await session.request(plain).serializing(Data.self).result.failure
        #expect(refusal?.code == .unsupportedByTransport)
        #expect(server.requests.isEmpty)
        await session.finish()
        await server.stop()
    }

    @Test(
        "With .http3Preferred a request falls back to TCP if the port does not answer over UDP", .enabled(if: hasHTTP3))
    func preferredHTTP3() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        server.on(.get, "/") { _ in MockResponse(body: Data("ok".utf8)) }
        let session = session(server, .http3Preferred)
        let value = try await session.request(server.url()).serializing(String.self).value
        #expect(value == "ok")
        await session.finish()
        await server.stop()
    }

    @Test("A libcurl without HTTP/3 refuses .http3, and ignores offers with .automatic", .enabled(if: !hasHTTP3))
    func absentHTTP3() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        server.on(.get, "/") { _ in MockResponse(headers: ["Alt-Svc": #"h3=":1""#], body: Data("ok".utf8)) }
        let refused = session(server, .http3)
        let failure = await refused.request(server.url()).serializing(Data.self).result.failure
        #expect(failure?.code == .unsupportedByTransport)
        let session = session(server, .automatic)
        for _ in 0..<2 {
            let value = try await session.request(server.url()).serializing(String.self).value
            #expect(value == "ok")
        }
        await refused.finish()
        await session.finish()
        await server.stop()
    }
}
