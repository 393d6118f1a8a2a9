import AsyncNet
import AsyncNetTesting
import Foundation
import Metrics
import MetricsTestKit
import Testing

@testable import AsyncNetMetrics

@Suite("Following requests whose ends are lost")
struct RecordingTests {
    private let metrics = TestMetrics()
    private let session = Session(transport: StubTransport())

    @Test("Of too many requests the older half is forgotten, and is neither active nor waits any more")
    func bounded() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]), trackLimit: 4)
        let head = HTTPRequestHead(url: try "http://example.com/".asURL())
        let ids = (0..<5).map { _ in session.request("http://example.com/").id }
        for id in ids {
            recording.receive(SessionEvent(requestID: id, hop: 1, event: .hop(head)))
            recording.receive(SessionEvent(requestID: id, event: .queued))
        }
        for label in ["http.client.active_requests", "asyncnet.client.queued_requests"] {
            #expect(try #require(metrics.meters(label: label).first).lastValue == 3)
        }
        for id in ids { recording.receive(SessionEvent(requestID: id, event: .finished(nil))) }
        for label in ["http.client.active_requests", "asyncnet.client.queued_requests"] {
            #expect(try #require(metrics.meters(label: label).first).lastValue == 0)
        }
        #expect(metrics.timers(label: "asyncnet.client.outcome.duration").flatMap(\.values).count == 5)
    }

    @Test("After lost events, what ran before is neither active nor waits any more")
    func lostEvents() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]))
        let head = HTTPRequestHead(url: try "http://example.com/".asURL())
        let (id, next) = (session.request("http://a").id, session.request("http://a").id)
        recording.receive(SessionEvent(requestID: id, hop: 1, event: .hop(head)))
        recording.receive(SessionEvent(requestID: id, event: .queued))
        recording.receive(SessionEvent(requestID: next, event: .created, lostBefore: 3))
        for label in ["http.client.active_requests", "asyncnet.client.queued_requests"] {
            #expect(try #require(metrics.meters(label: label).first).lastValue == 0)
        }
    }

    @Test("A wait for a permit that the request's end ends has a duration too")
    func abandonedWait() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]))
        let (head, id) = (HTTPRequestHead(url: try "http://example.com/".asURL()), session.request("http://a").id)
        let steps: [(RequestEvent, Duration)] = [
            (.attempt(1, head), .zero), (.queued, .seconds(1)), (.queued, .seconds(2)),
            (.finished(AsyncNetError(.deadlineExceeded)), .seconds(9)),
        ]
        for (event, instant) in steps {
            recording.receive(SessionEvent(requestID: id, instant: instant, event: event))
        }
        let waits = metrics.timers(label: "asyncnet.client.permit.wait.duration").flatMap(\.values)
        #expect(waits == [8_000_000_000, 7_000_000_000])
        #expect(metrics.meters(label: "asyncnet.client.queued_requests").first?.values == [1, 2, 1, 0])
        let failed = [("error.type", "deadlineExceeded")]
        #expect(metrics.timers(label: "asyncnet.client.outcome.duration", dimensions: failed).count == 1)
        #expect(metrics.timers(label: "http.client.request.duration").isEmpty)
    }

    @Test("A hop whose response a stored one replaces has its own status, and not the size of the stored body")
    func replaced() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]))
        let (head, id) = (HTTPRequestHead(url: try "http://example.com/".asURL()), session.request("http://a").id)
        func response(_ status: Int) -> HTTPResponseHead { HTTPResponseHead(statusCode: status, url: head.url) }
        var measured = RequestMetrics()
        measured.receivedBytes = 1000
        let steps: [(RequestEvent, Int)] = [
            (.attempt(1, head), 0), (.hop(head), 1), (.cached(.revalidated), 1),
            (.hopEnded(HopSummary(request: head, response: response(304), ending: .replaced)), 1),
            (.response(response(200)), 0),
        ]
        for (event, hop) in steps { recording.receive(SessionEvent(requestID: id, hop: hop, event: event)) }
        let summary = RequestSummary(response: response(200), metrics: measured)
        recording.receive(SessionEvent(requestID: id, event: .finished(nil), summary: summary))
        let status = [("http.response.status_code", "304")]
        #expect(metrics.timers(label: "http.client.request.duration", dimensions: status).count == 1)
        #expect(metrics.timers(label: "http.client.request.duration").count == 1)
        #expect(metrics.recorders(label: "http.client.response.body.size").isEmpty)
        let outcome = [("asyncnet.cache.outcome", "revalidated")]
        #expect(metrics.counters(label: "asyncnet.client.cache.outcomes", dimensions: outcome).count == 1)
    }

    @Test("A hop that failed has its error, though a stale response is delivered")
    func failedHop() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]))
        let (head, id) = (HTTPRequestHead(url: try "http://example.com/".asURL()), session.request("http://a").id)
        let response = HTTPResponseHead(statusCode: 200, url: head.url)
        let steps: [(RequestEvent, Int)] = [
            (.attempt(1, head), 0), (.hop(head), 1),
            (.hopEnded(HopSummary(request: head, ending: .failed(AsyncNetError(.cannotConnect)))), 1),
            (.cached(.stale), 0), (.response(response), 0),
        ]
        for (event, hop) in steps { recording.receive(SessionEvent(requestID: id, hop: hop, event: event)) }
        recording.receive(
            SessionEvent(requestID: id, event: .finished(nil), summary: RequestSummary(response: response)))
        let error = [("error.type", "cannotConnect")]
        #expect(metrics.timers(label: "http.client.request.duration", dimensions: error).count == 1)
        #expect(metrics.timers(label: "http.client.request.duration").count == 1)
    }

    @Test("A hop's end makes it inactive once, and is counted once")
    func inactiveOnce() throws {
        var recording = Recording(Instruments(metrics), Endpoints(limit: 10, methods: [.get]))
        let (head, id) = (HTTPRequestHead(url: try "http://example.com/".asURL()), session.request("http://a").id)
        let metrics = TransportMetrics(
            httpVersion: "HTTP/2",
            wireBytes: WireBytes(sentHead: 1, sentBody: 2, receivedHead: 3, receivedBody: 4))
        let end = RequestEvent.hopEnded(
            HopSummary(request: head, metrics: HopMetrics(url: head.url, transport: metrics)))
        for event: RequestEvent in [.hop(head), end, end] {
            recording.receive(SessionEvent(requestID: id, hop: 1, instant: .seconds(1), event: event))
        }
        recording.receive(SessionEvent(requestID: id, instant: .seconds(9), event: .finished(nil)))
        #expect(self.metrics.meters(label: "http.client.active_requests").first?.values == [1, 0])
        #expect(self.metrics.timers(label: "http.client.request.duration").flatMap(\.values) == [0])
        #expect(self.metrics.recorders(label: "http.client.request.body.size").flatMap(\.values) == [2])
        #expect(self.metrics.recorders(label: "http.client.response.body.size").flatMap(\.values) == [4])
        let version = [("network.protocol.version", "2")]
        #expect(self.metrics.timers(label: "http.client.request.duration", dimensions: version).count == 1)
    }
}
