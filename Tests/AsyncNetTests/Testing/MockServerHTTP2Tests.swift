import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// The clients that speak HTTP/2. libcurl does so with TLS: 7.88 uses no connection a second time without.
enum HTTP2Client: CaseIterable, Sendable {
    case sockets, libcurl

    var tls: MockServer.TLS? { self == .libcurl ? .selfSigned : nil }

    func session(_ server: MockServer, isAutomatic: Bool = false) -> Session {
        // On a busy machine more than the defaults' minute may pass between two steps of a test.
        Session(
            transport: transport(server, isAutomatic: isAutomatic),
            configuration: SessionConfiguration(timeout: .seconds(600)))
    }

    func transport(_ server: MockServer, isAutomatic: Bool = false) -> any Transport {
        let tls: TLSConfiguration = server.anchor.isEmpty ? .init() : .init(trust: .anchors([server.anchor]))
        return switch self {
        case .sockets:
            .sockets(.init(tls: tls, httpVersion: isAutomatic ? .automatic : .http2, idleTimeout: .seconds(600)))
        case .libcurl:
            .libcurl(
                .init(
                    tls: tls, httpVersion: isAutomatic ? .automatic : .http2, idleTimeout: .seconds(600),
                    eventLoops: 1))
        }
    }
}

/// Runs a test with a server that speaks HTTP/2, and a client.
func withHTTP2Server(
    _ client: HTTP2Client, _ settings: MockServer.HTTP2 = .init(), tls: MockServer.TLS? = nil,
    speaks versions: MockServer.Versions = .http2, body: (MockServer, Session) async throws -> Void
) async throws {
    let server = try await MockServer.start(tls: tls ?? client.tls, speaks: versions, http2: settings)
    let session = client.session(server, isAutomatic: versions == .both)
    do {
        try await body(server, session)
        await session.finish()
        await server.stop()
        try server.verify()
    } catch {
        await server.stop()
        throw error
    }
}

@Suite("MockServer over HTTP/2", .timeLimit(.minutes(5)))
struct MockServerHTTP2Tests {
    // MARK: Versions

    @Test(
        "A server with speaks: .http2 responds over HTTP/2, with TLS and without", arguments: HTTP2Client.allCases,
        [MockServer.TLS.selfSigned, nil])
    func version(_ client: HTTP2Client, _ tls: MockServer.TLS?) async throws {
        try await withHTTP2Server(client, tls: tls) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/users/:id") { .json(["id": JSON($0.parameters["id"] ?? ""), "sent": try $0.json]) }
            let request = session.upload(
                .data(Data(#"{"x":1}"#.utf8)), to: server.url("/users/1?a=b"), headers: ["Cookie": "a=1; b=2"])
            let response = await request.serializing(JSON.self).response
            #expect(try response.result.get() == ["id": "1", "sent": ["x": 1]])
            #expect(response.head?.httpVersion == "HTTP/2")
            let seen = try await server.takeRequest()
            #expect(seen.httpVersion == "HTTP/2")
            #expect(seen.target == "/users/1?a=b")
            #expect(seen.headers["Host"] == "127.0.0.1:\(server.port)")
            #expect(seen.headers.values(for: "Cookie") == ["a=1; b=2"])
            #expect(!seen.headers.contains { $0.name.hasPrefix(":") })
        }
    }

    @Test(
        "ALPN selects the HTTP version that client and server both support",
        arguments: [
            (MockServer.Versions.http1, "HTTP/1.1"), (.http2, "HTTP/2"), (.both, "HTTP/2"),
        ], HTTP2Client.allCases)
    func negotiation(_ versions: (server: MockServer.Versions, agreed: String), _ client: HTTP2Client) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: versions.server)
        await server.enqueue(.text("hello"))
        let session = client.session(server, isAutomatic: true)
        let response = await session.request(server.url()).serializing(String.self).response
        #expect(response.head?.httpVersion == versions.agreed)
        await server.stop()
    }

    @Test("A server with speaks: .http2 refuses a TLS client that speaks HTTP/1.1", arguments: HTTP2Client.allCases)
    func refusal(_ client: HTTP2Client) async throws {
        let server = try await MockServer.start(tls: .selfSigned, speaks: .http2)
        let tls = TLSConfiguration(trust: .anchors([server.anchor]))
        let session =
            client == .sockets
            ? Session(transport: .sockets(.init(tls: tls, httpVersion: .http1)))
            : Session(transport: .libcurl(.init(tls: tls, httpVersion: .http1)))
        let result = await session.request(server.url()).serializing(Data.self).result
        // libcurl offers no protocol for HTTP/1.1, so that the server finds out by the first bytes.
        #expect([.tlsHandshakeFailed, .badServerResponse].contains(result.failure?.code))
        #expect(await server.requestCount == 0)
        await server.stop()
    }

    @Test("A server with speaks: .both serves requests and WebSockets of a client of HTTP/1.1 over HTTP/1.1")
    func both() async throws {
        let server = try await MockServer.start(speaks: .both)
        server.on(.get, "/text", replies: .text("hello"))
        server.on(.get, "/socket", replies: .webSocket { socket in try await socket.send(.text("hello")) })
        let session = Session()
        let response = await session.request(server.url("/text")).serializing(String.self).response
        #expect(try response.result.get() == "hello")
        #expect(response.head?.httpVersion == "HTTP/1.1")
        var messages: [WebSocketMessage] = []
        for try await message in session.webSocket(server.webSocketURL("/socket")).messages { messages.append(message) }
        #expect(messages == [.text("hello")])
        let tls = await session.request("https://127.0.0.1:\(server.port)/").serializing(Data.self).result
        #expect(tls.failure?.code == .tlsHandshakeFailed)
        await server.stop()
    }

    // MARK: Responses

    @Test("Large bodies sent and received at the same time arrive whole", arguments: [MockServer.TLS.selfSigned, nil])
    func largeBodies(_ tls: MockServer.TLS?) async throws {
        try await withHTTP2Server(.sockets, tls: tls) { (server: MockServer, session: Session) async throws in
            server.on(.post, "/echo") { .data($0.body) }
            let bodies = (1...4).map { patternedData(3_000_000 + $0) }
            let echoes = bodies.map { body in
                Task { try await session.upload(.data(body), to: server.url("/echo")).serializing(Data.self).value }
            }
            for (echo, body) in zip(echoes, bodies) { #expect(try await echo.value == body) }
        }
    }

    @Test("Interim responses, chunks and trailers arrive in order", arguments: HTTP2Client.allCases)
    func parts(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, _: Session) async throws in
            await server.enqueue(
                MockResponse.chunked(["one", "two"], trailers: ["X-Sum": "9"])
                    .after(informational: 103, headers: ["Link": "</s>"]))
            let told = Locked<[String]>([])
            let request = TransportRequest(head: HTTPRequestHead(method: .get, url: server.url())) { event in
                switch event {
                case .informational(let head): told.withLock { $0.append("\(head.statusCode) \(head.headers)") }
                case .trailers(let trailers): told.withLock { $0.append("\(trailers)") }
                default: break
                }
            }
            let response = try await client.transport(server).send(request)
            var text = ""
            for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
            #expect(text == "onetwo")
            #expect(response.head.headers["Content-Length"] == nil)
            #expect(told.withLock { $0.map { $0.lowercased() } } == ["103 link: </s>", "x-sum: 9"])
        }
    }

    @Test(
        "Responses to HEAD, 204 and 304 end without a body, and Connection is not sent over HTTP/2",
        arguments: HTTP2Client.allCases)
    func bodiless(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            server.on(.get, "/empty", replies: .status(204), .status(304))
            server.on(.get, "/text", replies: .text("hello", headers: ["Connection": "keep-alive"]))
            for path in ["/empty", "/empty"] {
                let response = await session.request(server.url(path)).serializing(Data?.self).response
                #expect([204, 304].contains(response.head?.statusCode))
            }
            let head = await session.request(server.url("/text"), method: .head).serializing(Data?.self).response
            #expect(head.head?.headers["Content-Length"] == "5")
            let response = await session.request(server.url("/text")).serializing(String.self).response
            #expect(try response.result.get() == "hello")
            #expect(response.head?.headers["Connection"] == nil)
            #expect(await server.connectionCount == 1)
        }
    }

    @Test("A body with Expect: 100-continue is sent after the server's 100 response")
    func expectation() async throws {
        let server = try await MockServer.start(speaks: .http2)
        server.on(.post, "/") { .text($0.text) }
        let session = Session(
            transport: .sockets(.init(httpVersion: .http2, expectContinueTimeout: .seconds(1000))))
        let request = session.upload(.data(Data("hello".utf8)), to: server.url(), headers: ["Expect": "100-continue"])
        #expect(try await request.serializing(String.self).value == "hello")
        await server.stop()
    }

    // MARK: Streams

    @Test("The server responds concurrently to requests on one connection", arguments: HTTP2Client.allCases)
    func concurrency(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            let (arrived, gate) = (Gate(), Gate())
            server.on(.get, "/waits") { _ in
                arrived.open()
                await gate.wait()
                return .text("late")
            }
            server.on(.get, "/opens") { _ in
                gate.open()
                return .text("early")
            }
            async let late = session.request(server.url("/waits")).serializing(String.self).value
            await arrived.wait()
            #expect(try await session.request(server.url("/opens")).serializing(String.self).value == "early")
            let text = try await late
            #expect(text == "late")
            #expect(await server.connectionCount == 1)
        }
    }

    @Test(
        "A response body that is not read does not block other responses of the connection",
        arguments: HTTP2Client.allCases)
    func unread(_ client: HTTP2Client) async throws {
        try await withHTTP2Server(client) { (server: MockServer, session: Session) async throws in
            server.on(.get, "/large", replies: .data(Data(count: 50_000_000)))
            server.on(.get, "/small", replies: .text("hello"))
            let stream = session.stream(server.url("/large"))
            #expect(try await stream.head.statusCode == 200)
            #expect(try await session.request(server.url("/small")).serializing(String.self).value == "hello")
            #expect(await server.connectionCount == 1)
            await stream.cancel()
        }
    }

    @Test("A cancelled request cancels the closure of its route, and the connection stays open")
    func cancelling() async throws {
        try await withHTTP2Server(.sockets) { (server: MockServer, session: Session) async throws in
            let (arrived, cancelled) = (Gate(), Gate())
            server.on(.get, "/waits") { _ in
                arrived.open()
                await Gate().wait()
                cancelled.open()
                return .status(200)
            }
            server.on(.get, "/", replies: .text("hello"))
            let task = Task { await session.request(server.url("/waits")).serializing(Data.self).result }
            await arrived.wait()
            task.cancel()
            #expect(await task.value.failure?.code == .cancelled)
            await cancelled.wait()
            #expect(try await session.request(server.url()).serializing(String.self).value == "hello")
            #expect(await server.connectionCount == 1)
        }
    }

    @Test(
        "stop() ends stalled streams, delayed responses and closures of routes that wait",
        arguments: HTTP2Client.allCases)
    func stopping(_ client: HTTP2Client) async throws {
        let server = try await MockServer.start(tls: client.tls, speaks: .http2)
        server.on(.get, "/waits") { _ in
            await Gate().wait()
            return .status(200)
        }
        server.on(.get, "/stalls", replies: .fault(.stall))
        server.on(.get, "/slow", replies: .status(200).delayed(by: .seconds(1000)))
        let session = client.session(server)
        let tasks = ["/waits", "/stalls", "/slow"].map { path in
            Task { await session.request(server.url(path)).serializing(Data.self).result }
        }
        for _ in 0..<3 { _ = try await server.takeRequest() }
        await server.stop()
        for task in tasks { #expect(await task.value.failure != nil) }
        #expect(await server.openConnectionCount == 0)
    }

    // MARK: Networks

    @Test("A NetworkProfile delays responses, and loses requests with connectionLost", arguments: [0.0, 1])
    func network(loss: Double) async throws {
        let profile = NetworkProfile(latency: .milliseconds(1), loss: loss)
        let server = try await MockServer.start(speaks: .http2, profile: profile)
        server.on(.post, "/", replies: .text("hello"))
        let session = HTTP2Client.sockets.session(server)
        let result = await session.upload(.data(Data("a".utf8)), to: server.url()).serializing(String.self).result
        #expect(result.failure?.code == (loss == 0 ? nil : .connectionLost))
        await server.stop()
    }
}
