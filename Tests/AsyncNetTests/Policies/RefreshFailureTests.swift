import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Failed refreshes", .timeLimit(.minutes(5)))
struct RefreshFailureTests {
    private struct Secret: Error, CustomStringConvertible { let description = "hunter2" }

    private static func refusal(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> AsyncNetError {
        let head = HTTPResponseHead(statusCode: status, url: try "http://a/token".asURL(), headers: headers)
        return TransferOutcome(head: head).failing(with: AsyncNetError(.unacceptableStatus)).error
            ?? AsyncNetError(.timedOut)
    }

    private func delay(_ error: any Error, retry: Int = 0) -> Duration? {
        var random = SeededRandom(state: 1)
        return RefreshFailure.delay(beforeRetry: retry, after: error, now: Date(), using: &random)
    }

    @Test(
        "A refresh is repeated only after an error which shows that the server has not carried it out",
        arguments: [
            (.hostNotFound, true), (.cannotConnect, true), (.proxyNotFound, true), (.proxyFailed, true),
            (.connectionLost, false), (.emptyReply, false), (.timedOut, false), (.deadlineExceeded, false),
            (.bodyEndedEarly, false), (.decodingFailed, false), (.cancelled, false), (.certificateNotTrusted, false),
        ] as [(AsyncNetError.Code, Bool)])
    func codes(_ code: AsyncNetError.Code, _ isRepeated: Bool) {
        #expect((delay(AsyncNetError(code)) != nil) == isRepeated)
    }

    @Test(
        "Of all statuses, only 429 and 503 repeat a refresh",
        arguments: [200, 400, 401, 403, 408, 429, 500, 502, 503, 504])
    func statuses(_ status: Int) throws {
        #expect((delay(try Self.refusal(status)) != nil) == [429, 503].contains(status))
    }

    @Test("A refresh is repeated at most twice, after its backoff or Retry-After")
    func delays() throws {
        let busy = AsyncNetError(.cannotConnect)
        #expect((0...3).map { delay(busy, retry: $0) != nil } == [true, true, false, false])
        #expect(try #require(delay(busy)) >= .milliseconds(500))
        #expect(delay(try Self.refusal(503, ["Retry-After": "7"])) == .seconds(7))
        #expect(delay(try Self.refusal(503, ["Retry-After": "61"])) == nil)
        #expect(delay(Secret()) == nil)
        let refused = AsyncNetError(.proxyFailed).with(proxy: .init(statusCode: 407) { nil })
        #expect(delay(refused) == nil)
    }

    @Test("The error refreshFailed and its log line contain the cause's code or type, and no text of a foreign error")
    func causes() async throws {
        let lines = Locked<[String]>([])
        let log = RequestLog { line in lines.withLock { $0.append(line) } }
        for (cause, text) in [(try Self.refusal(400) as any Error, "[unacceptableStatus]"), (Secret(), "Secret")] {
            let fixture = TokenFixture(renew: { _ in throw cause })
            let session = Session(
                transport: fixture.stub, configuration: .init(interceptors: [fixture.interceptor], monitors: [log]))
            let error = await session.request("http://a/").serializing(Data.self).response.error
            #expect(error?.code == .refreshFailed)
            #expect(error?.message.contains(text) == true)
            #expect(error?.description.contains(text) == true)
            await session.monitorsReceivedEvents()
            #expect(lines.withLock { $0.last }?.contains(text) == true)
        }
        #expect(lines.withLock { $0 }.allSatisfy { !$0.contains("hunter2") })
    }

    @Test("A refresh that fails twice with 503 and then succeeds fails no request")
    func passing() async throws {
        let clock = TestClock()
        let failures = Counter()
        let fixture = TokenFixture(
            refreshClock: clock,
            renew: { _ in
                failures.add()
                if failures.value < 3 { throw try Self.refusal(503, ["Retry-After": "2"]) }
                return AccessToken(2)
            })
        let waiting = Task { await fixture.get() }
        for count in 1...2 {
            await clock.sleepers(atLeast: 1)
            #expect(failures.value == count)
            clock.advance(by: .seconds(2))
        }
        #expect(await waiting.value.value == "ok")
        #expect(fixture.refreshes == 3)
    }

    @Test("Setting a credential ends the delay before a repeated refresh")
    func replaced() async throws {
        let clock = TestClock()
        let fixture = TokenFixture(refreshClock: clock, renew: { _ in throw AsyncNetError(.cannotConnect) })
        let waiting = Task { await fixture.get() }
        await clock.sleepers(atLeast: 1)
        await fixture.interceptor.setCredential(AccessToken(2))
        #expect(await waiting.value.value == "ok")
        #expect(clock.sleeperCount == 0)
        #expect(fixture.refreshes == 1)
    }

    @Test("A refresh is repeated only if its failed request was a POST")
    func laterStep() async throws {
        for (method, isRepeated) in [(HTTPMethod.post, true), (.get, false), (.put, false)] {
            let session = Session(transport: StubTransport { _ in .status(503) })
            let response = await session.request("http://a/", method: method).validate().serializing(Data.self).response
            let error = response.error
            #expect((delay(try #require(error)) != nil) == isRepeated)
        }
    }
}
