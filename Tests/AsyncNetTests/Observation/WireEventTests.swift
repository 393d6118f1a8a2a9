import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Events that only a transport can report, over real connections.
@Suite("Events of the wire", .timeLimit(.minutes(5)))
struct WireEventTests {
    private func events(
        _ transport: some Transport, _ server: MockServer, _ interests: EventInterests = .standard,
        _ run: (Session) async throws -> Void
    ) async throws -> [SessionEvent] {
        let recorder = EventRecorder(interests: interests)
        let session = Session(transport: transport, configuration: SessionConfiguration(monitors: [recorder]))
        try await run(session)
        await session.finish()
        return recorder.events
    }

    @Test("Over libcurl events report heads, connections, interim responses and metrics of each hop")
    func libcurl() async throws {
        try await withServer(
            .redirect(to: "/y"), .text("abc").after(informational: 103, headers: ["Link": "<a>"])
        ) { (server: MockServer) async throws in
            let events = try await events(.libcurl(), server) { session in
                _ = try await session.request(server.url("/x")).serializing(String.self).value
            }
            #expect(
                events.map(\.step) == [
                    "created", "resumed", "1 attempt GET /x", "1.1 hop GET /x", "1.1 sent GET /x HTTP/1.1",
                    "1.1 connected anew", "1.1 ended redirected 302 GET /y", "1.2 hop GET /y",
                    "1.2 sent GET /y HTTP/1.1", "1.2 informational 103", "1.2 connected again", "1.2 response 200",
                    "1.2 received 3 bytes", "1.2 ended delivered 200", "1 finished", "1 decoded String",
                ])
            let connections = events.compactMap { if case .connected(let info) = $0.event { info } else { nil } }
            #expect(connections.map(\.httpVersion) == ["HTTP/1.1", "HTTP/1.1"])
            #expect(connections.first?.remoteAddress == "127.0.0.1")
            #expect(connections.first?.remotePort == server.url().port)
        }
    }

    @Test("The bytes of bodies are reported as they are sent and received")
    func bodies() async throws {
        try await withServer(.data(Data(count: 300_000))) { (server: MockServer) async throws in
            let events = try await events(.libcurl(), server) { session in
                let body = Data(count: 200_000)
                _ = try await session.upload(.data(body), to: server.url()).serializing(Data.self).value
            }
            var (sent, received): ([Int64], [Int64]) = ([], [])
            for event in events {
                if case .sentBody(let bytes, let total) = event.event {
                    sent.append(bytes)
                    #expect(total == 200_000)
                }
                if case .receivedBody(let bytes) = event.event { received.append(bytes) }
            }
            #expect(sent == sent.sorted() && sent.last == 200_000)
            #expect(received == received.sorted() && received.last == 300_000)
        }
    }

    @Test("No costly event is made for an observer with minimal interests")
    func minimal() async throws {
        try await withServer(.text("abc")) { (server: MockServer) async throws in
            let events = try await events(.libcurl(), server, .minimal) { session in
                _ = try await session.upload(.data(Data([1])), to: server.url()).serializing(Data.self).value
            }
            #expect(
                events.map(\.step) == [
                    "created", "resumed", "1 attempt POST /", "1.1 hop POST /", "1.1 connected anew",
                    "1.1 response 200", "1.1 ended delivered 200", "1 finished", "1 decoded Data",
                ])
        }
    }

    @Test("The event of a new TLS connection has the server's certificates, and the event of a reused one has none")
    func certificates() async throws {
        let server = try await MockServer.start(tls: .selfSigned)
        await server.enqueue(.text("a"), .text("b"))
        let events = try await events(.libcurl(tls: .init(trust: .anchors([server.anchor]))), server) { session in
            for _ in 0..<2 { _ = try await session.request(server.url()).serializing(Data.self).value }
        }
        let shown = events.compactMap { if case .connected(let info) = $0.event { info.certificates } else { nil } }
        #expect(shown.map(\.count) == [1, 0])
        #expect(shown.first?.first?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
        await server.stop()
    }

    @Test("A hop that fails without a response ends before its request")
    func refused() async throws {
        try await withServer(.fault(.resetBeforeHead)) { (server: MockServer) async throws in
            let events = try await events(.libcurl(), server, .minimal) { session in
                _ = await session.post(server.url()).serializing(Data.self).result
            }
            #expect(events.last?.event.step == "finished connectionLost")
            #expect(events.dropLast().last?.event.step == "ended failed connectionLost")
        }
    }

    @Test("Over URLSession events report hops, redirects and responses")
    func urlSession() async throws {
        try await withServer(.redirect(to: "/y"), .text("abc")) { (server: MockServer) async throws in
            let events = try await events(.urlSession, server) { session in
                _ = try await session.request(server.url("/x")).serializing(String.self).value
            }
            let steps = events.map(\.step).filter { !$0.hasSuffix("queued") && !$0.hasSuffix("admitted") }
            #expect(
                steps == [
                    "created", "resumed", "1 attempt GET /x", "1.1 hop GET /x",
                    "1.1 ended redirected 302 GET /y", "1.2 hop GET /y", "1.2 response 200", "1.2 received 3 bytes",
                    "1.2 ended delivered 200", "1 finished", "1 decoded String",
                ])
        }
    }
}
