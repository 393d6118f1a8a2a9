import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetLibcurl

/// Heads as they go over the wire are made only for observers: libcurl's verbose output costs each transfer time.
@Suite("Sent heads and rates over libcurl", .timeLimit(.minutes(5)))
struct LibcurlSentHeadTests {
    @Test("The sent head is reported as the server receives it, and only if it is observed", arguments: [true, false])
    func observed(_ isObserved: Bool) async throws {
        try await withServer(.text("x")) { (server: MockServer) async throws in
            let heads = Locked<[SentHead]>([])
            var request = TransportRequest(
                head: HTTPRequestHead(method: .post, url: server.url("/a?b=c"), headers: ["X": "1"]),
                body: .data(Data("abc".utf8)),
                onEvent: { if case .sentHead(let head) = $0 { heads.withLock { $0.append(head) } } })
            request.interests = EventInterests(sentHeads: isObserved)
            for try await _ in try await LibcurlTransport().send(request).body {}
            let seen = try await server.takeRequest()
            #expect(heads.withLock { $0.map(\.requestLine) } == (isObserved ? ["POST /a?b=c HTTP/1.1"] : []))
            #expect(heads.withLock { $0.map(\.headers) } == (isObserved ? [seen.headers] : []))
        }
    }

    @Test("A request's events report the sent head of each hop, and the 401 between two heads")
    func hops() async throws {
        let challenge = MockResponse.status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
        try await withServer(
            .status(302, headers: ["Location": "/b"]), challenge, .text("x")
        ) { (server: MockServer) async throws in
            let request = Session(transport: LibcurlTransport()).request(server.url("/a"))
            request.authenticate(username: "u", password: "secret")
            let events = request.events
            _ = try await request.serializing(Data.self).value
            var told: [String] = []
            for await event in events {
                if case .sent(let head) = event { told.append(head.requestLine) }
                if case .hopEnded(let hop) = event, case .challenged = hop.ending {
                    told.append("\(hop.response?.statusCode ?? 0)")
                }
                #expect(!event.description.contains("secret"))
            }
            #expect(told == ["GET /a HTTP/1.1", "GET /b HTTP/1.1", "401", "GET /b HTTP/1.1"])
        }
    }

    @Test("The head of a CONNECT is reported although the proxy refuses it")
    func tunnel() async throws {
        try await withServer(.status(403)) { (server: MockServer) async throws in
            let session = Session(transport: .libcurl(.init(proxy: .http("127.0.0.1", port: server.port))))
            let request = session.request("https://example.com/")
            let events = request.events
            #expect(await request.serializing(Data.self).response.error?.code == .proxyFailed)
            var told: [String] = []
            for await event in events { if case .sent(let head) = event { told.append(head.requestLine) } }
            #expect(told == ["CONNECT example.com:443 HTTP/1.1"])
        }
    }

    @Test("An observer of progress does not make a request observed, and an observer of events does")
    func progressOnly() {
        let observers = RequestObservers(RequestID(), .data, EventHub([], TimeSource(ContinuousClock())))
        _ = observers.observeDownloads { nil }
        #expect(!observers.isObserved)
        _ = observers.observeEvents()
        #expect(observers.isObserved)
    }

    /// At 1000 bytes per second the transfer takes an hour. libcurl begins to count after some bytes: after a hundred receive
    /// buffers, or as much as the sockets hold.
    @Test(
        "Transfers without a rate limit end before a transfer of the same size at 1000 bytes a second",
        arguments: [true, false])
    func rates(_ isReceiving: Bool) async throws {
        let bytes = Data(count: isReceiving ? 2_000_000 : 40_000_000)
        let server = try await MockServer.start()
        server.on(nil, "/", replies: .data(isReceiving ? bytes : Data([1])))
        let rate: Int64 = 1000
        let slow = Session(
            transport: .libcurl(
                .init(maximumReceiveRate: isReceiving ? rate : nil, maximumSendRate: isReceiving ? nil : rate)),
            // A busy machine must not use the timeout up before the cancel.
            configuration: .init(timeout: .seconds(600)))
        let fast = Session(transport: .libcurl())
        let body: RequestBody = isReceiving ? .none : .data(bytes)
        let limited = Task { try await slow.upload(body, to: server.url()).serializing(Data.self).value }
        for _ in 0..<3 { _ = try await fast.upload(body, to: server.url()).serializing(Data.self).value }
        limited.cancel()
        let code = await AsyncNetError.code { _ = try await limited.value }
        #expect(code == .cancelled)
        await server.stop()
    }

    @Test("A maximum rate below 1 is .invalidConfiguration", arguments: [(0, nil), (nil, -1)] as [(Int64?, Int64?)])
    func wrongRates(_ receiving: Int64?, _ sending: Int64?) async throws {
        let transport = LibcurlTransport(
            configuration: .init(maximumReceiveRate: receiving, maximumSendRate: sending))
        let error = await Session(transport: transport).request("http://127.0.0.1:1/").serializing(Data.self).response
            .error
        #expect(error?.code == .invalidConfiguration)
    }
}
