import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Admission of hops")
struct AdmissionTests {
    @Test("didEnd reports a response to the circuit breaker of its origin, and gives back the permit")
    func endOfBody() async throws {
        let configuration = SessionConfiguration(
            concurrencyLimit: ConcurrencyLimit(perOrigin: 1), circuitBreaker: CircuitBreaker(consecutiveFailures: 1))
        let session = Session(transport: StubTransport { _ in .text("") }, configuration: configuration)
        let environment = session.environment
        let (queue, breakers) = (try #require(environment.limits.queue), try #require(environment.limits.breakers))
        let policies = RunPolicies(environment, RequestOptions())
        let run = RequestRun(RunContext(RequestID(), environment, policies, MemorySink()))
        run.hold(try await queue.acquire(origin: "http://a"))
        run.hold(try breakers.allow(origin: "http://a"))
        // Whoever waits for the permit resumes after `didEnd` has given it back.
        run.didEnd(HTTPResponseHead(statusCode: 500, url: try "http://a/".asURL()))
        #expect(queue.activeCount == 0)
        #expect(breakers.isOpen(origin: "http://a", after: .zero))
    }

    @Test("A circuit breaker's probe closes the circuit when its response begins, before its body ends")
    func probe() async throws {
        let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
        let (clock, count) = (TestClock(), Counter())
        let stub = StubTransport { _ in
            switch count.next() {
            case 1: .status(500)
            case 2: .stream(chunks)
            default: .text("x")
            }
        }
        let breaker = CircuitBreaker(consecutiveFailures: 1, openDuration: .seconds(1))
        let session = Session(transport: stub, configuration: .init(circuitBreaker: breaker, clock: clock))
        _ = await session.get("http://a/").serializing(Data.self).response
        #expect(await session.get("http://a/").serializing(Data.self).response.error?.code == .circuitOpen)
        clock.advance(by: .seconds(2))
        feed.yield(Data("1".utf8))
        var pieces = session.stream("http://a/").chunks.makeAsyncIterator()
        #expect(try await pieces.next() == Data("1".utf8))
        #expect(try await session.get("http://a/").serializing(String.self).value == "x")
        feed.finish()
    }

    @Test("A 500 response opens the circuit before its body ends")
    func failure() async throws {
        let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
        let stub = StubTransport { _ in .stream(chunks, status: 500) }
        let breaker = CircuitBreaker(consecutiveFailures: 1)
        let session = Session(transport: stub, configuration: .init(circuitBreaker: breaker))
        feed.yield(Data("1".utf8))
        var pieces = session.stream("http://a/").chunks.makeAsyncIterator()
        #expect(try await pieces.next() == Data("1".utf8))
        #expect(await session.get("http://a/").serializing(Data.self).response.error?.code == .circuitOpen)
        feed.finish()
    }

    @Test("A redirect closure may wait for a request that needs the only permit", .timeLimit(.minutes(5)))
    func redirectClosure() async throws {
        let stub = StubTransport { request in request.path == "/from" ? .redirect(to: "/to") : .text(request.path) }
        let session = Session(transport: stub, configuration: .init(concurrencyLimit: ConcurrencyLimit(perOrigin: 1)))
        let request = session.get("http://a/from").redirects(
            .modify { next, _ in
                _ = try await session.get("http://a/other").serializing(Data.self).value
                return next
            })
        #expect(try await request.serializing(String.self).value == "/to")
    }

    @Test("A request that is suspended while it waits for a permit takes no permit", .timeLimit(.minutes(5)))
    func suspended() async throws {
        let gate = Gate()
        let stub = StubTransport { request in
            if request.path == "/first" { await gate.wait() }
            return .text(request.path)
        }
        let session = Session(transport: stub, configuration: .init(concurrencyLimit: ConcurrencyLimit(perOrigin: 1)))
        let (first, held) = (session.get("http://a/first"), session.get("http://a/held"))
        await first.resume()
        _ = await stub.requests(atLeast: 1)
        async let value = held.serializing(String.self).value
        for await event in held.events { if case .queued = event { break } }
        await held.suspend()
        gate.open()
        #expect(try await session.get("http://a/third").serializing(String.self).value == "/third")
        await held.resume()
        #expect(try await value == "/held")
    }
}
