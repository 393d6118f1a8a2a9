import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Responses that validators refuse by their head, whatever comes of their bodies.
@Suite("Refusals by the response's head", .timeLimit(.minutes(5)))
struct EarlyRefusalTests {
    /// The outcome, with time passing once so many bytes have come.
    private func response(
        of request: DataRequest, _ clock: TestClock, after count: Int, passing time: Duration = .seconds(1)
    ) async -> DataResponse<String, AsyncNetError> {
        let progress = request.downloadProgress
        let task = Task { await request.serializing(String.self).response }
        for await value in progress where value.completedBytes >= count { break }
        clock.advance(by: time)
        return await task.value
    }

    private func session(_ transport: any Transport, _ clock: TestClock, _ interceptors: [any RequestPolicy] = [])
        -> Session
    {
        Session(
            transport: transport,
            configuration: .init(interceptors: interceptors, timeout: .seconds(1_000_000), clock: clock))
    }

    private static let notFound = "HTTP/1.1 404 Not Found\\r\\nContent-Type: text/plain\\r\\n"

    /// What a server does after the head, in Python, and what is kept of the body.
    @Test(
        "An unacceptable status is the error even if the body is interrupted or never ends",
        arguments: [
            ("c.sendall(b'\(notFound)Content-Length: 100\\r\\n\\r\\nhello'); c.close()", "hello"),
            ("c.sendall(b'\(notFound)Content-Length: 100\\r\\n\\r\\nhello')", "hello"),
            ("c.sendall(b'\(notFound)\\r\\nhello')", "hello"),
            (
                "c.sendall(b'\(notFound)Transfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\nzz\\r\\n'); c.close()",
                "hello"
            ),
            ("c.sendall(b'\(notFound)Content-Encoding: gzip\\r\\nContent-Length: 5\\r\\n\\r\\nhello'); c.close()", ""),
            (
                "c.sendall(b'\(notFound)\\r\\n')\nwhile True: c.sendall(b'x' * 1000)",
                String(repeating: "x", count: 64 * 1024)
            ),
        ], TransportUnderTest.allCases)
    func status(_ behaviour: (script: String, kept: String), _ transport: TransportUnderTest) async throws {
        let clock = TestClock()
        let (server, session) = (try RawServer(behaviour.script), session(transport.make(), clock))
        let request = session.request(try server.url).validate()
        let response = await response(of: request, clock, after: max(1, behaviour.kept.utf8.count))
        #expect(response.error?.code == .unacceptableStatus, "\(response)")
        #expect(response.statusCode == 404)
        #expect(response.data.map { String(decoding: $0, as: UTF8.self) } == behaviour.kept)
        await session.finish()
    }

    @Test(
        "An unacceptable content type is the error even if the body is interrupted or never ends",
        arguments: [
            "c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Type: a/b\\r\\nContent-Length: 100\\r\\n\\r\\nhello')",
            "c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Type: a/b\\r\\n\\r\\nhello')",
            "c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Type: a/b\\r\\nContent-Length: 100\\r\\n\\r\\nhello'); c.close()",
        ], TransportUnderTest.allCases)
    func type(_ script: String, _ transport: TransportUnderTest) async throws {
        let clock = TestClock()
        let (server, session) = (try RawServer(script), session(transport.make(), clock))
        let request = session.request(try server.url).validate(contentType: ["text/plain"])
        let response = await response(of: request, clock, after: 5)
        #expect(response.error?.code == .unacceptableContentType, "\(response)")
        #expect(response.data == Data("hello".utf8))
        await session.finish()
    }

    @Test(
        "A response with an empty body is accepted with any content type",
        arguments: [
            "Content-Length: 0\\r\\n\\r\\n", "Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n",
            "Connection: close\\r\\n\\r\\n",
        ], TransportUnderTest.allCases)
    func empty(_ rest: String, _ transport: TransportUnderTest) async throws {
        let server = try RawServer("c.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Type: a/b\\r\\n\(rest)'); c.close()")
        let response = await transport.session().request(try server.url).validate(contentType: ["text/plain"])
            .serializing(Data.self).response
        #expect(response.data == Data(), "\(response)")
        #expect(response.error == nil, "\(response)")
    }

    @Test("The content type of a response to HEAD is not validated")
    func head() async {
        let session = Session(
            transport: StubTransport { _ in .text("hello", headers: ["Content-Length": "5", "Content-Type": "a/b"]) })
        let request = session.request("http://a/", method: .head)
        let response = await request.validate(contentType: ["text/plain"]).serializing(Data.self).response
        #expect(response.error == nil && response.data == Data(), "\(response)")
    }

    @Test(
        "Validators run in order if the body is whole; if it is interrupted, the validator of the head decides",
        arguments: [
            (nil, .validationFailed, 5), (MockResponse.Fault.truncate(after: 3), .unacceptableStatus, 0),
            (.resetMidBody(after: 3), .unacceptableStatus, 0),
        ] as [(MockResponse.Fault?, AsyncNetError.Code, Int)])
    func order(_ fault: MockResponse.Fault?, _ code: AsyncNetError.Code, _ seen: Int) async {
        let count = Locked(0)
        let session = Session(
            transport: StubTransport { _ in
                let reply = MockResponse.text("hello", status: 404)
                return fault.map { reply.with($0) } ?? reply
            })
        let request = session.request("http://a/")
        request.validate { _, _, data in
            count.withLock { $0 = data.count }
            throw CocoaError(.featureUnsupported)
        }
        #expect(await request.validate().serializing(String.self).response.error?.code == code)
        #expect(count.withLock { $0 } == seen)
    }

    @Test("A retrier is called for a status refused before the body ended", arguments: [true, false])
    func retried(_ isValidated: Bool) async {
        let clock = TestClock()
        let sent = Counter()
        let stub = StubTransport { _ in
            sent.add()
            let busy = MockResponse.text("busy", status: 503)
            return sent.value == 1 ? isValidated ? busy.with(.stallMidBody(after: 2)) : busy : .text("ok")
        }
        let session = session(stub, clock, [RetryPolicy(backoff: Backoff(scale: .zero))])
        let request = session.request("http://a/")
        if isValidated { request.validate() }
        #expect(await response(of: request, clock, after: 2).value == "ok")
        #expect(sent.value == 2)
    }

    @Test(
        "A refused response whose body stalls ends with the refusal, not with a timeout",
        arguments: ["silence", "attempt", "deadline"])
    func timeouts(_ kind: String) async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in MockResponse.text("hello", status: 404).with(.stallMidBody(after: 2)) }
        let session = Session(transport: stub, configuration: .init(clock: clock))
        let request = session.request("http://a/")
        switch kind {
        case "silence": request.timeout(.milliseconds(1))
        case "attempt": request.interceptor(RetryPolicy(limit: 0, attemptTimeout: .milliseconds(8)))
        default: request.deadline(.milliseconds(4))
        }
        request.validate()
        // What is left to other limits is enough.
        let response = await response(
            of: request, clock, after: 2, passing: kind == "silence" ? .seconds(1) : .milliseconds(2))
        #expect(response.error?.code == .unacceptableStatus, "\(response)")
    }

    @Test("The refusal by the head is the error of shared and hedged requests too", arguments: [true, false])
    func shared(_ isHedged: Bool) async {
        let stub = StubTransport { _ in MockResponse.text("hello", status: 404).with(.truncate(after: 3)) }
        var configuration = SessionConfiguration(coalescesRequests: !isHedged)
        if isHedged { configuration.interceptors = [HedgingPolicy(after: .fixed(.seconds(100)))] }
        let request = Session(transport: stub, configuration: configuration).request("http://a/")
        #expect(await request.validate().serializing(String.self).response.error?.code == .unacceptableStatus)
    }
}
