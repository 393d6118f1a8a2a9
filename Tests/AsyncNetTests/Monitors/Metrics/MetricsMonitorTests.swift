import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// What is counted of requests, with the exact times of a `TestClock`.
@Suite("Metrics of requests", .timeLimit(.minutes(5)))
struct MetricsMonitorTests {
    private static let retries = RetryPolicy(limit: 2, backoff: Backoff(scale: .seconds(1), jitter: .none))

    @Test("Each hop of a retried request is counted, and the request's outcome once")
    func retries() async throws {
        let count = Counter()
        let snapshot = try await measured {
            _ in
            count.next() == 1 ? .status(503).delayed(by: .seconds(2)) : .text("abc").delayed(by: .seconds(4))
        } configure: {
            $0.interceptors = [Self.retries]
        }
        #expect(snapshot.requestDuration.lines == ["200 - 1 4.0", "503 503 1 2.0"])
        #expect(snapshot.outcomeDuration.lines == ["200 - 1 7.0"])
        #expect(snapshot.retries.lines == ["503 1"])
        #expect(snapshot.decodingDuration.count == 1)
    }

    @Test("Redirects and challenges are counted as hops, and a hop after a redirect has no template")
    func hops() async throws {
        let snapshot = try await measured { request in
            if request.path == "/x/1" { return .redirect(to: "http://b.example/y").delayed(by: .seconds(1)) }
            if request.path == "/y" { return .text("abc").delayed(by: .seconds(2)) }
            let challenge = MockResponse.status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])
            return request.headers["Authorization"] == nil ? challenge : .text("abc").delayed(by: .seconds(4))
        } run: { session in
            _ = await session.get(URLTemplate("http://a.example/x/{id}", ["id": 1])).serializing(String.self).result
            let options = RequestOptions(credential: PasswordCredential(username: "u", password: "p"))
            _ = await session.request("http://a.example/z", options: options).serializing(String.self).result
        }
        #expect(snapshot.requestDuration.lines == ["200 - 1 2.0", "200 - 1 4.0", "302 - 1 1.0", "401 401 1 0.0"])
        #expect(snapshot.redirects.total == 1)
        #expect(snapshot.outcomeDuration.matching(["url.template": "/x/{id}"]).lines == ["200 - 1 3.0"])
        #expect(snapshot.requestDuration.matching(["url.template": "/x/{id}"]).lines == ["302 - 1 1.0"])
        #expect(snapshot.requestDuration.matching(["server.address": "b.example"]).lines == ["200 - 1 2.0"])
        #expect(snapshot.requestDuration.matching(["server.address": "c.example"]).percentile(0.5) == nil)
    }

    @Test("Cache outcomes are counted, and a revalidated response is a hop with status 304")
    func cacheOutcomes() async throws {
        let snapshot = try await measured { request in
            let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
            return request.headers["If-None-Match"] == nil ? .text("abc", headers: headers) : .status(304)
        } configure: {
            $0.cache = HTTPCache()
        } run: { session in
            for mode in [CacheMode.standard, .standard, .standard, .revalidate, .noStore] {
                let options = RequestOptions(cacheMode: mode)
                _ = await session.request("http://a.example/x", options: options).serializing(String.self).result
            }
        }
        let outcomes = snapshot.cacheOutcomes.series.map { "\($0.labels["asyncnet.cache.outcome"] ?? "-") \($0.value)" }
        #expect(outcomes.sorted() == ["bypassed 1", "hit 2", "miss 1", "revalidated 1"])
        #expect(snapshot.requestDuration.lines == ["200 - 2 0.0", "304 - 1 0.0"])
        #expect(snapshot.outcomeDuration.lines == ["200 - 5 0.0"])
        #expect(snapshot.responseBodySize.series.map(\.sum).reduce(0, +) == 6)
        #expect(snapshot.prometheusText().contains("asyncnet_cache_outcome=\"hit\""))
    }

    @Test("A failed hop is counted with its error even if a stale response is delivered")
    func staleIfError() async throws {
        let count = Counter()
        let snapshot = try await measured { _ in
            count.next() > 1
                ? .fault(.refuse) : .text("abc", headers: ["Cache-Control": "max-age=0, stale-if-error=60"])
        } configure: {
            $0.cache = HTTPCache()
        } run: { session in
            for _ in 0..<2 { _ = await session.request("http://a.example/x").serializing(String.self).result }
        }
        #expect(snapshot.requestDuration.lines == ["- cannotConnect 1 0.0", "200 - 1 0.0"])
        #expect(snapshot.outcomeDuration.lines == ["200 - 2 0.0"])
        #expect(snapshot.activeRequests.total == 0)
    }

    @Test("Failures are counted by their codes, and a request that was never sent has no hop")
    func errors() async throws {
        let snapshot = try await measured { request in
            .fault(request.path == "/x" ? .refuse : .stall)
        } configure: {
            $0.deadline = .seconds(3)
        } run: { session in
            _ = await session.request("http://a.example/x").serializing(String.self).result
            _ = await session.request("http://a.example/y").serializing(String.self).result
            _ = await session.request("a b").serializing(String.self).result
            await session.request("http://a.example/x").cancel()
        }
        #expect(snapshot.requestDuration.lines == ["- cannotConnect 1 0.0", "- deadlineExceeded 1 3.0"])
        #expect(
            snapshot.outcomeDuration.lines == [
                "- - 1 0.0", "- cannotConnect 1 0.0", "- deadlineExceeded 1 3.0", "- malformedURL 1 0.0",
            ])
    }

    @Test("A cancelled hop is counted without status and error")
    func cancel() async throws {
        let sent = Gate()
        let snapshot = try await measured { _ in
            sent.open()
            return .fault(.stall)
        } configure: {
            $0.clock = ContinuousClock()
        } run: { session in
            let request = session.request("http://a.example/x")
            async let result = request.serializing(String.self).result
            await sent.wait()
            await request.cancel()
            _ = await result
        }
        #expect(snapshot.requestDuration.series.map(\.labels["error.type"]) == [nil])
        #expect(snapshot.requestDuration.count == 1)
        #expect(snapshot.activeRequests.total == 0)
    }

    @Test("The wait for a permit is measured, and a request no longer counts as queued after it")
    func permits() async throws {
        let monitor = MetricsMonitor()
        let queued = Locked<[Int]>([])
        let snapshot = try await measured(monitor) { _ in
            queued.withLock { $0.append(monitor.snapshot().queuedRequests.total) }
            return .text("abc").delayed(by: .seconds(5))
        } configure: {
            $0.concurrencyLimit = ConcurrencyLimit(perSession: 1)
        } run: { session in
            async let one = session.request("http://a.example/x").serializing(String.self).result
            async let other = session.request("http://a.example/x").serializing(String.self).result
            _ = await (one, other)
        }
        #expect(snapshot.permitWaitDuration.count == 2)
        #expect(snapshot.permitWaitDuration.percentile(1) == .seconds(5))
        #expect(queued.withLock { $0.last } == 0)
        #expect(snapshot.queuedRequests.lines == ["- 0"])
    }

    @Test("Hedged transfers, shared requests and refreshes are counted")
    func transfers() async throws {
        let count = Counter()
        let hedged = try await measured { _ in
            .text("abc").delayed(by: .seconds(count.next() == 1 ? 9 : 1))
        } configure: {
            $0.interceptors = [HedgingPolicy(after: .fixed(.seconds(1)))]
        }
        #expect(hedged.hedges.total == 1)
        #expect(hedged.requestDuration.lines == ["- - 1 2.0", "200 - 1 1.0"])
        #expect(hedged.outcomeDuration.lines == ["200 - 1 2.0"])
        let shared = try await measured { _ in
            .text("abc")
        } configure: {
            $0.coalescesRequests = true
        }
        #expect(shared.sharedRequests.total == 1)
        let refreshed = try await measured {
            $0.answer(for: AccessToken(2))
        } configure: {
            $0.interceptors = [
                AuthenticationInterceptor(
                    authenticator: TokenAuthenticator { _ in AccessToken(2) }, credential: AccessToken(1))
            ]
        }
        #expect(refreshed.credentialRefreshes.lines == ["- 1"])
        #expect(refreshed.retries.lines == ["401 1"])
    }

    @Test("The sizes of bodies are measured; a request or response without a body is not counted")
    func sizes() async throws {
        let snapshot = try await measured {
            $0.method == .post ? .text("abc") : .status(204)
        } run: { session in
            let body = AsyncStream<Data> { chunks in
                chunks.yield(Data(repeating: 1, count: 4000))
                chunks.finish()
            }
            let upload = session.upload(.stream(body), to: "http://a.example/x", method: .post)
            _ = await upload.serializing(String.self).result
            _ = await session.request("http://a.example/x").serializing(Data.self).result
        }
        #expect(snapshot.requestBodySize.count == 1)
        #expect(snapshot.requestBodySize.sum == 4000)
        #expect(snapshot.responseBodySize.percentile(0.5) == 3)
        #expect(snapshot.responseBodySize.count == 1)
    }

    @Test("64 concurrent requests are all counted, and are active until they end")
    func concurrent() async throws {
        let (monitor, arrived, gate) = (MetricsMonitor(), Counter(), Gate())
        let active = Locked(0)
        let stub = StubTransport { request in
            if arrived.next() == 64 {
                active.withLock { $0 = monitor.snapshot().activeRequests.total }
                gate.open()
            }
            await gate.wait()
            return .text(request.path)
        }
        let sessions = (0..<2).map { _ in
            Session(transport: stub, configuration: .init(monitors: [monitor]))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for round in 0..<20 {
                        let url = "http://\(number % 4).example/\(round)"
                        _ = try await sessions[number % 2].request(url).serializing(String.self).value
                    }
                }
            }
            try await group.waitForAll()
        }
        let snapshot = monitor.snapshot()
        #expect(active.withLock { $0 } == 64)
        #expect(snapshot.requestDuration.series.map(\.count) == [320, 320, 320, 320])
        #expect(snapshot.outcomeDuration.matching(["http.response.status_code": "200"]).count == 1280)
        #expect(snapshot.decodingDuration.count == 1280)
        #expect(snapshot.activeRequests.lines == ["- 0", "- 0", "- 0", "- 0"])
        #expect(try PrometheusParser.samples(monitor.prometheusText()).count > 200)
    }

    /// Redirects, retries, hedges, waits, errors and cancels at once.
    @Test("Each hop, outcome and decoded value of 200 requests is counted once, and none stays active")
    func everything() async throws {
        let (monitor, recorder) = (MetricsMonitor(), EventRecorder())
        let snapshot = try await measured(monitor) {
            Self.respond(to: $0)
        } configure: {
            $0.interceptors = [Self.retries, HedgingPolicy(after: .fixed(.seconds(1)))]
            $0.monitors.append(recorder)
            $0.concurrencyLimit = ConcurrencyLimit(perSession: 5)
        } run: { session in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let request = session.request("http://\(number % 3).example/\(number % 8)")
                    group.addTask { _ = await request.serializing(String.self).result }
                    if number % 7 == 0 { group.addTask { await request.cancel() } }
                }
            }
        }
        let steps = recorder.events.map(\.event.step)
        func number(_ step: String) -> Int { steps.filter { $0.hasPrefix(step) }.count }
        #expect(snapshot.requestDuration.count == number("hop"))
        #expect(snapshot.outcomeDuration.count == 200)
        #expect(snapshot.decodingDuration.count == number("decoded"))
        #expect(snapshot.retries.total == number("retried"))
        #expect(snapshot.redirects.total == number("ended redirected"))
        #expect(snapshot.permitWaitDuration.count == number("queued"))
        #expect(snapshot.activeRequests.series.allSatisfy { $0.value == 0 })
        #expect(snapshot.queuedRequests.series.allSatisfy { $0.value == 0 })
        let text = monitor.prometheusText()
        #expect(try PrometheusParser.samples(text).count > 100)
        #expect(monitor.prometheusText() == text)
    }

    private static func respond(to request: RecordedRequest) -> MockResponse {
        switch request.path {
        case "/0": .text("abc")
        case "/1": .redirect(to: "/0").delayed(by: .milliseconds(300))
        case "/2": .status(503)
        case "/3": .fault(.refuse)
        case "/4": .text("abc").delayed(by: .seconds(2))
        case "/5": .text("abc").with(.resetMidBody(after: 2))
        case "/6": .status(404).delayed(by: .seconds(1))
        default: .redirect(to: "http://other.example/4")
        }
    }
}
