import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Hops of requests", .timeLimit(.minutes(5)))
struct RequestHopsTests {
    /// Reports measurements that show which transfer they belong to, when its body ends.
    private struct Measuring: Transport {
        let stub: StubTransport

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await stub.send(request)
            request.onEvent?(.metrics(TransportMetrics(httpVersion: "to \(request.head.url.path())")))
            return response
        }
    }

    private func session(_ configuration: SessionConfiguration = .init(), _ handler: @escaping StubTransport.Handler)
        -> Session
    {
        Session(transport: Measuring(stub: StubTransport(handler)), configuration: configuration)
    }

    /// Attempt, hop, path and status of each hop, and the path that its measurements belong to.
    private func hops(_ metrics: RequestMetrics) -> [String] {
        metrics.hops.map { "\($0) measured \($0.transport.httpVersion ?? "nothing")" }
    }

    @Test("A redirect and a challenge each begin another hop of the same attempt")
    func redirect() async {
        let session = session { request in
            if request.path == "/a" { return .redirect(to: "/b") }
            guard request.headers["Authorization"] == nil else { return .status(200) }
            return .status(401, headers: ["WWW-Authenticate": "Basic realm=x"])
        }
        let request = session.request("http://u:p@h/a")
        request.authenticate(username: "u", password: "p")
        let response = await request.serializing(Data.self).response
        #expect(
            hops(response.metrics) == [
                "1.1 GET http://h/a 302 measured to /a", "1.2 GET http://h/b 401 measured to /b",
                "1.3 GET http://h/b 200 measured to /b",
            ])
        #expect(response.metrics.httpVersion == "to /b")
    }

    @Test("A retry begins a hop of the next attempt, whose start is measured from the start of the request")
    func retry() async {
        let clock = TestClock()
        let count = Locked(0)
        let policy = RetryPolicy(limit: 3, backoff: Backoff(base: 1, scale: .seconds(5), jitter: .none))
        let session = session(.init(interceptors: [policy], clock: clock)) { _ in
            switch count.withLock({
                $0 += 1
                return $0
            }) {
            case 1: .fault(.refuse)
            case 2: .status(503)
            default: .status(200)
            }
        }
        await clock.run {
            let metrics = await session.request("http://h/").serializing(Data.self).response.metrics
            #expect(
                hops(metrics) == [
                    "1.1 GET http://h/ without a response measured nothing", "2.1 GET http://h/ 503 measured to /",
                    "3.1 GET http://h/ 200 measured to /",
                ])
            #expect(metrics.hops.map(\.start) == [.zero, .seconds(5), .seconds(10)])
        }
    }

    @Test("A request that joins a shared transfer has all its hops; hops before it have negative start times")
    func shared() async throws {
        let clock = TestClock()
        let session = session(.init(coalescesRequests: true, clock: clock)) { request in
            if request.path == "/a" { return .redirect(to: "/b").delayed(by: .seconds(1)) }
            return .status(200).delayed(by: .seconds(4))
        }
        await clock.run {
            async let first = session.request("http://h/a").serializing(Data.self).response.metrics
            try? await clock.sleep(for: .seconds(3))
            let second = await session.request("http://h/a").serializing(Data.self).response.metrics
            let expected = ["1.1 GET http://h/a 302 measured to /a", "1.2 GET http://h/b 200 measured to /b"]
            #expect(hops(second) == expected)
            #expect(second.hops.map(\.start) == [.seconds(-3), .seconds(-2)])
            #expect(hops(await first) == expected)
            #expect(await first.hops.map(\.start) == [.zero, .seconds(1)])
        }
    }

    @Test("A hedged request has the hops of the transfer that responded")
    func hedged() async {
        let clock = TestClock()
        let count = Locked(0)
        let hedging = HedgingPolicy(after: .fixed(.seconds(2)))
        let session = session(.init(interceptors: [hedging], clock: clock)) { _ in
            .status(200).delayed(
                by: count.withLock({
                    $0 += 1
                    return $0
                }) == 1 ? .seconds(60) : .seconds(1))
        }
        await clock.run {
            let metrics = await session.request("http://h/").serializing(Data.self).response.metrics
            #expect(hops(metrics) == ["1.1 GET http://h/ 200 measured to /"])
            #expect(metrics.hops.first?.start == .seconds(2))
        }
    }

    @Test("A stream of events that reconnects keeps its last 100 hops")
    func stream() async throws {
        let clock = TestClock()
        let count = Locked(0)
        let session = session(.init(clock: clock)) { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            guard number <= 120 else { return .status(204) }
            return .chunked(["id: \(number)\nretry: 0\ndata: x\n\n"], headers: ["Content-Type": "text/event-stream"])
        }
        let request = session.stream("http://h/")
        try await clock.run { for try await _ in request.serverSentEvents {} }
        #expect(request.metrics.hops.map(\.attempt) == Array(22...121))
        #expect(request.metrics.hops.last?.statusCode == 204)
    }

    @Test("Over libcurl each hop has the measurements of its own transfer")
    func libcurl() async throws {
        try await withServer(.redirect(to: "/b"), .text("abc")) { (server: MockServer) async throws in
            let session = Session(transport: LibcurlTransport())
            let hops = await session.request(server.url("/a")).serializing(Data.self).response.metrics.hops
            #expect(hops.map(\.statusCode) == [302, 200])
            #expect(hops.map(\.transport.isConnectionReused) == [false, true])
            #expect(hops.map(\.transport.wireBytes?.receivedBody) == [0, 3])
            let first = try #require(hops.first?.transport.timings)
            #expect(hops[1].start >= hops[0].start + first.firstByte)
            await session.finish()
        }
    }
}
