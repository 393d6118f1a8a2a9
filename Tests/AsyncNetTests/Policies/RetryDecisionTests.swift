import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

/// The decisions of retriers as values, and those of Alamofire's policy.
@Suite("Retry decisions")
struct RetryDecisionTests {
    @Test("A RetryDecision can be compared, and has its delay, error and description")
    func values() {
        #expect(RetryDecision.retry == .retry(after: .zero) && RetryDecision.retry != .retry(after: .seconds(1)))
        #expect(RetryDecision.retry != .doNotRetry && RetryDecision.doNotRetry == .doNotRetry)
        #expect(RetryDecision.fail(AsyncNetError(.timedOut)) == .fail(AsyncNetError(.timedOut)))
        #expect(RetryDecision.fail(AsyncNetError(.timedOut)) != .fail(AsyncNetError(.cancelled)))
        #expect(RetryDecision.retry(after: .seconds(2)).delay == .seconds(2) && RetryDecision.retry.delay == .zero)
        #expect(RetryDecision.doNotRetry.delay == nil)
        #expect(RetryDecision.fail(AsyncNetError(.timedOut)).error?.code == .timedOut)
        #expect("\(RetryDecision.retry(after: .seconds(1)))" == "retry after 1.0 seconds")
    }

    @Test("RetryPolicy.alamofire retries the Foundation errors that Alamofire lists, without a retry budget")
    func alamofire() async throws {
        let stub = StubTransport { request in
            guard request.path == "/busy" else { return .text("ok") }
            throw AsyncNetError(.transportFailed, underlyingError: URLError(.callIsActive))
        }
        var policy = RetryPolicy.alamofire
        policy.backoff = Backoff(base: 2, scale: .zero, maximum: .zero, jitter: .none)
        let session = Session(
            transport: stub,
            configuration: SessionConfiguration(
                interceptors: [policy], retryBudget: RetryBudget(ratio: 0, minimumPerSecond: 0), clock: TestClock()))
        let response = await session.request("http://a/busy").serializing(Data.self).response
        #expect(response.error?.code == .transportFailed)
        #expect(stub.requests.count == 3)
    }
}
