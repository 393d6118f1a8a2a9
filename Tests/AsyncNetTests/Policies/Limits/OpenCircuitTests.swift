import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet
@testable import AsyncNetMonitors

/// What a caller gets from a circuit that opens between the attempts of a request, or before it.
@Suite("Requests whose circuit opens", .timeLimit(.minutes(5)))
struct OpenCircuitTests {
    private let clock = TestClock()

    private func session(
        _ stub: StubTransport, failures: Int, delay: Duration = .zero, monitors: [any EventMonitor] = []
    ) -> Session {
        let backoff = Backoff(base: 1, scale: delay, maximum: delay, jitter: .none)
        let policy = RetryPolicy(limit: 3, backoff: backoff, maximumRetryAfter: nil)
        let breaker = CircuitBreaker(consecutiveFailures: failures, openDuration: .seconds(60))
        return Session(
            transport: stub,
            configuration: .init(interceptors: [policy], monitors: monitors, circuitBreaker: breaker, clock: clock))
    }

    @Test(
        "A request whose last attempt opens the circuit ends with that attempt's response or error",
        arguments: [true, false])
    func openedByResponse(_ isResponse: Bool) async {
        let stub = StubTransport { _ in isResponse ? .text("busy", status: 503) : .fault(.refuse) }
        let response = await session(stub, failures: 2).request("http://a/").serializing(String.self).response
        #expect(response.error?.code == (isResponse ? nil : .cannotConnect))
        #expect(response.statusCode == (isResponse ? 503 : nil))
        #expect(response.value == (isResponse ? "busy" : nil))
        #expect(response.metrics.attempts == 2)
        #expect(stub.requests.count == 2)
    }

    @Test("A validated response that opens the circuit is an error with its status and body")
    func validated() async {
        let stub = StubTransport { _ in .text("busy", status: 503) }
        let request = session(stub, failures: 1).request("http://a/").validate()
        let error = await request.serializing(String.self).response.error
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.statusCode == 503)
        #expect(error?.data == Data("busy".utf8))
        #expect(error?.attempts == 1)
    }

    @Test("A stream whose status opens the circuit delivers its body")
    func stream() async throws {
        let stub = StubTransport { _ in .text("busy", status: 503) }
        var text = ""
        for try await chunk in session(stub, failures: 1).stream("http://a/").chunks {
            text += String(decoding: chunk, as: UTF8.self)
        }
        #expect(text == "busy")
        #expect(stub.requests.count == 1)
    }

    /// The error of a request if another request opens the circuit during the delay before the next attempt.
    private func openedDuringDelay(
        _ send: @escaping @Sendable (Session) async -> AsyncNetError?
    ) async -> (AsyncNetError?, StubTransport) {
        let stub = StubTransport { .text("busy", status: $0.path == "/other" ? 501 : 503) }
        let session = session(stub, failures: 2, delay: .seconds(5))
        let waiting = clock.task { await send(session) }
        await clock.settled()
        #expect(stub.requests.count == 1)
        #expect(await session.request("http://a/other").serializing(Data.self).response.statusCode == 501)
        #expect(await session.request("http://a/").serializing(Data.self).response.error?.code == .circuitOpen)
        clock.advance(by: .seconds(5))
        return (await waiting.value, stub)
    }

    @Test("If the circuit opens during the delay before a retry, the response is delivered with its body")
    func openedDuringDelay() async {
        let (error, stub) = await openedDuringDelay { session in
            let request = session.request("http://a/")
            let response = await request.serializing(String.self).response
            #expect(response.value == "busy")
            #expect(response.statusCode == 503)
            #expect(response.metrics.attempts == 1)
            #expect(response.metrics.receivedBytes == 4)
            #expect(await request.retryCount == 0)
            return response.error
        }
        #expect(error == nil)
        #expect(stub.requests.count == 2)
    }

    @Test("If the circuit opens during a stream's delay before a retry, the error has the status")
    func streamDuringDelay() async {
        let (error, _) = await openedDuringDelay { session in
            do {
                for try await _ in session.stream("http://a/").chunks {}
                return nil
            } catch {
                return AsyncNetError(wrapping: error, as: .transportFailed)
            }
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.statusCode == 503)
        #expect(error?.attempts == 1)
    }

    @Test("A request refused by an open circuit has no attempts, and only the first refusal is logged as an error")
    func refused() async {
        let lines = Locked<[String]>([])
        let log = RequestLog(format: { "\($0.severity) \($0["attempts"] ?? "-")" }) { line in
            lines.withLock { $0.append(line) }
        }
        let stub = StubTransport { _ in .status(503) }
        let session = session(stub, failures: 1, monitors: [log])
        _ = await session.request("http://a/").serializing(Data.self).response
        for _ in 0..<3 {
            let request = session.request("http://a/")
            let response = await request.serializing(Data.self).response
            #expect(response.error?.code == .circuitOpen)
            #expect(response.error?.attempts == 0 && response.metrics.attempts == 0)
            #expect(response.error?.description.contains("attempt") == false)
            #expect(await request.retryCount == 0)
        }
        await session.monitorsReceivedEvents()
        #expect(lines.withLock { $0 } == ["warning 1", "error 0", "info 0", "info 0"])
    }

    @Test("A request that ends before it is sent has no attempts in its error")
    func unsent() async {
        let stub = StubTransport { _ in .text("ok") }
        let cached = Session(transport: stub, configuration: .init(cache: HTTPCache()))
        let options = RequestOptions(cacheMode: .onlyIfCached)
        let missing = await cached.request("http://a/", options: options).serializing(Data.self).response
        #expect(missing.error?.code == .notCached)
        #expect(missing.error?.attempts == 0)
        let gate = Gate()
        let slow = StubTransport { _ in
            await gate.wait()
            return .text("ok")
        }
        let limited = Session(
            transport: slow, configuration: .init(concurrencyLimit: ConcurrencyLimit(perOrigin: 1), clock: clock))
        let first = clock.task { await limited.request("http://a/").serializing(Data.self).response }
        await clock.settled()
        #expect(slow.requests.count == 1)
        let hasty = limited.request("http://a/", options: RequestOptions(deadline: .seconds(1)))
        let second = clock.task { await hasty.serializing(Data.self).response }
        await clock.settled()
        #expect(limited.environment.limits.queue?.waitingCount == 1)
        clock.advance(by: .seconds(1))
        #expect(await second.value.error?.code == .deadlineExceeded)
        #expect(await second.value.error?.attempts == 0)
        gate.open()
        #expect(await first.value.metrics.attempts == 1)
    }

    @Test("An attempt refused by the circuit does not replace the outcome of the attempt before it")
    func kept() throws {
        let record = TransferRecord()
        let url = try "http://a/".asURL()
        func response(_ status: Int) -> TransferOutcome {
            TransferOutcome(head: HTTPResponseHead(statusCode: status, url: url))
        }
        record.beginAttempt()
        record.keep(response(503))
        record.beginAttempt()
        record.keep(TransferOutcome(error: AsyncNetError(.circuitOpen)))
        record.beginAttempt()
        #expect(record.restore()?.head?.statusCode == 503)
        record.beginAttempt()
        record.keep(response(502))
        record.beginHop(HTTPRequestHead(method: .get, url: url))
        record.keep(response(500))
        record.beginAttempt()
        #expect(record.restore()?.head?.statusCode == 500)
    }
}
