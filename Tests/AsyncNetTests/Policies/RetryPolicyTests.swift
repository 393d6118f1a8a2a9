import Foundation
import Testing

@testable import AsyncNet

@Suite("Retry policy")
struct RetryPolicyTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func context(
        _ attempt: Int, _ method: HTTPMethod = .get, _ status: Int? = nil, _ headers: HTTPHeaders = [:],
        own: HTTPHeaders = [:]
    ) throws -> RequestContext {
        let url = try "http://a/".asURL()
        return RequestContext(
            id: RequestID(), attempt: attempt,
            request: TransportRequest(head: HTTPRequestHead(method: method, url: url, headers: own)),
            response: status.map { HTTPResponseHead(statusCode: $0, url: url, headers: headers) })
    }

    /// A generator of random numbers that always returns the same number.
    private struct Fixed: RandomNumberGenerator {
        let value: UInt64
        mutating func next() -> UInt64 { value }
    }

    private func delay(
        _ policy: RetryPolicy, _ code: AsyncNetError.Code, _ context: RequestContext
    ) -> Duration? {
        var random = Fixed(value: .max)
        guard
            case .retry(let delay) = policy.decision(after: AsyncNetError(code), context, now: Self.now, using: &random)
                .choice
        else { return nil }
        return delay
    }

    @Test(
        "RetryPolicy.alamofire waits half a second, then one second, then stops",
        arguments: [(1, Duration.milliseconds(500)), (2, .seconds(1)), (3, nil)])
    func alamofire(_ attempt: Int, _ expected: Duration?) throws {
        #expect(delay(.alamofire, .connectionLost, try context(attempt)) == expected)
    }

    @Test(
        "Method, status, error and Idempotency-Key decide whether a request is retried",
        arguments: [
            (.get, nil, .connectionLost, false, true), (.put, 503, .unacceptableStatus, false, true),
            (.post, 503, .unacceptableStatus, false, false),
            (.post, 503, .unacceptableStatus, true, true), (.post, nil, .cannotConnect, false, true),
            (.post, nil, .hostNotFound, false, true),
            (.post, nil, .connectionLost, false, false), (.patch, nil, .timedOut, false, false),
            (.get, 429, .unacceptableStatus, false, true),
            (.get, 404, .unacceptableStatus, false, false), (.get, nil, .certificateNotTrusted, false, false),
            (.get, nil, .decodingFailed, false, false),
            (.get, 501, .unacceptableStatus, false, false), (.delete, 504, .unacceptableStatus, false, true),
            (.get, nil, .bodyTooLarge, false, false),
        ] as [(HTTPMethod, Int?, AsyncNetError.Code, Bool, Bool)])
    func what(_ method: HTTPMethod, _ status: Int?, _ code: AsyncNetError.Code, _ hasKey: Bool, _ expected: Bool) throws
    {
        let context = try context(1, method, status, own: hasKey ? ["Idempotency-Key": "1"] : [:])
        #expect((delay(RetryPolicy(), code, context) != nil) == expected)
    }

    @Test(
        "The delay before a retry is at least Retry-After, up to the limit of the policy",
        arguments: [
            ("2", Duration.seconds(2)), ("60", .seconds(60)), ("61", nil), ("3600", nil),
            ("Fri, 15 Jan 2027 08:00:07 GMT", .seconds(7)), ("Fri, 15 Jan 2027 07:59:00 GMT", .milliseconds(500)),
            ("soon", .milliseconds(500)), ("-1", .milliseconds(500)), ("0", .milliseconds(500)),
            ("99999999999999999999", nil),
        ] as [(String, Duration?)])
    func retryAfter(_ value: String, _ expected: Duration?) throws {
        let policy = RetryPolicy(backoff: Backoff(jitter: .none))
        #expect(delay(policy, .unacceptableStatus, try context(1, .get, 503, ["Retry-After": value])) == expected)
        #expect(
            delay(.alamofire, .unacceptableStatus, try context(1, .get, 503, ["Retry-After": value]))
                == .milliseconds(500))
    }

    @Test(
        "ConnectionLostRetryPolicy retries after connectionLost, and not after cannotConnect or a 503",
        arguments: [(AsyncNetError.Code.connectionLost, true), (.cannotConnect, false), (.unacceptableStatus, false)])
    func connectionLost(_ code: AsyncNetError.Code, _ expected: Bool) async throws {
        let decision = await ConnectionLostRetryPolicy().retry(
            after: AsyncNetError(code), context: try context(1, .get, code == .unacceptableStatus ? 503 : nil))
        if case .retry = decision.choice { #expect(expected) } else { #expect(!expected) }
    }
}
