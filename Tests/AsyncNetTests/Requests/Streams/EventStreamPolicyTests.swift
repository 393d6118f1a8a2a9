import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// A reconnection of an event stream is a new request to the session's policies.
@Suite("Policies for reconnections of event streams", .timeLimit(.minutes(5)))
struct EventStreamPolicyTests {
    private let clock = TestClock()
    private static let events = MockResponse.chunked(
        ["id: 1\nretry: 50\ndata: 1\n\n"], headers: ["Content-Type": "text/event-stream"])

    /// The requests of a stream, each with its time on the clock.
    private struct Sent: Sendable {
        var times: [Duration] = []
        var data: [String] = []
        var error: AsyncNetError?
    }

    /// Reads a stream of one event, whose reconnections get the given responses, and then 204.
    private func read(
        _ configuration: SessionConfiguration, _ reconnection: EventReconnection = .ifResumable(),
        reconnections: [MockResponse], first: MockResponse = events
    ) async -> Sent {
        let times = Locked<[Duration]>([])
        let stub = StubTransport { [clock] request in
            let number = times.withLock { times in
                times.append(clock.now.offset)
                return times.count - 1
            }
            if number == 0 { return first }
            return number <= reconnections.count ? reconnections[number - 1] : .status(204)
        }
        var configuration = configuration
        configuration.clock = clock
        let stream = Session(transport: stub, configuration: configuration).stream("http://a/")
        return await clock.run {
            var sent = Sent()
            do {
                for try await event in stream.serverSentEvents(reconnection: reconnection) {
                    sent.data.append(event.data)
                }
            } catch { sent.error = error as? AsyncNetError }
            sent.times = times.withLock { $0 }
            return sent
        }
    }

    @Test(
        "A 401 to a reconnection refreshes the credential once, and the stream continues",
        arguments: [EventReconnection.ifResumable(limit: 0), .ifResumable(), .always()])
    func refresh(_ reconnection: EventReconnection) async throws {
        let authenticator = TokenAuthenticator { _ in AccessToken(2) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let stub = StubTransport { request in
            if request.headers["Last-Event-ID"] == nil { return Self.events }
            return request.carries(AccessToken(2)) ? .status(204) : .status(401)
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [interceptor], clock: clock))
        let data = try await clock.run {
            var data: [String] = []
            for try await event in session.stream("http://a/").serverSentEvents(reconnection: reconnection) {
                data.append(event.data)
            }
            return data
        }
        #expect(data == ["1"] && authenticator.refreshes.value == 1)
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["1", "1", "2"].map { "Bearer secret-\($0)" })
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
    }

    @Test(
        "A reconnection waits for the Retry-After of a 503 or 429, with and without a retry policy",
        arguments: [503, 429], [[], [RetryPolicy(backoff: Backoff(scale: .zero))]])
    func retryAfter(_ status: Int, _ policies: [RetryPolicy]) async {
        let refusal = MockResponse.status(status, headers: ["Retry-After": "2"])
        let sent = await read(.init(interceptors: policies), reconnections: [refusal])
        #expect(sent.times == [.zero, .milliseconds(50), .milliseconds(2050)])
        #expect(sent.data == ["1"] && sent.error == nil)
    }

    @Test("A stream reconnects after the time of its retry field if the retrier's delay is shorter")
    func laterOfBoth() async {
        let sent = await read(
            .init(interceptors: [Retrier { _, _ in .retry }]), reconnections: [.status(503), .status(403)])
        #expect(sent.times == [0, 50, 100, 100].map { .milliseconds($0) })
        #expect(sent.error == nil)
    }

    @Test("A retrier is called for each failure of a stream, with attempts counted from its last events")
    func ownRetrier() async {
        let asked = Locked<[String]>([])
        let retrier = Retrier { error, context in
            asked.withLock { $0.append("\(error.code) \(context.attempt)") }
            return .doNotRetry
        }
        let sent = await read(
            .init(interceptors: [retrier]),
            reconnections: [.status(503), .fault(.refuse), Self.events, .status(503), .status(404)],
            first: Self.events.with(.truncate(after: 27)))
        #expect(sent.data == ["1", "1"] && sent.error?.statusCode == 404)
        #expect(
            asked.withLock { $0 } == [
                "bodyEndedEarly 1", "unacceptableStatus 2", "cannotConnect 3", "unacceptableStatus 1",
                "unacceptableStatus 2",
            ])
    }

    /// A server that accepts each connection, and ends it without an event.
    private static let empty = MockResponse.chunked(
        ["retry: 50\n\n", ": comment\n\n"], headers: ["Content-Type": "text/event-stream"])

    @Test(
        "A stream that the server accepts and ends without an event ends with .connectionLost at its limit",
        arguments: [EventReconnection.ifResumable(limit: 3), .always(limit: 3)])
    func emptyStreams(_ reconnection: EventReconnection) async {
        let quiet = Array(repeating: Self.empty, count: 20)
        let sent = await read(.init(), reconnection, reconnections: quiet, first: Self.empty)
        #expect(sent.times == [0, 50, 100, 150].map { .milliseconds($0) })
        #expect(sent.error?.code == .connectionLost)
        #expect(sent.error?.message.contains("4 connections in a row brought no event") == true)
        #expect(sent.error?.description.contains("set a larger limit, or nil for none") == true)
        let resumed = await read(.init(), reconnection, reconnections: [Self.empty, Self.empty, Self.events] + quiet)
        #expect(resumed.times.count == 8)
        #expect(resumed.data == ["1", "1"])
        #expect(resumed.error?.code == .connectionLost)
    }

    @Test("A retry policy counts connections that are lost before an event, though the server accepted them")
    func lostBeforeEvents() async {
        let lost = Array(repeating: Self.events.with(.truncate(after: 10)), count: 20)
        let policy = RetryPolicy(limit: 5, backoff: Backoff(scale: .zero))
        let sent = await read(.init(interceptors: [policy]), .ifResumable(limit: 2), reconnections: lost)
        #expect(sent.times.count == 7 && sent.error?.code == .bodyEndedEarly)
    }

    @Test(
        "A stream that would not be continued ends without an error, though its limit of failures is 0",
        arguments: [HTTPMethod.get, .post])
    func emptyEnds(_ method: HTTPMethod) async throws {
        // The length of a response to GET announces its end; a POST is never sent again.
        var headers: HTTPHeaders = ["Content-Type": "text/event-stream"]
        if method == .get { headers.add(name: "Content-Length", value: "11") }
        let response = MockResponse(headers: headers, body: Data("retry: 50\n\n".utf8))
        let stub = StubTransport { _ in response }
        let stream = Session(transport: stub).stream("http://a/", method: method)
        for try await event in stream.serverSentEvents(reconnection: .ifResumable(limit: 0)) {
            Issue.record("\(event)")
        }
        #expect(stub.requests.count == 1)
    }

    @Test("The error of a retrier's decision .fail ends a stream")
    func ownError() async {
        let retrier = Retrier { error, _ in error.statusCode == 503 ? .fail(AsyncNetError(.notCached)) : .doNotRetry }
        let sent = await read(.init(interceptors: [retrier]), reconnections: [.status(503)])
        #expect(sent.error?.code == .notCached && sent.times.count == 2)
    }

    @Test("With an OfflineRetrier a reconnection waits for the network, even with a limit of failures of 0")
    func offline() async {
        let feed = PathFeed(NetworkPath(status: .unsatisfied))
        let retrier = OfflineRetrier(timeout: .seconds(3600), monitor: feed.monitor, clock: TestClock())
        let refused = Counter()
        let stub = StubTransport { request in
            if request.headers["Last-Event-ID"] == nil {
                return .chunked(["id: 1\nretry: 0\ndata: 1\n\n"], headers: ["Content-Type": "text/event-stream"])
            }
            refused.add()
            return refused.value == 1 ? .fault(.refuse) : .status(204)
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [retrier], clock: clock))
        let loop = clock.task {
            var data: [String] = []
            let events = session.stream("http://a/").serverSentEvents(
                reconnection: .ifResumable(delay: .zero, limit: 0))
            for try await event in events { data.append(event.data) }
            return data
        }
        await clock.settled()
        #expect(feed.watching == 1)
        #expect(stub.requests.count == 2)
        feed.send(NetworkPath(status: .satisfied, hasIPv4: true))
        #expect(await (try? loop.value) == ["1"])
        #expect(stub.requests.count == 3)
    }

    @Test("The retry budget limits reconnections after a failed connection, and not those after events")
    func budget() async {
        var configuration = SessionConfiguration(
            retryBudget: RetryBudget(ratio: 0, minimumPerSecond: 0.2, window: .seconds(10)))
        let refused = Array(repeating: MockResponse.status(503), count: 9)
        let spent = await read(configuration, reconnections: refused)
        #expect(spent.times.count == 4 && spent.error?.statusCode == 503)
        configuration.retryBudget = RetryBudget(ratio: 0, minimumPerSecond: 0)
        let ends = await read(configuration, reconnections: [Self.events, Self.events.with(.truncate(after: 27))])
        #expect(ends.times.count == 4 && ends.error == nil)
    }

    @Test("An open circuit delays a reconnection and does not end the stream")
    func breaker() async {
        let configuration = SessionConfiguration(
            circuitBreaker: CircuitBreaker(consecutiveFailures: 2, openDuration: .seconds(1)))
        let sent = await read(configuration, .ifResumable(limit: nil), reconnections: [.status(503), .status(503)])
        #expect(sent.error == nil && sent.times.count == 4)
        #expect(sent.times.last.map { $0 >= .milliseconds(1100) } == true)
    }
}
