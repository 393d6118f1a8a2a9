import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

@Suite("Admission of hops")
struct AdmissionTests {
    @Test("The end of a 500 response opens the circuit of its origin and gives back the permit")
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
}
