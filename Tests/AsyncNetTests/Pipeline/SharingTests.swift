import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Cookies, limits, shared requests", .timeLimit(.minutes(5)))
struct SharingTests {
    @Test(
        "Cookies that a redirect sets are stored and sent in later hops, after the caller's own cookies",
        arguments: TransportUnderTest.allCases)
    func cookies(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.route("/set") { _ in
            .status(
                302,
                headers: [
                    .init(name: "Set-Cookie", value: "a=1; Path=/; Expires=Fri, 15 Jan 2100 08:00:07 GMT"),
                    .init(name: "Set-Cookie", value: "b=2; Path=/"), .init(name: "Location", value: "/get"),
                ])
        }
        await server.route("/get") { .text($0.headers["Cookie"] ?? "none") }
        let jar = CookieJar()
        let session = transport.session(.init(cookieJar: jar))
        #expect(try await session.request(server.url("/set")).serializing(String.self).value == "a=1; b=2")
        #expect(await jar.cookies.map(\.name).sorted() == ["a", "b"])
        #expect(
            try await session.request(server.url("/get"), headers: ["Cookie": "b=own; c=3"]).serializing(String.self)
                .value == "b=own; c=3; a=1")
        #expect(try await transport.session().request(server.url("/get")).serializing(String.self).value == "none")
        await server.stop()
    }

    @Test(
        "The jar's cookies follow the cookies of the caller's Cookie header, and are not sent if the header is omitted",
        arguments: [
            (HTTPHeader.omitting("Cookie"), nil), (HTTPHeader(name: "Cookie", value: ""), "a=1"),
            (HTTPHeader(name: "cookie", value: "b=2"), "b=2; a=1"),
        ])
    func ownCookieHeader(_ own: HTTPHeader, _ sent: String?) async throws {
        let (stub, jar) = (StubTransport { _ in .text("") }, CookieJar())
        await jar.set(Cookie(name: "a", value: "1", domain: "a"))
        _ = await Session(transport: stub, configuration: .init(cookieJar: jar)).request("http://a/", headers: [own])
            .serializing(Data.self).result
        #expect(
            stub.requests.first?.headers.first { $0.name.lowercased() == "cookie" && !$0.isOmission }?.value == sent)
    }

    @Test("A full cookie jar keeps a cookie that was sent recently, and removes another one")
    func sentCookiesStay() async throws {
        let (stub, jar) = (StubTransport { _ in .text("") }, CookieJar())
        await jar.set(Cookie(name: "first", value: "1", domain: "a.b", path: "/sent"))
        for number in 1..<180 { await jar.set(Cookie(name: "c\(number)", value: "1", domain: "a.b", path: "/other")) }
        _ = await Session(transport: stub, configuration: .init(cookieJar: jar)).request("http://a.b/sent").serializing(
            Data.self
        ).result
        await jar.set(Cookie(name: "last", value: "1", domain: "a.b"))
        #expect(await jar.cookies.prefix(2).map(\.name) == ["first", "c2"])
    }

    @Test("Failures open the circuit of an origin, and a successful request after openDuration closes it")
    func breaker() async throws {
        let clock = TestClock()
        let isDown = Locked(true)
        let stub = StubTransport { _ in isDown.withLock { $0 } ? .status(500) : .text("up") }
        let breaker = CircuitBreaker(consecutiveFailures: 3, openDuration: .seconds(30))
        let session = Session(transport: stub, configuration: .init(circuitBreaker: breaker, clock: clock))
        for _ in 0..<3 { _ = await session.request("http://a/").serializing(Data.self).result }
        let refused = await session.request("http://a/").serializing(Data.self).result.failure
        #expect(refused?.code == .circuitOpen)
        #expect(stub.requests.count == 3)
        isDown.withLock { $0 = false }
        clock.advance(by: .seconds(30))
        #expect(try await session.request("http://a/").serializing(String.self).value == "up")
        #expect(try await session.request("http://a/").serializing(String.self).value == "up")
    }

    @Test("Requests beyond the concurrency limit wait by priority, and a cancelled request takes no permit")
    func concurrency() async throws {
        let (firstGate, gate, clock) = (Gate(), Gate(), TestClock())
        let running = Locked((now: 0, most: 0, order: [String]()))
        let stub = StubTransport { request in
            running.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
                state.order.append(request.path)
            }
            await (request.path == "/first0" ? firstGate : gate).wait()
            running.withLock { $0.now -= 1 }
            return .text("done")
        }
        let session = Session(
            transport: stub, configuration: .init(concurrencyLimit: ConcurrencyLimit(perOrigin: 2), clock: clock))
        let queue = try #require(session.environment.limits.queue)
        func ask(_ path: String, _ priority: RequestPriority = .normal) -> Task<Result<Data, AsyncNetError>, Never> {
            clock.task { await session.request("http://a/\(path)").priority(priority).serializing(Data.self).result }
        }
        let first = (0..<2).map { ask("first\($0)") }
        await clock.settled()
        #expect(running.withLock { $0.now } == 2)
        let (low, cancelled) = (ask("low", .low), ask("cancelled"))
        await clock.settled()
        #expect(queue.waitingCount == 2)
        let high = ask("high", .high)
        await clock.settled()
        #expect(queue.waitingCount == 3)
        cancelled.cancel()
        #expect(await cancelled.value.failure?.code == .cancelled)
        firstGate.open()
        await clock.settled()
        #expect(running.withLock { $0.order.count } == 3)
        gate.open()
        for task in first + [low, high] { #expect(await task.value.failure == nil) }
        let (most, order) = running.withLock { ($0.most, $0.order) }
        #expect(most == 2)
        #expect(order.dropFirst(2) == ["/high", "/low"])
        await clock.settled()
        #expect(queue.activeCount == 0)
    }

    @Test("A request waits for the rate limit, or ends at once if its deadline is earlier")
    func rate() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .text("done") }
        let session = Session(
            transport: stub, configuration: .init(rateLimit: RateLimit(requests: 1, per: .seconds(1)), clock: clock))
        _ = try await session.request("http://a/").serializing(Data.self).value
        let late = session.request("http://a/")
        #expect(
            await late.deadline(.milliseconds(500)).serializing(Data.self).result.failure?.code == .deadlineExceeded)
        let next = clock.task { await session.request("http://a/").serializing(Data.self).result }
        await clock.settled()
        #expect(session.environment.limits.rate?.waitingCount(origin: "http://a:80") == 1)
        #expect(stub.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(await next.value.failure == nil)
    }

    @Test("Equal concurrent requests share one transfer, which is cancelled with the last of them")
    func coalescing() async throws {
        let (gate, ended, clock) = (Gate(), Gate(), TestClock())
        let stub = StubTransport { request in
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                ended.open()
            }
            try Task.checkCancellation()
            return .text("done")
        }
        let session = Session(transport: stub, configuration: .init(coalescesRequests: true, clock: clock))
        func ask(_ headers: HTTPHeaders = [:]) -> Task<Result<String, AsyncNetError>, Never> {
            clock.task { await session.request("http://a/", headers: headers).serializing(String.self).result }
        }
        let same = (0..<20).map { _ in ask() }
        let other = ask(["Accept-Language": "de"])
        await clock.settled()
        #expect(stub.requests.count == 2)
        // All of them have joined.
        #expect(session.environment.limits.flights.all.map(\.waiterCount).sorted() == [1, 20])
        for task in same.dropFirst() { task.cancel() }
        for task in same.dropFirst() { #expect(await task.value.failure?.code == .cancelled) }
        #expect(await session.requests.count == 2)
        gate.open()
        #expect(try await same[0].value.get() == "done")
        #expect(try await other.value.get() == "done")
        #expect(try await ask().value.get() == "done")
        #expect(stub.requests.count == 3)
        let stalled = StubTransport { _ in .fault(.stall) }
        let last = Session(transport: stalled, configuration: .init(coalescesRequests: true))
        let waiting = (0..<3).map { _ in Task { await last.request("http://a/").serializing(Data.self).result } }
        #expect(await stalled.requests(atLeast: 1).count == 1)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value.failure?.code == .cancelled) }
        await last.finish()
    }

    @Test("HedgingPolicy(after:limit:) has the fixed delay and the limit given")
    func fixedDelay() {
        let policy = HedgingPolicy(after: .seconds(1), limit: 3)
        #expect(policy.delay == .fixed(.seconds(1)) && policy.limit == 3)
    }

    @Test("A slow GET is hedged by a second transfer, whose response it gets, and a slow POST is not hedged")
    func hedging() async throws {
        let clock = TestClock()
        let count = Locked(0)
        let stub = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .fault(.stall) : .text("\(number)")
        }
        let session = Session(
            transport: stub,
            configuration: .init(interceptors: [HedgingPolicy(after: .seconds(1))], clock: clock))
        let task = clock.task { await session.request("http://a/").serializing(String.self).response }
        await clock.settled()
        #expect(stub.requests.count == 1)
        clock.advance(by: .milliseconds(999))
        await clock.settled()
        #expect(stub.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await task.value.value == "2")
        count.withLock { $0 = 0 }
        let post = clock.task { await session.post("http://a/").serializing(String.self).response }
        await clock.settled()
        #expect(stub.requests.count == 3)
        clock.advance(by: .seconds(10))
        await clock.settled()
        #expect(stub.requests.count == 3)
        post.cancel()
        #expect(await post.value.error?.code == .cancelled)
    }
}
