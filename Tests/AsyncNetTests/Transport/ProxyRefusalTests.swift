import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A proxy that refuses the request for a tunnel (CONNECT, RFC 9110 §9.3.6).
@Suite("Refusals of proxies", .timeLimit(.minutes(5)))
struct ProxyRefusalTests {
    private static let kinds = TransportUnderTest.withProxies
    private static let statuses = [400, 403, 404, 407, 429, 500, 502, 503, 504]

    private func withProxy(
        _ status: Int, over kind: TransportUnderTest, _ configuration: SessionConfiguration = .init(),
        _ body: (MockServer, Session) async throws -> Void
    ) async throws {
        let refusal = MockResponse.status(status, headers: ["Proxy-Authenticate": #"Basic realm="x""#, "X-Why": "no"])
        let proxy = try await MockServer.start()
        for _ in 0..<6 { await proxy.enqueue(refusal) }
        let settings = ProxyConfiguration.http("127.0.0.1", port: proxy.port, username: "ada", password: "wrong")
        try await body(proxy, Session(transport: kind.make(proxy: settings), configuration: configuration))
        await proxy.stop()
    }

    @Test(
        "A refused CONNECT ends the request with .proxyFailed and the proxy's response; only 5xx is retried",
        arguments: statuses, kinds)
    func retries(_ status: Int, _ kind: TransportUnderTest) async throws {
        let policy = RetryPolicy(
            limit: 2, backoff: Backoff(scale: .zero, maximum: .zero, jitter: .none), maximumRetryAfter: nil)
        try await withProxy(status, over: kind, .init(interceptors: [policy])) { proxy, session in
            let error = await session.request("https://example.test/a").serializing(Data.self).response.error
            #expect(error?.code == .proxyFailed)
            #expect(error?.statusCode == status)
            #expect(error?.response?.value(forHTTPHeaderField: "X-Why") == "no")
            #expect(error?.request?.url?.absoluteString == "https://example.test/a")
            #expect(proxy.requests.map(\.method.rawValue) == Array(repeating: "CONNECT", count: status < 500 ? 1 : 3))
        }
    }

    @Test("A request that bypasses the proxy is not sent to the proxy if its server is not trusted", arguments: kinds)
    func untrusted(_ kind: TransportUnderTest) async throws {
        let (proxy, server) = (try await MockServer.start(), try await MockServer.start(tls: .selfSigned))
        let settings = ProxyConfiguration.http("127.0.0.1", port: proxy.port).bypassing(["127.0.0.1"])
        let session = Session(transport: kind.make(proxy: settings))
        let error = await session.request(server.url("/")).serializing(Data.self).response.error
        #expect(error?.code == .certificateNotTrusted)
        #expect(proxy.requests.isEmpty)
        await server.stop()
        await proxy.stop()
    }

    @Test("The environment's proxy is bypassed for a host of bypassing()")
    func bypassedHosts() {
        let settings = ProxyConfiguration.environment.bypassing(["a.test"])
        #expect(settings.isBypassed(by: "a.test", port: 80))
        #expect(!settings.isBypassed(by: "b.test", port: 80))
    }

    @Test(
        "A CONNECT that is refused with 5xx opens the origin's circuit, one with 4xx does not", arguments: statuses,
        kinds)
    func circuits(_ status: Int, _ kind: TransportUnderTest) async throws {
        // With a clock that stands still no probe is admitted, however slow the machine is.
        let breaker = CircuitBreaker(consecutiveFailures: 1)
        try await withProxy(status, over: kind, .init(circuitBreaker: breaker, clock: TestClock())) { proxy, session in
            _ = await session.request("https://example.test/").serializing(Data.self).response
            let error = await session.request("https://example.test/").serializing(Data.self).response.error
            #expect(error?.code == (status < 500 ? .proxyFailed : .circuitOpen))
            #expect(proxy.requests.count == (status < 500 ? 2 : 1))
        }
    }

    @Test(
        "The errors of a WebSocket and a raw stream have the response of a proxy that refuses CONNECT",
        arguments: [407, 502])
    func connections(_ status: Int) async throws {
        try await withProxy(status, over: .sockets) { _, session in
            var errors: [AsyncNetError] = []
            do throws(AsyncNetError) { try await session.webSocket("ws://example.test/").open() } catch {
                errors.append(error)
            }
            do throws(AsyncNetError) { _ = try await session.connect(to: "example.test", port: 6379, tls: .none) } catch
            {
                errors.append(error)
            }
            #expect(errors.map(\.code) == [.proxyFailed, .proxyFailed])
            #expect(errors.map(\.statusCode) == [status, status])
            #expect(errors.allSatisfy { $0.response?.value(forHTTPHeaderField: "X-Why") == "no" })
        }
    }

    @Test(
        "A WebSocket is opened again after a proxy's refusal with 5xx or without a status, not with 4xx",
        arguments: statuses + [0])
    func reconnection(_ status: Int) {
        var error = AsyncNetError(.proxyFailed)
        if status > 0 { error = error.with(proxy: .init(statusCode: status) { nil }) }
        let delay = WebSocketReconnection.always().delay(after: error, closeCode: nil, failures: 1, jitter: 0)
        #expect((delay != nil) == !(400..<500 ~= status))
    }

    @Test("The errors of requests that share a transfer all have the status of a refused CONNECT", arguments: kinds)
    func shared(_ kind: TransportUnderTest) async throws {
        try await withProxy(407, over: kind, .init(coalescesRequests: true)) { _, session in
            async let first = session.request("https://example.test/").serializing(Data.self).response
            async let second = session.request("https://example.test/").serializing(Data.self).response
            #expect(await [first, second].map { $0.error?.statusCode } == [407, 407])
        }
    }

    @Test(
        "The proxy's 200 to CONNECT is not taken for the server's response, also in a later tunnel",
        arguments: kinds)
    func openTunnels(_ kind: TransportUnderTest) async throws {
        let proxy = try RawServer(
            """
            c.sendall(b"HTTP/1.1 200 Open\\r\\nX-Proxy: 1\\r\\n\\r\\n")
            def answer(body):
                head = b""
                while b"\\r\\n\\r\\n" not in head: head += c.recv(1)
                if body: c.sendall(b"HTTP/1.1 201 Made\\r\\nContent-Length: 2\\r\\nX-Origin: 1\\r\\n\\r\\n" + body)
            answer(b"ab")
            answer(b"cd")
            answer(None)
            c.close()
            """)
        let settings = ProxyConfiguration.http("127.0.0.1", port: proxy.port).tunnelling()
        let session = Session(transport: kind.make(proxy: settings))
        var bodies: [String?] = []
        for _ in 0..<5 {
            let response = await session.request("http://example.test/").serializing(String.self).response
            bodies.append(response.value)
            #expect(response.statusCode == 201)
            #expect(response.head?.headers["X-Origin"] == "1")
            #expect(response.head?.headers["X-Proxy"] == nil)
        }
        #expect(bodies == ["ab", "cd", "ab", "cd", "ab"])
        await session.finish()
    }
}
