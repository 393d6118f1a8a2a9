import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Combinations of policies", .timeLimit(.minutes(5)))
struct PolicyCombinationTests {
    private let fast = RetryPolicy(limit: 2, backoff: Backoff(scale: .zero, jitter: .none))

    // MARK: Retries and redirects

    @Test("A POST that was redirected to a GET is retried only with an Idempotency-Key", arguments: [303, 302, 307])
    func repeatedPost(_ status: Int) async throws {
        let stub = StubTransport { request in
            if request.path == "/form" { return .redirect(to: "/result", status: status) }
            return status == 307 ? .fault(.refuse) : .status(503)
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [fast]))
        _ = await session.post("http://a/form").serializing(Data.self).result
        #expect(stub.requests.filter { $0.path == "/form" }.count == 1)
        _ = await session.post("http://a/form", headers: ["Idempotency-Key": "1"]).serializing(Data.self).result
        #expect(stub.requests.filter { $0.path == "/form" }.count == 4)
    }

    @Test("A request with a one-time body is not retried after a redirect")
    func repeatedStream() async throws {
        let stub = StubTransport { $0.path == "/x" ? .redirect(to: "/y", status: 303) : .status(503) }
        let session = Session(transport: stub, configuration: .init(interceptors: [fast]))
        let response = await session.upload(.stream(chunks("a"), length: nil), to: "http://a/x", method: .put)
            .serializing(Data.self).response
        #expect(response.statusCode == 503 && response.error == nil)
        #expect(stub.requests.count == 2)
    }

    @Test("An attempt whose adapter throws counts for the limit of retries")
    func failingAdapter() async throws {
        let seen = Locked<[Int]>([])
        let adapter = Adapter { _, context in
            seen.withLock { $0.append(context.attempt) }
            throw AsyncNetError(.cannotConnect, "no token")
        }
        let stub = StubTransport { _ in .status(200) }
        let response = await Session(transport: stub, configuration: .init(interceptors: [adapter, fast])).request(
            "http://a/"
        ).serializing(Data.self).response
        #expect(response.error?.code == .cannotConnect && response.metrics.attempts == 0)
        #expect(seen.withLock { $0 } == [1, 2, 3])
        #expect(stub.requests.isEmpty)
    }

    // MARK: Circuit breaker

    @Test(
        "Requests that time out or exceed their deadline open the circuit of their origin",
        arguments: [true, false], [true, false])
    func hangingHost(_ isDeadline: Bool, _ shares: Bool) async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .fault(.stall) }
        let session = Session(
            transport: stub,
            configuration: .init(
                timeout: .seconds(isDeadline ? 100 : 5), deadline: isDeadline ? .seconds(5) : nil,
                circuitBreaker: CircuitBreaker(consecutiveFailures: 2),
                coalescesRequests: shares, clock: clock))
        for number in 1...2 {
            let task = clock.task { await session.request("http://a/").serializing(Data.self).result.failure }
            await clock.settled()
            #expect(stub.requests.count == number)
            clock.advance(by: .seconds(5))
            #expect(await task.value?.code == (isDeadline ? .deadlineExceeded : .timedOut))
            // The transfer may end a moment after the outcome.
            await clock.settled()
        }
        #expect(await session.request("http://a/").serializing(Data.self).result.failure?.code == .circuitOpen)
    }

    @Test("Requests waiting for a permit are refused when the circuit opens")
    func waitingForBrokenHost() async throws {
        let (gate, clock) = (Gate(), TestClock())
        let stub = StubTransport { _ in
            await gate.wait()
            return .status(500)
        }
        let session = Session(
            transport: stub,
            configuration: .init(
                concurrencyLimit: ConcurrencyLimit(perOrigin: 1),
                circuitBreaker: CircuitBreaker(consecutiveFailures: 2), clock: clock))
        let tasks = (0..<6).map { _ in
            clock.task { await session.request("http://a/").serializing(Data.self).result.failure?.code }
        }
        await clock.settled()
        #expect(session.environment.limits.queue?.waitingCount == 5)
        gate.open()
        var refused = 0
        for task in tasks where await task.value == .circuitOpen { refused += 1 }
        #expect(refused == 4)
        #expect(stub.requests.count == 2)
    }

    @Test(
        "A failure after a redirect counts for the circuit of the redirect's origin, not of the first",
        arguments: [true, false])
    func redirectedFailure(_ isStatus: Bool) async throws {
        let stub = StubTransport { request in
            if request.path == "/short" { return .redirect(to: "http://b/long") }
            return isStatus ? .status(500) : .fault(.refuse)
        }
        let session = Session(
            transport: stub, configuration: .init(circuitBreaker: CircuitBreaker(consecutiveFailures: 2)))
        for _ in 0..<2 { _ = await session.request("http://a/short").serializing(Data.self).result }
        for _ in 0..<3 {
            let refused = await session.request("http://a/short").serializing(Data.self).response
            #expect(refused.error?.code == .circuitOpen)
            #expect(refused.metrics.redirects.count == 1)
        }
        #expect(stub.requests.count == 7)
    }

    @Test("After a redirect a request holds the permit of the new origin and no longer the first origin's")
    func redirectedOrigin() async throws {
        let (gate, held, clock) = (Gate(), Gate(), TestClock())
        let stub = StubTransport { request in
            if request.path == "/to" { return .redirect(to: "http://b/held") }
            if request.path == "/held" {
                held.open()
                await gate.wait()
            }
            return .status(500)
        }
        let session = Session(
            transport: stub,
            configuration: .init(
                concurrencyLimit: ConcurrencyLimit(perOrigin: 1),
                circuitBreaker: CircuitBreaker(consecutiveFailures: 1), clock: clock))
        let first = clock.task { await session.request("http://a/to").serializing(Data.self).response }
        await held.wait()
        // The first request holds the only permit of b and none of a; the second waits for b's, and holds none of c.
        let second = clock.task { await session.request("http://c/to").serializing(Data.self).response }
        await clock.settled()
        #expect(session.environment.limits.queue?.waitingCount == 1)
        #expect(await session.request("http://a/").serializing(Data.self).response.statusCode == 500)
        let deadline = RequestOptions(deadline: .seconds(60))
        #expect(
            await session.request("http://c/", options: deadline).serializing(Data.self).response.statusCode == 500)
        gate.open()
        #expect(await first.value.statusCode == 500)
        // The failure of the first has opened the circuit of b while the second waited.
        #expect(await second.value.error?.code == .circuitOpen)
        #expect(stub.requests.count == 5)
    }

    @Test("A request whose redirect's target has opened its circuit is not retried")
    func retryOfRedirect() async {
        let stub = StubTransport { $0.path == "/to" ? .redirect(to: "http://b/") : .status(503) }
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: [Retrier { _, _ in .retry }], circuitBreaker: CircuitBreaker(consecutiveFailures: 1)))
        #expect(await session.request("http://a/to").serializing(Data.self).response.statusCode == 503)
        #expect(stub.requests.count == 2)
    }

    @Test("A redirect within an origin does not count as a success for the origin's circuit")
    func redirectBeforeFailure() async {
        let stub = StubTransport { $0.path == "/x" ? .redirect(to: "/x/") : .status(503) }
        let session = Session(
            transport: stub, configuration: .init(circuitBreaker: CircuitBreaker(consecutiveFailures: 2)))
        for _ in 0..<2 { _ = await session.request("http://a/x").serializing(Data.self).result }
        #expect(await session.request("http://a/x").serializing(Data.self).result.failure?.code == .circuitOpen)
        #expect(stub.requests.count == 4)
    }

    @Test("The timeout does not run while a redirected request waits for a permit", arguments: [false, true])
    func waitAfterRedirect(_ retries: Bool) async throws {
        let (gate, held, clock) = (Gate(), Gate(), TestClock())
        let stub = StubTransport { request in
            if request.path == "/to" { return .redirect(to: "http://b/") }
            if request.path == "/held" {
                held.open()
                await gate.wait()
            }
            return .text("")
        }
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: retries ? [RetryPolicy(limit: 0)] : [], timeout: .seconds(1),
                concurrencyLimit: ConcurrencyLimit(perOrigin: 1), clock: clock))
        let first = session.request("http://b/held").timeout(.seconds(1000))
        async let holding = first.serializing(Data.self).result
        await held.wait()
        let waiting = clock.task { await session.request("http://a/to").serializing(Data.self).result }
        await clock.settled()
        #expect(session.environment.limits.queue?.waitingCount == 1)
        clock.advance(by: .seconds(100))
        gate.open()
        #expect(await holding.failure == nil)
        #expect(await waiting.value.failure?.code == nil)
    }

    @Test("The attemptTimeout ends an attempt whose second hop waits for a permit")
    func attemptTimeOfWait() async throws {
        let (gate, held, clock) = (Gate(), Gate(), TestClock())
        let stub = StubTransport { request in
            if request.path == "/to" { return .redirect(to: "http://b/") }
            held.open()
            await gate.wait()
            return .text("")
        }
        let session = Session(
            transport: stub,
            configuration: .init(
                timeout: .seconds(1000), concurrencyLimit: ConcurrencyLimit(perOrigin: 1), clock: clock))
        async let holding = session.request("http://b/held").serializing(Data.self).result
        await held.wait()
        let options = RequestOptions(interceptors: [RetryPolicy(limit: 0, attemptTimeout: .seconds(2))])
        let waiting = clock.task {
            await session.request("http://a/to", options: options).serializing(Data.self).result
        }
        await clock.settled()
        #expect(session.environment.limits.queue?.waitingCount == 1)
        clock.advance(by: .seconds(3))
        #expect(await waiting.value.failure?.code == .timedOut)
        gate.open()
        #expect(await holding.failure == nil)
    }

    @Test("The attemptTimeout ends an attempt whose redirect closure does not return")
    func attemptTimeOfRedirect() async {
        let (asked, clock) = (Gate(), TestClock())
        let session = Session(
            transport: StubTransport { _ in .redirect(to: "/") },
            configuration: .init(
                interceptors: [RetryPolicy(limit: 0, attemptTimeout: .seconds(2))],
                redirects: .modify { next, _ in
                    asked.open()
                    try await Promise<Void>().value()
                    return next
                }, clock: clock))
        async let result = session.request("http://a/").serializing(Data.self).result
        await asked.wait()
        clock.advance(by: .seconds(3))
        #expect(await result.failure?.code == .timedOut)
    }

    @Test("After a cancelled probe another probe is admitted")
    func cancelledProbe() async throws {
        let clock = TestClock()
        let stalls = Locked(false)
        let stub = StubTransport { _ in stalls.withLock { $0 } ? .fault(.stall) : .status(500) }
        let session = Session(
            transport: stub,
            configuration: .init(
                timeout: .seconds(1000),
                circuitBreaker: CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(1)), clock: clock))
        _ = await session.request("http://a/").serializing(Data.self).result
        clock.advance(by: .seconds(1))
        stalls.withLock { $0 = true }
        let probe = Task { await session.request("http://a/").serializing(Data.self).result.failure?.code }
        #expect(await stub.requests(atLeast: 2).count == 2)
        #expect(await session.request("http://a/").serializing(Data.self).result.failure?.code == .circuitOpen)
        probe.cancel()
        #expect(await probe.value == .cancelled)
        stalls.withLock { $0 = false }
        await clock.settled()
        #expect(await session.request("http://a/").serializing(Data.self).response.statusCode == 500)
        #expect(stub.requests.count == 3)
    }

    @Test("A retry with a refreshed credential counts for the limit of a RetryPolicy")
    func refreshCounts() async throws {
        let clock = TestClock()
        let stub = StubTransport()
        stub.on(.get, "/", replies: .status(401), .status(503), .status(503), .status(200))
        let tokens = AuthenticationInterceptor(
            authenticator: TokenAuthenticator { _ in AccessToken(2) }, credential: AccessToken(1))
        let configuration = SessionConfiguration(interceptors: [tokens, RetryPolicy(limit: 2)], clock: clock)
        let session = Session(transport: stub, configuration: configuration)
        let response = await clock.run { await session.request("http://a/").serializing(Data.self).response }
        #expect(response.statusCode == 503 && response.metrics.attempts == 3)
    }

    // MARK: Attempt timeout, hedging, sharing

    @Test("The attemptTimeout ends shared and hedged attempts too", arguments: [true, false])
    func attemptTimeout(_ shares: Bool) async throws {
        let clock = TestClock()
        let count = Locked(0)
        let stub = StubTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .fault(.stall) : .text("done")
        }
        var policy = fast
        policy.attemptTimeout = .seconds(2)
        let hedging: [any RequestPolicy] = shares ? [] : [HedgingPolicy(after: .fixed(.seconds(50)))]
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: [policy] + hedging, timeout: .seconds(100), coalescesRequests: shares, clock: clock))
        let task = clock.task { await session.request("http://a/").serializing(String.self).result }
        await clock.settled()
        #expect(stub.requests.count == 1)
        clock.advance(by: .seconds(2))
        await clock.settled()
        #expect(stub.requests.count == 2)
        #expect(try await task.value.get() == "done")
    }

    @Test("A HedgingPolicy inside nested Interceptors is applied")
    func hedgingInside() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .fault(.stall) }
        let policy = Interceptor([Interceptor([HedgingPolicy(after: .fixed(.seconds(1)))])])
        let session = Session(transport: stub, configuration: .init(interceptors: [policy], clock: clock))
        let task = clock.task { await session.request("http://a/").serializing(String.self).result }
        await clock.settled()
        #expect(stub.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(await stub.requests(atLeast: 2).count == 2)
        task.cancel()
        #expect(await task.value.failure?.code == .cancelled)
    }

    @Test(
        "A hedging delay beyond the clock's range sends no further transfer",
        arguments: [
            Duration.seconds(Int64.max), .seconds(1e19), .seconds(9_300_000_000),
        ])
    func endlessHedgingDelay(_ delay: Duration) async throws {
        let gate = Gate()
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("done")
        }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [HedgingPolicy(after: .fixed(delay))]))
        let task = Task { await session.request("http://a/").serializing(String.self).result }
        #expect(await stub.requests(atLeast: 1).count == 1)
        for _ in 0..<1000 { await Task.yield() }
        gate.open()
        #expect(try await task.value.get() == "done")
        #expect(stub.requests.count == 1)
    }

    @Test("Cancelling one request of a shared transfer does not cancel the transfer for the other requests")
    func leftFlight() async throws {
        let (gate, clock) = (Gate(), TestClock())
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("done")
        }
        let session = Session(transport: stub, configuration: .init(coalescesRequests: true, clock: clock))
        func ask() -> Task<Result<String, AsyncNetError>, Never> {
            clock.task { await session.request("http://a/").serializing(String.self).result }
        }
        let flights = session.environment.limits.flights
        let (first, second) = (ask(), ask())
        await clock.settled()
        #expect(flights.all.map(\.waiterCount) == [2])
        first.cancel()
        #expect(await first.value.failure?.code == .cancelled)
        await clock.settled()
        #expect(await session.requests.count == 1)
        #expect(flights.all.map(\.waiterCount) == [1])
        let third = ask()
        await clock.settled()
        #expect(flights.all.map(\.waiterCount) == [2])
        gate.open()
        #expect(try await second.value.get() == "done")
        #expect(try await third.value.get() == "done")
        #expect(stub.requests.count == 1)
        #expect(flights.all.isEmpty)
    }

    @Test("A transport that throws CancellationError ends a shared request with cancelled")
    func cancellingTransport() async throws {
        let stub = StubTransport { request in
            if request.path == "/" { throw CancellationError() }
            return .text("done")
        }
        let session = Session(transport: stub, configuration: .init(coalescesRequests: true))
        #expect(await session.request("http://a/").serializing(String.self).result.failure?.code == .cancelled)
        #expect(stub.requests.count < 100)
    }

    @Test(
        "A credential is sent only to the origin that it was given for, even if an adapter changes the URL",
        arguments: [true, false])
    func adaptedOrigin(_ shares: Bool) async throws {
        let stub = StubTransport { request in
            request.headers.contains(name: "Authorization")
                ? .text("told") : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        }
        let adapter = Adapter { request, _ in
            var request = request
            request.url = URL(string: "http://b/")
            return request
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [adapter], coalescesRequests: shares))
        #expect(
            await session.request("http://a/").authenticate(username: "u", password: "p").serializing(Data.self)
                .response.statusCode == 401)
        #expect(stub.requests.count == 1)
    }

    @Test(
        "Userinfo of an adapter's URL is sent only in response to a challenge, not in the URL",
        arguments: [true, false])
    func adaptedUserInformation(_ shares: Bool) async throws {
        let stub = StubTransport { request in
            request.headers["Authorization"].map { .text($0) }
                ?? .status(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        }
        let adapter = Adapter { request, _ in
            var request = request
            request.url = URL(string: "http://u:p@b/")
            return request
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [adapter], coalescesRequests: shares))
        let response = await session.request("http://a/").serializing(String.self).response
        #expect(response.value == "Basic dTpw")
        #expect(response.request?.url?.absoluteString == "http://b/")
    }

    @Test("Requests with different credentials do not share a transfer, even if their joined text is equal")
    func flightKeys() async throws {
        let gate = Gate()
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("done")
        }
        let session = Session(transport: stub, configuration: .init(defaultHeaders: [], coalescesRequests: true))
        let one = Task {
            await session.request("http://a/", headers: ["x": "1"]).authenticate(username: "u", password: "p")
                .serializing(Data.self).result
        }
        let other = Task {
            await session.request("http://a/").authenticate(username: "x", password: " 1\nu:p").serializing(Data.self)
                .result
        }
        let third = Task {
            await session.request("http://a/", headers: ["x": "1"]).authenticate(username: "u:p", password: "")
                .serializing(Data.self).result
        }
        #expect(await stub.requests(atLeast: 3).count == 3)
        gate.open()
        for task in [one, other, third] { _ = await task.value }
    }
}
