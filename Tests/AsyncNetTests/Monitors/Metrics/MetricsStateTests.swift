import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// What each event counts as, and what is kept for how long.
@Suite("Metrics from events")
struct MetricsStateTests {
    /// Sends events, each a millisecond after the one before.
    struct Feed {
        var state: MetricsState
        private var time = Duration.zero

        init(limit: Int = 1000, trackLimit: Int = 100) {
            state = MetricsState(limit: limit, methods: MetricsMonitor.standardMethods, trackLimit: trackLimit)
        }

        mutating func send(
            _ events: RequestEvent..., of id: RequestID, hop: Int = 0, summary: RequestSummary? = nil, lost: Int = 0
        ) {
            for event in events {
                time += .milliseconds(1)
                state.receive(
                    SessionEvent(
                        requestID: id, hop: hop, instant: time, event: event, summary: summary, lostBefore: lost))
            }
        }

        var snapshot: MetricsSnapshot { MetricsSnapshot(state, ConnectionTable(limit: 1)) }
    }

    private func head(_ url: String = "http://a.example/x") throws -> HTTPRequestHead {
        HTTPRequestHead(url: try #require(URL(string: url)))
    }

    private func response(_ status: Int) throws -> HTTPResponseHead {
        HTTPResponseHead(statusCode: status, url: try #require(URL(string: "http://a.example/x")))
    }

    /// The end of a hop that took a millisecond.
    private func end(
        _ status: Int? = nil, _ ending: HopSummary.Ending = .delivered,
        _ transport: TransportMetrics = TransportMetrics()
    ) throws -> RequestEvent {
        let head = try head()
        return .hopEnded(
            HopSummary(
                request: head, response: try status.map(response), ending: ending, duration: .milliseconds(1),
                metrics: HopMetrics(url: head.url, transport: transport)))
    }

    @Test("A hop is active until it ends, and is then measured")
    func transfer() throws {
        var feed = Feed()
        let id = RequestID()
        let bytes = WireBytes(sentHead: 10, sentBody: 20, receivedHead: 30, receivedBody: 40)
        feed.send(.attempt(1, try head()), of: id)
        feed.send(.hop(try head()), .connected(ConnectionInfo(isReused: true)), .repeated, of: id, hop: 1)
        #expect(feed.snapshot.activeRequests.total == 1)
        #expect(feed.snapshot.requestDuration.count == 0)
        let metrics = TransportMetrics(
            httpVersion: "HTTP/2", isConnectionReused: true, wireBytes: bytes,
            certificateExpiry: Date(timeIntervalSince1970: 2_000_000_000))
        feed.send(.response(try response(200)), try end(200, .delivered, metrics), of: id, hop: 1)
        #expect(feed.snapshot.activeRequests.total == 0)
        #expect(feed.snapshot.requestDuration.lines == ["200 - 1 0.001"])
        feed.send(.validated(nil), .finished(nil), of: id, summary: RequestSummary(response: try response(200)))
        #expect(feed.snapshot.requestDuration.lines == ["200 - 1 0.001"])
        #expect(feed.snapshot.requestDuration.series.first?.labels["network.protocol.version"] == "2")
        #expect(feed.snapshot.requestBodySize.sum == 20)
        #expect(feed.snapshot.responseBodySize.sum == 40)
        #expect(feed.snapshot.connectionUses.matching(["asyncnet.connection.reused": "true"]).total == 1)
        #expect(feed.snapshot.connectionUses.total == 1)
        #expect(feed.snapshot.repeats.total == 1)
        #expect(feed.snapshot.certificateExpiry.matching(["server.address": "a.example"]).total == 2_000_000_000)
        #expect(feed.state.trackCount == 0)
    }

    @Test("A redirect and its connection are counted for the origin of the hop")
    func redirects() throws {
        var feed = Feed()
        let id = RequestID()
        let metrics = TransportMetrics(isConnectionReused: false)
        feed.send(.attempt(1, try head()), of: id)
        feed.send(.hop(try head()), try end(302, .redirected(to: head("http://b.example/")), metrics), of: id, hop: 1)
        feed.send(.finished(nil), of: id)
        #expect(feed.snapshot.connectionUses.matching(["server.address": "a.example"]).total == 1)
        #expect(feed.snapshot.redirects.matching(["server.address": "a.example"]).total == 1)
        #expect(feed.snapshot.activeRequests.total == 0)
        #expect(feed.snapshot.requestDuration.count == 1)
    }

    @Test(
        "A hop's error label is the code of a failed transfer, whatever its status, and none for a refused response"
    )
    func errorsOfHops() throws {
        var feed = Feed()
        let (refused, broken) = (RequestID(), RequestID())
        feed.send(.attempt(1, try head()), of: refused)
        let refusal = AsyncNetError(.unacceptableContentType)
        feed.send(.hop(try head()), try end(200, .refused(refusal)), of: refused, hop: 1)
        feed.send(.attempt(1, try head()), of: broken)
        feed.send(.hop(try head()), try end(503, .failed(AsyncNetError(.connectionLost))), of: broken, hop: 1)
        #expect(feed.snapshot.requestDuration.lines == ["200 - 1 0.001", "503 connectionLost 1 0.001"])
    }

    @Test("Concurrent hops of a request end one by one")
    func hedged() throws {
        var feed = Feed()
        let id = RequestID()
        feed.send(.attempt(1, try head()), of: id)
        feed.send(.hop(try head()), of: id, hop: 1)
        feed.send(.hedged(2), of: id)
        feed.send(.hop(try head()), of: id, hop: 2)
        #expect(feed.snapshot.activeRequests.total == 2)
        feed.send(try end(200), of: id, hop: 1)
        #expect(feed.snapshot.activeRequests.total == 1)
        feed.send(try end(nil, .cancelled), of: id, hop: 2)
        feed.send(.finished(nil), of: id)
        #expect(feed.snapshot.requestDuration.lines == ["- - 1 0.001", "200 - 1 0.001"])
        #expect(feed.snapshot.activeRequests.total == 0)
    }

    @Test("The wait of a request that ends while it waits for a permit is measured, and no longer counts as queued")
    func waits() throws {
        var feed = Feed()
        let id = RequestID()
        feed.send(.attempt(1, try head()), .queued, of: id)
        #expect(feed.snapshot.queuedRequests.total == 1)
        feed.send(.finished(AsyncNetError(.deadlineExceeded)), .admitted(after: .seconds(1)), of: id)
        #expect(feed.snapshot.queuedRequests.total == 0)
        #expect(feed.snapshot.permitWaitDuration.lines == ["- - 1 0.001"])
    }

    @Test("Retries without an error or without a hop are counted")
    func retries() throws {
        var feed = Feed()
        feed.send(.retried(nil, after: .zero), .retried(AsyncNetError(.circuitOpen), after: .zero), of: RequestID())
        #expect(feed.snapshot.retries.lines == ["- 1", "circuitOpen 1"])
    }

    @Test("Decoded values and refreshes are counted by their errors, and lost events by their number")
    func plainCounts() {
        var feed = Feed()
        feed.send(.decoded(type: "A", after: .seconds(1), nil), of: RequestID())
        feed.send(.decoded(type: "B", after: .seconds(2), AsyncNetError(.decodingFailed)), of: RequestID(), lost: 7)
        feed.send(.refreshed(AsyncNetError(.refreshFailed), after: .zero), of: RequestID())
        #expect(feed.snapshot.decodingDuration.lines == ["- - 1 1.0", "- decodingFailed 1 2.0"])
        #expect(feed.snapshot.credentialRefreshes.lines == ["refreshFailed 1"])
        #expect(feed.snapshot.lostEvents.total == 7)
    }

    // MARK: Bounds

    @Test("Requests that never start leave no state")
    func unstarted() throws {
        var feed = Feed()
        for _ in 0..<1000 {
            feed.send(.created, .suspended, .shared, .queued, .admitted(after: .zero), of: RequestID())
        }
        #expect(feed.state.trackCount == 0)
        #expect(feed.snapshot.sharedRequests.total == 0)
    }

    @Test("Requests whose end events were lost are forgotten above the limit, and no longer count as active")
    func lostEnds() throws {
        var feed = Feed(trackLimit: 10)
        for _ in 0..<1000 {
            let id = RequestID()
            feed.send(.attempt(1, try head()), .queued, of: id)
            feed.send(.hop(try head()), of: id, hop: 1)
        }
        #expect(5...10 ~= feed.state.trackCount)
        #expect(feed.snapshot.activeRequests.total == feed.state.trackCount)
        #expect(feed.snapshot.queuedRequests.total == feed.state.trackCount)
    }

    @Test("Label sets above the limit are counted in the overflow series, and sums stay correct")
    func overflow() throws {
        var feed = Feed(limit: 10)
        for number in 0..<5000 {
            let (id, head) = (RequestID(), try head("http://host\(number).example/"))
            feed.send(.attempt(1, head), of: id)
            feed.send(.hop(head), try end(302, .redirected(to: head)), of: id, hop: 1)
            feed.send(.hop(head), try end(nil, .failed(AsyncNetError(.timedOut))), of: id, hop: 2)
            feed.send(.retried(AsyncNetError(.timedOut), after: .zero), .finished(nil), of: id)
        }
        let (snapshot, overflow) = (feed.snapshot, ["otel.metric.overflow": "true"])
        #expect(snapshot.requestDuration.count == 10_000)
        #expect(snapshot.requestDuration.matching(overflow).count == 10_000 - 10)
        #expect(snapshot.requestDuration.series.count == 11)
        #expect(snapshot.outcomeDuration.series.count == 11)
        #expect(snapshot.outcomeDuration.matching(overflow).count == 4990)
        #expect(snapshot.redirects.matching(overflow).total == 4990)
        #expect(snapshot.redirects.total == 5000)
        #expect(snapshot.activeRequests.series.allSatisfy { $0.value == 0 })
        #expect(snapshot.requestDuration.series.last?.labels.count == 1)
        #expect(snapshot.prometheusText().utf8.count < 100_000)
    }

    @Test("Statuses of one endpoint above the limit are counted in the overflow series")
    func statuses() throws {
        var feed = Feed(limit: 3)
        for status in 200..<300 {
            let id = RequestID()
            feed.send(.attempt(1, try head()), of: id)
            feed.send(.hop(try head()), try end(status), of: id, hop: 1)
            feed.send(.finished(nil), of: id)
        }
        #expect(feed.snapshot.requestDuration.series.count == 4)
        #expect(feed.snapshot.requestDuration.matching(["otel.metric.overflow": "true"]).count == 97)
    }
}
