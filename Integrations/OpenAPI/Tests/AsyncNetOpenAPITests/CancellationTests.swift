import AsyncNet
import AsyncNetOpenAPI
import AsyncNetTesting
import Foundation
import HTTPTypes
import OpenAPIRuntime
import Testing

/// The points at which the tests of swift-openapi-urlsession cancel, and what they expect there.
@Suite("Cancelling an operation", .timeLimit(.minutes(1)))
struct CancellationTests {
    private func post(_ body: HTTPBody?, over transport: some Transport) async throws -> HTTPBody? {
        try await AsyncNetTransport(session: Session(transport: transport)).send(
            HTTPRequest(.post, "/"), body: body, baseURL: try "http://a".asURL(), operationID: "post"
        ).1
    }

    @Test("A task cancelled before the request is sent sends nothing")
    func beforeSending() async throws {
        let stub = StubTransport { _ in .text("") }
        let cancelled = Signal()
        let task = Task {
            await cancelled.wait(uncancelled: true)
            return try await post("body", over: stub)
        }
        task.cancel()
        cancelled.send()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(stub.requests.isEmpty)
    }

    @Test("While the request's body is sent: it is read no further")
    func whileSending() async throws {
        let transport = Swallowing()
        let source = Endless(waitingAfter: 3)
        let body = HTTPBody(source, length: .unknown, iterationBehavior: .single)
        let task = Task { try await post(body, over: transport) }
        await source.waiting.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await source.ended.wait()
    }

    @Test("While the response is awaited: the transfer ends")
    func beforeHead() async throws {
        let transport = Silent()
        let task = Task { try await post(nil, over: transport) }
        await transport.begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await transport.ended.wait()
    }

    @Test("While the response's body is read: the read ends with the cancellation", arguments: [0, 3])
    func whileReading(count: Int) async throws {
        let (reading, source) = (Signal(), Endless(waitingAfter: count))
        let body = HTTPBody(source, length: .unknown, iterationBehavior: .single)
        let task = Task {
            var iterator = try #require(try await post(body, over: Echo())).makeAsyncIterator()
            for _ in 0..<count { _ = try await iterator.next() }
            reading.send()
            while try await iterator.next() != nil {}
        }
        await reading.wait()
        await source.waiting.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await source.ended.wait()
    }

    @Test("A cancel after the response's body was read changes nothing")
    func afterReading() async throws {
        let (read, cancelled) = (Signal(), Signal())
        let task = Task {
            let body = try #require(try await post("abc", over: Echo()))
            let text = try await String(collecting: body, upTo: .max)
            read.send()
            await cancelled.wait(uncancelled: true)
            return text
        }
        await read.wait()
        task.cancel()
        cancelled.send()
        #expect(try await task.value == "abc")
    }

    @Test("Releasing a body that is not read ends the transfer")
    func unread() async throws {
        let transport = Held()
        do { _ = try await post(nil, over: transport) }
        await transport.source.ended.wait()
    }

    @Test("A failure of the network is AsyncNet's error")
    func failure() async throws {
        let stub = StubTransport { _ in .fault(.resetBeforeHead) }
        let error = await #expect(throws: AsyncNetError.self) { try await post(nil, over: stub) }
        #expect(error?.code == .connectionLost)
    }
}
