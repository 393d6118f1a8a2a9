import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// The order in which a request tries the endpoints of a service: a value without a network.
@Suite("Order of endpoints")
struct EndpointOrderTests {
    @Test(
        "The first endpoint is chosen by weight, and endpoints of weight 0 come last in their order",
        arguments: [
            [1, 1], [3, 1], [5, 1, 1], [0, 1, 0, 3], [1], [0, 0], [1_000_000, 1], [1, 1, 1, 1, 1],
        ])
    func shares(_ weights: [Int]) {
        let order = EndpointOrder(weights: weights)
        var firsts = [Int](repeating: 0, count: weights.count)
        let idle = weights.indices.filter { weights[$0] == 0 }
        for seed in 0..<10_000 as Range<UInt64> {
            let places = order.order(seed: seed)
            #expect(places.sorted() == Array(weights.indices) && Array(places.suffix(idle.count)) == idle)
            #expect(order.order(seed: seed) == places)
            firsts[places[0]] += 1
        }
        let total = weights.reduce(0, +)
        for (index, weight) in weights.enumerated() where total > 0 {
            #expect(abs(Double(firsts[index]) / 10_000 - Double(weight) / Double(total)) < 0.02)
        }
    }

    @Test("The share of an unusable endpoint goes to the others in proportion to their weights")
    func leftOut() {
        let order = EndpointOrder(weights: [4, 3, 1])
        var counts = [0, 0, 0]
        for seed in 0..<10_000 as Range<UInt64> { counts[order.endpoint(of: 1, seed: seed) { $0 != 0 }] += 1 }
        #expect(counts[0] == 0 && abs(Double(counts[1]) / 10_000 - 0.75) < 0.02)
    }

    @Test(
        "Each attempt gets the next usable endpoint, and no endpoint is tried twice before all usable ones",
        arguments: [
            ([0, 1, 2], [0, 1, 2, 0, 1]), ([1, 2], [1, 2, 1, 2, 1]), ([2], [2, 2, 2, 2, 2]), ([], [0, 1, 2, 0, 1]),
        ])
    func attempts(_ usable: [Int], _ expected: [Int]) {
        // Endpoints of weight 0 keep the order of the list.
        let order = EndpointOrder(weights: [0, 0, 0])
        let chosen = (1...5).map { order.endpoint(of: $0, seed: 7) { usable.contains($0) } }
        #expect(chosen == expected)
    }
}

/// A service with several endpoints, which are servers on addresses of this machine.
@Suite("Endpoints of a service", .timeLimit(.minutes(1)))
struct EndpointsTests {
    private static let service = "http://service.test:8080"

    private func withServers(
        _ count: Int, _ body: ([MockServer]) async throws -> Void
    ) async throws {
        var servers: [MockServer] = []
        for number in 0..<count { servers.append(try await MockServer.start(on: .loopback(UInt8(20 + number)))) }
        for server in servers { await server.route("/*") { .text("\($0.method) \($0.target) \($0.text)") } }
        try await body(servers)
        for server in servers { await server.stop() }
    }

    private func origin(_ server: MockServer) -> String { String(server.url("/").absoluteString.dropLast()) }

    private func session(
        _ endpoints: KeyValuePairs<String, Int>, _ others: [any RequestPolicy] = [], breaker: CircuitBreaker? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Session {
        Session(
            configuration: .init(
                interceptors: [Endpoints(of: Self.service, endpoints)] + others, circuitBreaker: breaker, clock: clock))
    }

    private func text(_ session: Session, _ target: String = "/") async throws -> String {
        try await session.request(Self.service + target).validate().serializing(String.self).value
    }

    @Test("A request to the service is sent to an endpoint with path, query and body unchanged")
    func rewritten() async throws {
        try await withServers(2) { servers async throws in
            let session = session([origin(servers[0]): 1])
            #expect(try await text(session, "/a%2Fb?q=%2F&x#f") == "GET /a%2Fb?q=%2F&x ")
            #expect(try await text(session, "?q") == "GET /?q ")
            let sent = session.upload(.data(Data("body".utf8)), to: Self.service + "/up", method: .put)
            #expect(try await sent.serializing(String.self).value == "PUT /up body")
            #expect(servers[0].requests.first?.headers["Host"] == "127.0.0.20:\(servers[0].port)")
            _ = try await session.request(servers[1].url("/other")).serializing(String.self).value
            #expect(servers[1].requests.map(\.target) == ["/other"])
        }
    }

    @Test("After a failed attempt each other endpoint is tried, endpoints of weight 0 last")
    func order() async throws {
        try await withServers(3) { servers async throws in
            let session = session([origin(servers[2]): 0, origin(servers[0]): 1, origin(servers[1]): 1])
            for server in servers.prefix(2) { server.on(.get, "/") { _ in .status(503) } }
            #expect(try await text(session) == "GET / ")
            #expect(servers.map { $0.requests.count } == [1, 1, 1])
            servers[2].on(.get, "/") { _ in .status(500) }
            let response = await session.request(Self.service).validate().serializing(String.self).response
            #expect(response.error?.code == .unacceptableStatus && response.metrics.attempts == 3)
            #expect(servers.map { $0.requests.count } == [2, 2, 2])
        }
    }

    @Test("A POST is sent to another endpoint only if the first one was not reached")
    func notIdempotent() async throws {
        try await withServers(2) { servers async throws in
            for server in servers { server.on(.post, "/") { _ in .status(503) } }
            let session = session([origin(servers[0]): 1, origin(servers[1]): 1])
            let post = session.request(Self.service, method: .post).serializing(String.self)
            #expect(await post.response.statusCode == 503)
            #expect(servers.map { $0.requests.count }.reduce(0, +) == 1)
            await servers[0].stop()
            servers[1].on(.post, "/") { _ in .text("done") }
            for _ in 0..<10 {
                let again = self.session([origin(servers[0]): 1, origin(servers[1]): 0])
                #expect(try await again.request(Self.service, method: .post).serializing(String.self).value == "done")
            }
        }
    }

    @Test("An endpoint whose circuit is open gets no requests until a probe succeeds")
    func breaker() async throws {
        try await withServers(2) { servers async throws in
            let clock = TestClock()
            let session = session(
                [origin(servers[0]): 1, origin(servers[1]): 0],
                breaker: CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10)), clock: clock)
            servers[0].on(.get, "/") { _ in .status(500) }
            // Also the first request, which opens the circuit, is then sent to the other endpoint.
            for _ in 0..<5 { #expect(try await text(session) == "GET / ") }
            #expect(servers.map { $0.requests.count } == [1, 5])
            servers[0].on(.get, "/") { _ in .text("back") }
            clock.advance(by: .seconds(10))
            for _ in 0..<3 { #expect(try await text(session) == "back") }
            #expect(servers.map { $0.requests.count } == [4, 5])
        }
    }

    @Test("If all circuits are open, a request ends with circuitOpen and is not sent")
    func allOpen() async throws {
        try await withServers(2) { servers async throws in
            for server in servers { server.on(.get, "/") { _ in .status(500) } }
            let session = session(
                [origin(servers[0]): 1, origin(servers[1]): 1],
                breaker: CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10)), clock: TestClock())
            let codes = [await code(session), await code(session), await code(session)]
            #expect(codes == [.unacceptableStatus, .circuitOpen, .circuitOpen])
            #expect(servers.map { $0.requests.count } == [1, 1])
        }
    }

    private func code(_ session: Session) async -> AsyncNetError.Code? {
        await session.request(Self.service).validate().serializing(String.self).response.error?.code
    }

    @Test("While a probe of an endpoint runs, other requests are sent to the other endpoints")
    func probing() async throws {
        try await withServers(2) { servers async throws in
            let (clock, gate) = (TestClock(), Gate())
            let session = session(
                [origin(servers[0]): 1, origin(servers[1]): 0],
                breaker: CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(10)), clock: clock)
            servers[0].on(.get, "/") { _ in .status(500) }
            #expect(try await text(session) == "GET / ")
            servers[0].on(.get, "/") { _ in
                await gate.wait()
                return .text("back")
            }
            clock.advance(by: .seconds(10))
            async let probe = text(session)
            await servers[0].requests(atLeast: 2)
            for _ in 0..<3 { #expect(try await text(session) == "GET / ") }
            gate.open()
            #expect(try await probe == "back")
        }
    }

    @Test("With a retry policy the endpoints are tried again after each has failed")
    func rounds() async throws {
        try await withServers(2) { servers async throws in
            let failures = Counter()
            for server in servers {
                server.on(.get, "/") { _ in failures.next() <= 3 ? .status(503) : .text("at last") }
            }
            let session = session(
                [origin(servers[0]): 1, origin(servers[1]): 1],
                [RetryPolicy(limit: 5, backoff: Backoff(scale: .milliseconds(1)))])
            #expect(try await text(session) == "at last")
            #expect(servers.map { $0.requests.count } == [2, 2])
        }
    }

    @Test(
        "Endpoints without a valid origin or weight end requests with invalidConfiguration",
        arguments: [
            [:], ["http://127.0.0.1": -1], ["127.0.0.1": 1], ["http://127.0.0.1/path": 1], ["ftp://127.0.0.1": 1],
            ["http://u:p@127.0.0.1": 1], ["http://127.0.0.1": 1, "": 1],
        ] as [KeyValuePairs<String, Int>])
    func invalid(_ endpoints: KeyValuePairs<String, Int>) async {
        #expect(await code(session(endpoints)) == .invalidConfiguration)
    }
}
