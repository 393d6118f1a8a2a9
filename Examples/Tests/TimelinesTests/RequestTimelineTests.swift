import AsyncNet
import AsyncNetTesting
import Testing
import Timelines

/// How the events of a request become its hops, waits and end.
@Suite("Timeline of a request")
struct RequestTimelineTests {
    private let url = "http://127.0.0.1/a"

    @Test("The time before the first hop counts as queueing")
    func queue() throws {
        var script = Script()
        script.at(0, .created)
        script.at(5, .resumed)
        script.at(6, .attempt(1, .get(url)))
        script.at(7, .queued)
        script.at(20, .admitted(after: .ms(13)))
        script.at(21, 1, 1, .hop(.get(url)))
        script.at(30, 1, 1, .response(.status(200)))
        script.at(31, .finished(nil))
        let request = try #require(script.request)
        #expect(request.start == .ms(5) && request.end == .ms(31) && request.isFinished && request.error == nil)
        #expect(request.segments.first == Segment(.queue, 5, 21))
        #expect(request.hops.map(\.start) == [.ms(5)])
    }

    @Test("A redirect is another hop of the same attempt")
    func redirect() throws {
        var script = Script()
        script.at(0, 1, 1, .hop(.get(url)))
        script.at(10, 1, 1, .ended(status: 302, .redirected(to: .get("http://127.0.0.1/b?token=secret"))))
        script.at(10, 1, 2, .hop(.get("http://127.0.0.1/b?token=secret")))
        script.at(20, 1, 2, .response(.status(200)))
        script.at(20, .finished(nil))
        let request = try #require(script.request)
        #expect(request.statuses == [302, 200] && request.attempts == 1 && request.url == url)
        #expect(request.hops.map(\.url) == [url, "http://127.0.0.1/b"])
        #expect(request.segments.filter { $0.duration > .zero } == [Segment(.wait, 0, 10), Segment(.wait, 10, 20)])
    }

    @Test("A retry follows its delay")
    func retry() throws {
        var script = Script()
        script.at(0, 1, 1, .hop(.get(url)))
        script.at(10, 1, 1, .response(.status(503)))
        script.at(10, 1, 1, .ended(status: 503))
        script.at(10, 1, 0, .retried(nil, after: .ms(20)))
        script.at(31, 2, 0, .attempt(2, .get(url)))
        script.at(33, 2, 1, .hop(.get(url)))
        script.at(40, 2, 1, .response(.status(200)))
        script.at(40, 2, 0, .finished(nil))
        let request = try #require(script.request)
        #expect(request.statuses == [503, 200] && request.attempts == 2)
        #expect(request.hops.last?.waits == [Segment(.delay, 10, 31), Segment(.queue, 31, 33)])
        #expect(request.hops.first?.end == .ms(10))
    }

    @Test("A request that a stored response answers has no hop, but its URL and method")
    func stored() throws {
        var script = Script()
        script.at(0, .resumed)
        script.at(1, .attempt(1, .get(url + "?token=secret")))
        script.at(2, 1, 0, .cached(.hit))
        script.at(3, 1, 0, .response(.status(200)))
        script.at(3, .finished(nil))
        let request = try #require(script.request)
        #expect(request.hops.isEmpty && request.url == url && request.method == "GET" && request.cacheOutcome == .hit)
    }

    @Test("A hop whose response a stored one replaces has its own status, and ends there")
    func replaced() throws {
        var script = Script()
        script.at(0, .attempt(1, .get(url)))
        script.at(1, 1, 1, .hop(.get(url)))
        script.at(9, 1, 1, .ended(status: 304, .replaced))
        script.at(10, 1, 0, .cached(.revalidated))
        script.at(10, 1, 0, .response(.status(200)))
        script.at(12, .finished(nil))
        let request = try #require(script.request)
        #expect(request.statuses == [304] && request.hops.first?.end == .ms(9) && request.cacheOutcome == .revalidated)
    }

    @Test("A request that ends before its first hop has queued")
    func neverSent() throws {
        var script = Script()
        script.at(0, .resumed)
        script.at(9, .finished(AsyncNetError(.cancelled)))
        let request = try #require(script.request)
        #expect(request.segments == [Segment(.queue, 0, 9)] && request.url == nil && request.error?.code == .cancelled)
    }

    @Test("Events of overlapping hops belong to the hop of their number")
    func overlapping() throws {
        var script = Script()
        script.at(0, 1, 1, .hop(.get(url)))
        script.at(5, 1, 2, .hop(.get(url)))
        script.at(10, 1, 1, .receivedBody(bytes: 100))
        script.at(11, 1, 2, .receivedBody(bytes: 7))
        script.at(12, 1, 1, .receivedBody(bytes: 200))
        let request = try #require(script.request)
        #expect(request.hops.map(\.receivedBytes) == [200, 7] && request.receivedBytes == 207)
    }

    @Test("Decoding follows the end, which stays the end")
    func decoding() throws {
        var script = Script.request(to: 10)
        script.at(14, .decoded(type: "User", after: .ms(4), nil))
        let request = try #require(script.request)
        #expect(request.end == .ms(10) && request.decoding == .ms(4))
    }

    @Test("Requests are in the order of their starts, and lost events are counted")
    func order() {
        let late = Script.request("http://127.0.0.1/late", from: 20)
        let early = Script.request("http://127.0.0.1/early", from: 10)
        var timeline = SessionTimeline(of: [late, early])
        #expect(timeline.requests.map(\.url) == ["http://127.0.0.1/early", "http://127.0.0.1/late"])
        var event = SessionEvent(requestID: late.id, event: .created)
        #expect(timeline.lostEvents == event.lostBefore)
        event = SessionEvent(requestID: late.id, event: .created, lostBefore: 3)
        timeline.receive(event)
        #expect(timeline.lostEvents == 3)
        #expect(timeline.take(late.id)?.id == late.id && timeline.requests.count == 1)
    }

    @Test("A session's monitor has the whole timeline of a request", .timeLimit(.minutes(1)))
    func monitor() async throws {
        let server = try await MockServer.start()
        await server.route("/old") { _ in .redirect(to: "/new") }
        await server.route("/new") { _ in .text("hello") }
        let monitor = TimelineMonitor()
        let session = Session(configuration: SessionConfiguration(monitors: [monitor]))
        #expect(try await session.request(server.url("/old")).serializing(String.self).value == "hello")
        await session.monitorsReceivedEvents()
        let request = try #require(monitor.timeline.requests.first)
        #expect(request.statuses == [302, 200] && request.receivedBytes == 5 && request.isFinished)
        #expect(monitor.take(request.id) != nil && monitor.timeline.requests.isEmpty)
        await session.finish()
        await server.stop()
    }
}
