import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Which failed requests wait for the network, and for how long.
@Suite("OfflineRetrier", .timeLimit(.minutes(5)))
struct OfflineRetrierTests {
    private static let (up, down) = (NetworkPath(status: .satisfied, hasIPv4: true), NetworkPath(status: .unsatisfied))
    /// The retrier's clock, whose time a test moves.
    private let clock = TestClock()
    /// The session's clock, by which a test knows that no task runs.
    private let sessionClock = TestClock()

    /// A session over a stub that refuses a connection if `fails` returns `true`.
    private func session(
        _ feed: PathFeed, _ monitor: NetworkMonitor, timeout: Duration = .seconds(5),
        fails: @escaping @Sendable () -> Bool
    ) -> (Session, StubTransport) {
        let stub = StubTransport { _ in fails() ? .fault(.refuse) : .text("ok") }
        let retrier = OfflineRetrier(timeout: timeout, monitor: monitor, clock: clock)
        return (Session(transport: stub, configuration: .init(interceptors: [retrier], clock: sessionClock)), stub)
    }

    private func context(_ method: HTTPMethod = .get, after redirected: [HTTPMethod] = []) -> RequestContext {
        func requests(_ methods: [HTTPMethod]) -> [TransportRequest] {
            methods.compactMap { method in
                URL(string: "http://a/").map { TransportRequest(head: HTTPRequestHead(method: method, url: $0)) }
            }
        }
        return RequestContext(
            id: RequestID(), attempt: 1, request: requests([method]).first, redirected: requests(redirected))
    }

    @Test("Requests that fail while offline are retried when the network returns, and share one watch")
    func waits() async {
        let feed = PathFeed(Self.down)
        let monitor = feed.monitor
        let attempts = Counter()
        let (session, stub) = session(feed, monitor) {
            attempts.add()
            return attempts.value <= 50
        }
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    #expect(await session.request("http://a/").serializing(String.self).result.value == "ok")
                }
            }
            await clock.sleepers(atLeast: 50)
            #expect((feed.started, feed.watching) == (1, 1))
            #expect(stub.requests.count == 50)
            feed.send(Self.up)
        }
        #expect(stub.requests.count == 100)
        await sessionClock.settled()
        #expect((feed.watching, clock.sleeperCount) == (0, 0))
    }

    @Test("A request that fails while offline again waits again, any number of times")
    func again() async {
        let feed = PathFeed()
        let attempts = Counter()
        let (session, stub) = session(feed, feed.monitor) {
            feed.send(Self.down)
            attempts.add()
            return attempts.value <= 10
        }
        async let result = session.request("http://a/").serializing(String.self).result
        for round in 1...10 {
            #expect(await stub.requests(atLeast: round).count == round)
            await sessionClock.settled()
            #expect(clock.sleeperCount == 1)
            feed.send(Self.up)
        }
        #expect(await result.value == "ok")
        #expect(stub.requests.count == 11)
    }

    @Test(
        "A POST that was redirected to a GET is not retried after a failure",
        arguments: [AsyncNetError.Code.cannotConnect, .connectionLost])
    func redirected(_ code: AsyncNetError.Code) async {
        let retrier = OfflineRetrier(monitor: PathFeed(Self.down).monitor, clock: clock)
        let decision = await retrier.retry(after: AsyncNetError(code), context: context(after: [.post]))
        guard case .doNotRetry = decision.choice else { return #expect(Bool(false)) }
        #expect(clock.sleeperCount == 0)
    }

    @Test("A request that is offline for longer than the timeout ends with its failure")
    func timeout() async {
        let feed = PathFeed(Self.down)
        let (session, stub) = session(feed, feed.monitor, timeout: .seconds(7)) { true }
        async let result = session.request("http://a/").serializing(String.self).result
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .milliseconds(6999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await result.failure?.code == .cannotConnect)
        #expect(stub.requests.count == 1)
        await sessionClock.settled()
        #expect(feed.watching == 0)
    }

    @Test(
        "If the path is satisfied or unknown, the next retrier decides",
        arguments: [NetworkPath(status: .satisfied), .unknown])
    func online(path: NetworkPath) async {
        let feed = PathFeed(path)
        let (session, stub) = session(feed, feed.monitor) { true }
        #expect(await session.request("http://a/").serializing(String.self).result.failure?.code == .cannotConnect)
        #expect(stub.requests.count == 1)
    }

    @Test("Cancelling a waiting request ends its wait and the watch")
    func cancelled() async {
        let feed = PathFeed(Self.down)
        let (session, _) = session(feed, feed.monitor) { true }
        let task = Task { await session.request("http://a/").serializing(String.self).result }
        await clock.sleepers(atLeast: 1)
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
        await sessionClock.settled()
        #expect((feed.watching, clock.sleeperCount) == (0, 0))
    }

    @Test(
        "Each method is retried after hostNotFound, only idempotent methods after connectionLost or timedOut",
        arguments: [
            (AsyncNetError.Code.hostNotFound, HTTPMethod.get, true), (.hostNotFound, .post, true),
            (.cannotConnect, .post, true), (.proxyNotFound, .patch, true),
            (.connectionLost, .get, true), (.connectionLost, .put, true), (.connectionLost, .post, false),
            (.timedOut, .delete, true), (.timedOut, .patch, false),
            (.emptyReply, .head, true), (.emptyReply, .post, false), (.unacceptableStatus, .get, false),
            (.certificateExpired, .get, false),
        ])
    func causes(code: AsyncNetError.Code, method: HTTPMethod, waits: Bool) async {
        let feed = PathFeed(Self.down)
        let retrier = OfflineRetrier(monitor: feed.monitor, clock: clock)
        async let decision = retrier.retry(after: AsyncNetError(code), context: context(method))
        if waits {
            await clock.sleepers(atLeast: 1)
            feed.send(Self.up)
        }
        switch await decision.choice {
        case .retry(let delay): #expect(waits && delay == .zero)
        case .doNotRetry: #expect(!waits)
        case .fail(let error): Issue.record(error)
        }
        #expect(feed.started == (waits ? 1 : 0))
    }
}
