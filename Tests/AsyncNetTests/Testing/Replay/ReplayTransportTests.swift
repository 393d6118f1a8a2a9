import AsyncNet
import Foundation
import Testing

@testable import AsyncNetTestSupport

@Suite("ReplayTransport", .timeLimit(.minutes(5)))
struct ReplayTransportTests {
    typealias Request = RecordedExchange.Request

    @Test("Requests that differ in query or JSON body get their own responses in any order")
    func standard() async throws {
        let json = "application/json"
        let transport = ReplayTransport(
            Recording([
                .text(Request("GET /users?page=1"), "one"), .text(Request("GET /users?page=2"), "two"),
                .text(Request("POST /users", #"{"n":1}"#, type: json), "first"),
                .text(Request("POST /users", #"{"n":2}"#, type: json), "second"),
            ]))
        let session = Session(transport: transport)
        #expect(try await session.text("GET /users?page=2") == "two")
        #expect(try await session.text("POST /users", #"{"n":2}"#, type: json) == "second")
        #expect(try await session.text("POST /users", #"{ "n": 1.0 }"#, type: json) == "first")
        #expect(try await session.text("GET /users?page=1") == "one")
        try transport.verify()
    }

    @Test("Exchanges that match equally are used in recorded order, each once")
    func order() async throws {
        let transport = ReplayTransport(
            Recording([
                .text(Request("GET /a"), "1"), .text(Request("GET /b"), "x"), .text(Request("GET /a"), "2"),
                .text(Request("GET /a"), "3"),
            ]))
        let session = Session(transport: transport)
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await session.text("GET /a")) }
        #expect(texts == ["1", "2", "3"])
        #expect(transport.unused.map(\.request.url.path) == ["/b"])
        #expect(await session.failure("GET /a")?.code == .unsupportedByTransport)
        #expect(transport.unmatched.count == 1)
    }

    @Test("With reusesLast the last matching exchange is used again")
    func reuse() async throws {
        let transport = ReplayTransport(
            Recording([.text(Request("GET /a"), "1"), .text(Request("GET /a"), "2")]), reusesLast: true)
        let session = Session(transport: transport)
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await session.text("GET /a")) }
        #expect(texts == ["1", "2", "2", "2"])
        try transport.verify()
        #expect(await session.failure("GET /b") != nil)
    }

    @Test("Retried attempts get the recorded failures, and then the recorded response")
    func retries() async throws {
        let clock = TestClock()
        let transport = ReplayTransport(
            Recording([
                .failing(Request("GET /a"), .connectionLost), .text(Request("GET /a"), "busy", status: 503),
                .text(Request("GET /a"), "fine"), .failing(Request("GET /b"), .certificateExpired),
            ]))
        let session = Session(
            transport: transport, configuration: .init(interceptors: [RetryPolicy(limit: 5)], clock: clock))
        #expect(try await clock.run { try await session.text("GET /a") } == "fine")
        let failure = await clock.run { await session.failure("GET /b") }
        #expect(failure?.code == .certificateExpired)
        #expect(failure?.attempts == 1)
        try transport.verify()
    }

    @Test("A request without an exchange is an error that is not retried and opens no circuit")
    func unmatched() async throws {
        let reported = Locked<[String]>([])
        let transport = ReplayTransport(
            Recording([.text(Request("GET /a"))]), file: nil, matching: RequestMatcher.standard, pace: .immediate,
            reusesLast: false, format: .standard, fallback: nil,
            onUnmatched: { mismatch in reported.withLock { $0.append(mismatch.request.url.path) } })
        let session = Session(
            transport: transport,
            configuration: .init(
                interceptors: [RetryPolicy(limit: 5)], circuitBreaker: CircuitBreaker(minimumRequests: 1)))
        for path in ["/x", "/y", "/z"] {
            let error = await session.failure("GET \(path)")
            #expect(error?.code == .unsupportedByTransport)
            #expect(error?.attempts == 1)
            #expect((error?.underlyingError as? ReplayMismatch)?.nearest == 1)
        }
        #expect(reported.withLock { $0 } == ["/x", "/y", "/z"])
        #expect(transport.unmatched.map(\.request.url.path) == ["/x", "/y", "/z"])
        #expect(throws: UnmetExpectations.self) { try transport.verify() }
    }

    @Test("verify() reports unused exchanges")
    func verify() async throws {
        let transport = ReplayTransport(Recording([.text(Request("GET /a")), .text(Request("DELETE /b"))]))
        _ = try await Session(transport: transport).text("GET /a")
        do {
            try transport.verify()
            Issue.record("An exchange is unused")
        } catch let error as UnmetExpectations {
            #expect(
                error.differences == [
                    "exchange 2 of the recording, DELETE https://api.example.com/b: recorded, but not requested"
                ])
        }
    }

    @Test("A fallback transport carries requests without an exchange, with their bodies")
    func fallback() async throws {
        let stub = StubTransport { request in .text("stub \(request.text)") }
        let transport = ReplayTransport(
            Recording([.text(Request("GET /a"), "recorded")]), file: nil, matching: [.method, .path],
            pace: .immediate, reusesLast: false, format: .standard, fallback: stub,
            onUnmatched: { _ in Issue.record("No request is unmatched") })
        let session = Session(transport: transport)
        #expect(try await session.text("GET /a") == "recorded")
        #expect(try await session.text("GET /b") == "stub ")
        #expect(try await session.text("POST /a", "body") == "stub body")
        let url = Request("POST /a").url
        let once = session.upload(.stream(chunks("one", "two")), to: url).serializing(String.self)
        #expect(try await once.value == "stub onetwo")
        try transport.verify()
        #expect(stub.requests.count == 3)
    }

    @Test("A custom matcher selects an exchange other than the first")
    func closure() async throws {
        let matcher = RequestMatcher.custom { $0.headers["X"] == $1.headers["X"] }
        let transport = ReplayTransport(
            Recording(["1", "2", "1"].map { .text(Request("GET /a", headers: ["X": $0]), $0) }),
            matching: [.method, .path, matcher])
        let session = Session(transport: transport)
        for value in ["2", "1", "1"] {
            #expect(try await session.text("GET /a", headers: ["X": value]) == value)
        }
        #expect(await session.failure("GET /a") != nil)
        #expect(transport.unused.isEmpty)
    }

    @Test("A streamed body is read to its end with progress, and compared")
    func streamedBodies() async throws {
        let transport = ReplayTransport(
            Recording([
                .text(Request("POST /a", "onetwo", type: "text/plain"), "same"),
                .text(Request("POST /b", "", type: "text/plain"), "other"),
            ]), matching: [.path, .body])
        let session = Session(transport: transport)
        func upload(_ path: String) -> UploadRequest {
            session.upload(
                .stream(chunks("one", "two"), length: 6), to: Request("POST \(path)").url,
                headers: ["Content-Type": "text/plain"])
        }
        func code(of request: UploadRequest) async -> AsyncNetError.Code? {
            do throws(AsyncNetError) { _ = try await request.serializing(String.self).value } catch {
                return error.code
            }
            return nil
        }
        let request = upload("/a")
        #expect(try await request.serializing(String.self).value == "same")
        #expect(await code(of: upload("/b")) == .unsupportedByTransport)
        let events = Locked<[Int64]>([])
        var direct = TransportRequest(head: HTTPRequestHead(method: .post, url: Request("POST /c").url))
        direct.body = .stream(chunks("one", "two"), length: 6)
        direct.onEvent = { if case .sentBody(let bytes, 6) = $0 { events.withLock { $0.append(bytes) } } }
        let other = ReplayTransport(Recording([.text(Request("GET /"))]), matching: [.method])
        #expect(await AsyncNetError.code { _ = try await other.send(direct) } == .unsupportedByTransport)
        #expect(events.withLock { $0 } == [3, 6])
        #expect(other.unmatched.map(\.request.body.count) == [0])
    }
}
