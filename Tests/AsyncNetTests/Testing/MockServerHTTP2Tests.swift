import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// The clients that speak HTTP/2.
enum HTTP2Client: CaseIterable, Sendable {
    case sockets, libcurl

    func session(_ server: MockServer) -> Session {
        let trust: TLSConfiguration = server.anchor.isEmpty ? .init() : .init(trust: .anchors([server.anchor]))
        switch self {
        case .sockets: return Session(transport: .sockets(.init(tls: trust, httpVersion: .http2)))
        case .libcurl: return Session(transport: .libcurl(.init(tls: trust, httpVersion: .http2)))
        }
    }
}

@Suite("MockServer over HTTP/2", .timeLimit(.minutes(5)))
struct MockServerHTTP2Tests {
    @Test("Requests and responses have the version 2", arguments: HTTP2Client.allCases, [false, true])
    func version(_ client: HTTP2Client, _ isTLS: Bool) async throws {
        try await withHTTP2Server(client, tls: isTLS ? .selfSigned : nil) { server, session in
            server.on(.post, "/users/:id") { .json(["id": JSON($0.parameters["id"] ?? ""), "sent": try $0.json]) }
            let request = session.upload(.data(Data(#"{"x":1}"#.utf8)), to: server.url("/users/1?a=b"))
            let response = await request.serializing(JSON.self).response
            #expect(try response.result.get() == ["id": "1", "sent": ["x": 1]])
            #expect(response.head?.httpVersion == "HTTP/2")
            let seen = try await server.takeRequest()
            #expect(seen.httpVersion == "HTTP/2")
            #expect(seen.target == "/users/1?a=b")
            #expect(seen.headers["Host"] == "127.0.0.1:\(server.port)")
        }
    }
}

/// Runs a test with a server of HTTP/2 and a client.
func withHTTP2Server(
    _ client: HTTP2Client, tls: MockServer.TLS? = nil, _ settings: MockServer.HTTP2 = .init(),
    body: (MockServer, Session) async throws -> Void
) async throws {
    let server = try await MockServer.start(tls: tls, speaks: .http2, http2: settings)
    let session = client.session(server)
    do {
        try await body(server, session)
        await session.finish()
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}
