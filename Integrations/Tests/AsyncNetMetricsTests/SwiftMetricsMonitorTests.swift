import AsyncNet
import AsyncNetMetrics
import AsyncNetTesting
import Foundation
import Metrics
import MetricsTestKit
import Testing

@Suite("Metrics of requests in a metrics system", .timeLimit(.minutes(1)))
struct SwiftMetricsMonitorTests {
    private let metrics = TestMetrics()

    /// A session whose requests are recorded when it has finished.
    private func session(_ transport: some Transport, endpointLimit: Int = 1000) -> Session {
        let monitor = SwiftMetricsMonitor(factory: metrics, endpointLimit: endpointLimit)
        return Session(transport: transport, configuration: .init(monitors: [monitor]))
    }

    /// The labels of requests to example.com.
    private func dimensions(
        _ status: Int? = nil, version: String? = nil, error: String? = nil, method: String = "GET",
        extra: [(String, String)] = []
    ) -> [(String, String)] {
        let known = [
            ("http.response.status_code", status.map { "\($0)" }), ("network.protocol.version", version),
            ("error.type", error),
        ]
        let address = [("server.address", "example.com"), ("server.port", "80"), ("url.scheme", "http")]
        return [("http.request.method", method)] + address + extra
            + known.compactMap { name, value in
                value.map { (name, $0) }
            }
    }

    @Test("A request is a duration, sizes and an outcome, with its labels")
    func request() async throws {
        let session = session(StubTransport { _ in .text("hello", status: 404) })
        _ = await session.upload(.data(Data("abc".utf8)), to: "http://Example.com/a").serializing(Data.self).response
        await session.finish()
        let labels = dimensions(404, version: "1.1", error: "404", method: "POST")
        let duration = try metrics.expectTimer("http.client.request.duration", labels)
        #expect(duration.values.count == 1)
        #expect(duration.values.allSatisfy { $0 >= 0 && $0 < 60_000_000_000 })
        #expect(try metrics.expectRecorder("http.client.response.body.size", labels).values == [5])
        let outcome = dimensions(404, error: "404", method: "POST")
        #expect(try metrics.expectTimer("asyncnet.client.outcome.duration", outcome).values.count == 1)
        #expect(metrics.counters(label: "asyncnet.client.retries").isEmpty)
    }

    @Test("Active requests return to zero, however requests end")
    func active() async throws {
        let session = session(StubTransport { $0.path == "/lost" ? .fault(.resetBeforeHead) : .text("") })
        for path in ["/ok", "/lost", "/ok"] {
            _ = await session.request("http://example.com\(path)").serializing(Data.self).response
        }
        await session.finish()
        let meter = try metrics.expectMeter("http.client.active_requests", dimensions())
        #expect(meter.values == [1, 0, 1, 0, 1, 0])
        let lost = dimensions(error: "connectionLost")
        #expect(try metrics.expectTimer("http.client.request.duration", lost).values.count == 1)
        #expect(try metrics.expectTimer("asyncnet.client.outcome.duration", lost).values.count == 1)
    }

    @Test("Each time that a request is sent counts: retries and redirects too")
    func resends() async throws {
        let stub = StubTransport()
        let replies = Replies([.status(503), .redirect(to: "/b"), .text("done")])
        stub.on(nil, "/a") { _ in replies.next() }
        stub.on(nil, "/b") { _ in replies.next() }
        let session = session(stub)
        let options = RequestOptions(interceptors: [RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))])
        _ = try await session.request("http://example.com/a", options: options).serializing(Data.self).value
        await session.finish()
        for (status, error) in [(503, "503"), (302, nil), (200, nil)] {
            let labels = dimensions(status, version: "1.1", error: error)
            #expect(try metrics.expectTimer("http.client.request.duration", labels).values.count == 1)
        }
        let retried = dimensions(error: "503")
        #expect(metrics.counterTotal(label: "asyncnet.client.retries", dimensions: retried) == 1)
        #expect(metrics.counterTotal(label: "asyncnet.client.redirects") == 1)
        #expect(metrics.timers(label: "asyncnet.client.outcome.duration").flatMap(\.values).count == 1)
    }

    @Test("A cancelled request has a duration and no error")
    func cancelled() async throws {
        let stub = StubTransport { _ in .fault(.stall) }
        let session = session(stub)
        let request = session.request("http://example.com/")
        await request.resume()
        _ = await stub.requests(atLeast: 1)
        await request.cancel()
        await session.finish()
        #expect(try metrics.expectTimer("http.client.request.duration", dimensions()).values.count == 1)
        #expect(try metrics.expectTimer("asyncnet.client.outcome.duration", dimensions()).values.count == 1)
        #expect(try metrics.expectMeter("http.client.active_requests", dimensions()).values == [1, 0])
    }

    @Test("A template is a label, and a method that nobody knows is not")
    func labels() async throws {
        let session = session(StubTransport { _ in .text("") })
        let url = URLTemplate("http://example.com/users/{id}", ["id": "7"])
        _ = try await session.request(url, method: "BREW").serializing(Data.self).value
        await session.finish()
        let template = [("url.template", "/users/{id}")]
        let labels = dimensions(200, version: "1.1", method: "_OTHER", extra: template)
        #expect(try metrics.expectTimer("http.client.request.duration", labels).values.count == 1)
    }

    @Test("A template belongs to no redirect's target, and has no secrets")
    func templates() async throws {
        let stub = StubTransport { $0.path == "/users/7" ? .redirect(to: "/moved") : .text("") }
        let session = session(stub)
        let template = "http://example.com/users/{id}?sig=secret&page={page}"
        let url = URLTemplate(template, ["id": "7", "page": "2"])
        _ = try await session.request(url).serializing(Data.self).value
        await session.finish()
        let shown = "/users/{id}?sig=REDACTED&page={page}"
        let first = dimensions(302, version: "1.1", extra: [("url.template", shown)])
        #expect(try metrics.expectTimer("http.client.request.duration", first).values.count == 1)
        let second = dimensions(200, version: "1.1")
        #expect(try metrics.expectTimer("http.client.request.duration", second).values.count == 1)
        let outcome = dimensions(200, extra: [("url.template", shown)])
        #expect(try metrics.expectTimer("asyncnet.client.outcome.duration", outcome).values.count == 1)
        #expect(metrics.counterTotal(label: "asyncnet.client.redirects", dimensions: [("url.template", shown)]) == 1)
    }

    @Test("Endpoints beyond the limit count under one label")
    func limit() async throws {
        let session = session(StubTransport { _ in .text("") }, endpointLimit: 2)
        for host in ["a", "b", "c", "d", "a"] {
            _ = try await session.request("http://\(host)/").serializing(Data.self).value
        }
        await session.finish()
        let timers = metrics.timers(label: "http.client.request.duration")
        #expect(timers.count == 3)
        let overflow = [("otel.metric.overflow", "true")]
        #expect(try metrics.expectTimer("http.client.request.duration", overflow).values.count == 2)
        #expect(try metrics.expectMeter("http.client.active_requests", overflow).values == [1, 0, 1, 0])
    }

    @Test("Events that come one by one: waits, connections, decoding, refreshes, lost events")
    func steps() async throws {
        let monitor = SwiftMetricsMonitor(factory: metrics)
        let id = Session(transport: StubTransport()).request("http://example.com").id
        let head = HTTPRequestHead(url: try "http://example.com/".asURL())
        let error = AsyncNetError(.refreshFailed)
        let events: [(RequestEvent, Int)] = [
            (.attempt(1, head), 0), (.cached(.miss), 0), (.queued, 0), (.admitted(after: .seconds(2)), 0), (.shared, 0),
            (.hedged(2), 0),
            (.hop(head), 1), (.repeated, 1), (.connected(ConnectionInfo(isReused: true)), 1),
            (.hopEnded(HopSummary(request: head, duration: .seconds(4))), 1),
            (.refreshed(error, after: .zero), 0), (.finished(nil), 0),
            (.decoded(type: "Int", after: .milliseconds(3), nil), 0),
        ]
        for (index, (event, hop)) in events.enumerated() {
            // At the last event, since requests that run are forgotten when events are lost.
            let lost = index == events.count - 1 ? 5 : 0
            await monitor.receive(
                SessionEvent(
                    requestID: id, hop: hop, instant: .seconds(index), event: event, lostBefore: lost))
        }
        #expect(
            try metrics.expectTimer("asyncnet.client.permit.wait.duration", dimensions()).values == [2_000_000_000])
        #expect(try metrics.expectMeter("asyncnet.client.queued_requests", dimensions()).values == [1, 0])
        for name in ["shared_requests", "hedges", "repeats"] {
            #expect(try metrics.expectCounter("asyncnet.client.\(name)", dimensions()).values == [1])
        }
        let reused = dimensions(extra: [("asyncnet.connection.reused", "true")])
        #expect(try metrics.expectCounter("asyncnet.client.connection.uses", reused).values == [1])
        let missed = dimensions(extra: [("asyncnet.cache.outcome", "miss")])
        #expect(try metrics.expectCounter("asyncnet.client.cache.outcomes", missed).values == [1])
        let refused = [("error.type", "refreshFailed")]
        #expect(try metrics.expectCounter("asyncnet.client.credential.refreshes", refused).values == [1])
        #expect(try metrics.expectTimer("asyncnet.client.decoding.duration").values == [3_000_000])
        #expect(try metrics.expectCounter("asyncnet.client.events.lost").values == [5])
        #expect(try metrics.expectTimer("http.client.request.duration", dimensions()).values == [4_000_000_000])
    }
}
