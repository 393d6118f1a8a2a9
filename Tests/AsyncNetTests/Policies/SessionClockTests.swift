import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Policies without a clock of their own measure time with the clock of the session that uses them.
@Suite("The session's clock in policies", .timeLimit(.minutes(5)))
struct SessionClockTests {
    private let clock = TestClock()

    private func session(_ policy: any RequestPolicy, _ handler: @escaping StubTransport.Handler) -> Session {
        Session(transport: StubTransport(handler), configuration: .init(interceptors: [policy], clock: clock))
    }

    @Test("The refresh window ends by the session's clock")
    func refreshWindow() async throws {
        let authenticator = TokenAuthenticator(renew: { AccessToken($0.number + 1) })
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: AccessToken(1),
            refreshWindow: RefreshWindow(interval: .seconds(30), maximumAttempts: 3))
        let session = session(interceptor) { $0.answer(for: AccessToken(5)) }
        let request: @Sendable () async -> Result<String, AsyncNetError> = {
            await session.request("http://a/").validate().serializing(String.self).result
        }
        #expect(await request().failure?.code == .excessiveRefresh)
        clock.advance(by: .seconds(30))
        #expect(await request().value == "ok")
    }

    @Test("OfflineRetrier's timeout passes on the session's clock")
    func offline() async throws {
        let monitor = PathFeed(NetworkPath(status: .unsatisfied)).monitor
        let session = session(OfflineRetrier(timeout: .seconds(7), monitor: monitor)) { _ in .fault(.refuse) }
        let result = await clock.run { await session.request("http://a/").serializing(String.self).result }
        #expect(result.failure?.code == .cannotConnect)
        #expect(clock.now.offset == .seconds(7))
    }

    @Test("The context of adapters and retriers has the session's clock")
    func context() async throws {
        let adapter = Adapter { request, context in
            try await context.clock.sleep(for: .seconds(2))
            return request
        }
        let adapting = session(adapter) { _ in .text("ok") }
        #expect(try await clock.run { try await adapting.request("http://a/").serializing(String.self).value } == "ok")
        #expect(clock.now.offset == .seconds(2))
        let retrier = Retrier { _, context in
            try? await context.clock.sleep(for: .seconds(3))
            return .doNotRetry
        }
        let retrying = session(retrier) { _ in .fault(.refuse) }
        _ = await clock.run { await retrying.request("http://a/").serializing(String.self).result }
        #expect(clock.now.offset == .seconds(5))
        #expect(RequestContext(id: RequestID(), attempt: 1).clock is ContinuousClock)
    }
}
