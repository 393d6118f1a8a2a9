import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// A stub with a trust.
private struct TrustedTransport: Transport {
    let base: StubTransport
    let trust: ResponseTrust

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }
    func trust(for request: HTTPRequestHead) -> ResponseTrust { trust }
}

@Suite("Caching of responses from servers that are not verified", .timeLimit(.minutes(5)))
struct CacheTrustTests {
    private let cache = HTTPCache()
    private let clock = TestClock()

    private func session(_ trust: ResponseTrust, _ handler: @escaping StubTransport.Handler) -> Session {
        Session(
            transport: TrustedTransport(base: StubTransport(handler), trust: trust),
            configuration: .init(cache: cache, clock: clock))
    }

    private func summary(_ session: Session) async -> String {
        await session.request("https://a/").serializing(String.self).response.summary
    }

    @Test("A response from an unverified server, direct or through a proxy, is not served to a session that verifies")
    func poisoned() async {
        let good = session(.verified()) { _ in .text("good", headers: ["Cache-Control": "max-age=600"]) }
        let evil = session(.unverified(route: "")) { _ in .text("evil", headers: ["Cache-Control": "max-age=600"]) }
        let proxy = session(.unverified(route: "p")) { _ in .text("proxy", headers: ["Cache-Control": "max-age=600"]) }
        #expect(await summary(evil) == "miss evil")
        #expect(await summary(proxy) == "miss proxy")
        #expect(await summary(good) == "miss good")
        #expect(await summary(good) == "hit good")
        clock.advance(by: .seconds(1))
        // The newest that may be used: what was verified serves sessions that do not verify.
        #expect(await summary(evil).hasPrefix("hit"))
        #expect(await cache.statistics.entries == 3)
    }

    @Test("A response from a verified server is served to a session that does not verify")
    func weaker() async {
        let handler: StubTransport.Handler = { _ in .text("good", headers: ["Cache-Control": "max-age=600"]) }
        #expect(await summary(session(.verified(), handler)) == "miss good")
        #expect(await summary(session(.unverified(route: "p"), handler)) == "hit good")
    }

    @Test(
        "An unverified server's 304, 200 or no-store does not change the stored response of a verified server",
        arguments: ["304", "200", "no-store"])
    func revalidation(_ answer: String) async {
        let good = session(.verified()) { request in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"1\""]
            return request.headers["If-None-Match"] == nil
                ? .text("good", headers: headers) : .status(304, headers: headers)
        }
        let evil = session(.unverified(route: "")) { _ in
            switch answer {
            case "304": .status(304, headers: ["Cache-Control": "max-age=100000", "ETag": "\"1\""])
            case "200": .text("evil", headers: ["Cache-Control": "max-age=100000"])
            default: .text("evil", headers: ["Cache-Control": "no-store"])
            }
        }
        #expect(await summary(good) == "miss good")
        clock.advance(by: .seconds(20))
        #expect(await summary(evil) == (answer == "304" ? "revalidated good" : "miss evil"))
        clock.advance(by: .seconds(1))
        #expect(await summary(good) == "revalidated good")
        #expect(await summary(good) == "hit good")
    }

    @Test(
        "Over TLS, a response stored with trust disabled is not served to a session with anchors",
        arguments: [true, false])
    func libcurl(_ isOnDisk: Bool) async throws {
        let folder = try TemporaryFolder()
        let cache = isOnDisk ? try HTTPCache(directory: folder.url) : HTTPCache()
        let server = try await MockServer.start(tls: .selfSigned)
        server.on(.get, "/x", counting(["Cache-Control": "max-age=600"]))
        func summary(_ tls: TLSConfiguration) async -> String {
            let session = Session(transport: .libcurl(tls: tls), configuration: .init(cache: cache))
            let response = await session.request(server.url("/x")).serializing(String.self).response
            await session.finish()
            return response.summary
        }
        let anchors = TLSConfiguration(trust: .anchors([server.anchor]))
        #expect(await summary(.init(trust: .disabled)) == "miss 1")
        #expect(await summary(.init(trust: .disabled)) == "hit 1")
        #expect(await summary(.system) == "miss certificateNotTrusted")
        #expect(await summary(anchors) == "miss 2")
        #expect(await summary(anchors) == "hit 2")
        #expect(await summary(.system) == "miss certificateNotTrusted")
        await server.stop()
    }

    @Test(
        "A request over a transport that refuses the host or is invalid gets its error, not a stored response",
        arguments: [true, false])
    func unusable(_ isRefused: Bool) async {
        let handler: StubTransport.Handler = { _ in .text("evil", headers: ["Cache-Control": "max-age=600"]) }
        #expect(await summary(session(.unverified(route: ""), handler)) == "miss evil")
        #expect(await summary(session(.unverified(route: "none"), handler)) == "miss evil")
        let tls = isRefused ? TLSConfiguration.refused : TLSConfiguration(pins: ["x"])
        let transport = LibcurlTransport(configuration: .init(tls: tls, tlsForHosts: ["b": .system]))
        let session = Session(transport: transport, configuration: .init(cache: cache, clock: clock))
        #expect(await summary(session) == (isRefused ? "none certificateNotTrusted" : "none invalidConfiguration"))
        #expect(await cache.statistics.entries == 2)
    }
}
