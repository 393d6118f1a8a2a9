import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNetTestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Slow networks for real. No test waits for one: bodies that would take minutes are ended by the test.
@Suite("MockServer with a profile", .timeLimit(.minutes(5)))
struct MockServerProfileTests {
    private func withSlowServer(
        _ profile: NetworkProfile, tls: MockServer.TLS? = nil, body: (MockServer) async throws -> Void
    ) async throws {
        let server = try await MockServer.start(tls: tls, profile: profile)
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private static let fast = NetworkProfile(
        latency: .milliseconds(1), jitter: .milliseconds(1), download: 50_000_000, upload: 50_000_000)

    @Test(
        "A megabyte sent and received with a profile arrives whole, over each transport and TLS",
        arguments: ["libcurl", "URLSession", "TLS"])
    func whole(_ kind: String) async throws {
        try await withSlowServer(Self.fast, tls: kind == "TLS" ? .selfSigned : nil) {
            (server: MockServer) async throws in
            server.on(.put, "/") { request in .data(request.body) }
            let session =
                switch kind {
                case "TLS": Session(transport: .libcurl(tls: .init(trust: .anchors([server.anchor]))))
                case "libcurl": Session(transport: .libcurl())
                default: Session(transport: .urlSession)
                }
            let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let request = session.upload(.data(body), to: server.url(), method: .put)
            #expect(try await request.serializing(Data.self).value == body)
            await session.finish()
        }
    }

    @Test("stop() ends a body at once that takes minutes at its profile's rate")
    func download() async throws {
        try await withSlowServer(NetworkProfile(download: 200)) { (server: MockServer) async throws in
            server.on(.get, "/") { _ in .data(Data(count: 100_000)) }
            let session = Session(transport: .libcurl())
            var iterator = session.stream(server.url()).chunks.makeAsyncIterator()
            let first = try await iterator.next()
            #expect((1..<100_000).contains(first?.count ?? 0))
            await server.stop()
            let error = await #expect(throws: AsyncNetError.self) { while try await iterator.next() != nil {} }
            #expect(error?.code == .bodyEndedEarly)
        }
    }

    @Test("stop() ends an upload at once that takes minutes at its profile's rate")
    func upload() async throws {
        try await withSlowServer(NetworkProfile(upload: 100)) { (server: MockServer) async throws in
            server.on(.put, "/") { _ in .text("x") }
            let session = Session(transport: .libcurl())
            let sent = session.upload(.data(Data(count: 100_000)), to: server.url(), method: .put)
            let task = Task { await sent.serializing(Data.self).response }
            await server.connections(atLeast: 1)
            await #expect(throws: MockServer.Failure.self) { try await server.takeRequest(within: .milliseconds(1)) }
            await server.stop()
            #expect(await task.value.error?.code == .connectionLost)
            #expect(await server.requestCount == 0)
        }
    }

    @Test("The latency of a profile delays the response, not the request")
    func latency() async throws {
        try await withSlowServer(NetworkProfile(latency: .seconds(1000))) { (server: MockServer) async throws in
            server.on(.get, "/") { _ in .text("x") }
            let session = Session(transport: .libcurl())
            let task = Task { await session.request(server.url()).serializing(Data.self).response }
            #expect(try await server.takeRequest().path == "/")
            await server.stop()
            #expect(await task.value.error?.code == .emptyReply)
        }
    }

    @Test("The requests that a profile loses are decided by its seed")
    func loss() async throws {
        let profile = NetworkProfile(loss: 0.5, seed: 3)
        try await withSlowServer(profile) { (server: MockServer) async throws in
            server.on(.post, "/") { _ in .text("x") }
            let session = Session(transport: .libcurl())
            var codes: [AsyncNetError.Code?] = []
            for _ in 1...20 {
                let response = await session.request(server.url(), method: .post).serializing(Data.self).response
                codes.append(response.error?.code)
            }
            #expect(codes == (1...20).map { ExchangeChance(profile, number: $0).isLost ? .connectionLost : nil })
            #expect(await server.requestCount == 20)
        }
    }

    @Test("An offline server refuses connections")
    func offline() async throws {
        try await withSlowServer(.offline) { (server: MockServer) async throws in
            let response = await Session(transport: .libcurl()).request(server.url()).serializing(Data.self).response
            #expect(response.error?.code == .cannotConnect)
        }
    }
}
