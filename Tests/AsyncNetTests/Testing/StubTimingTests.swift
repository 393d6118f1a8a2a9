import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// What a `StubTransport` and a `MockServer` do in time: pauses, counts, cancels.
@Suite("Stubs in time", .timeLimit(.minutes(2)))
struct StubTimingTests {
    @Test("The pauses of .drip pass on the session's TestClock")
    func drip() async throws {
        let clock = TestClock()
        let stub = StubTransport { _ in .text("hello").with(.drip(bytes: 2, every: .seconds(3))) }
        let session = Session(transport: stub, configuration: .init(clock: clock))
        let start = clock.now
        let value = try await clock.run { try await session.request("http://a/").serializing(String.self).value }
        #expect(value == "hello")
        #expect(start.duration(to: clock.now) == .seconds(6))
    }

    @Test("The pauses of .drip pass on the stub's own clock")
    func ownClock() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock) { _ in .text("hello").with(.drip(bytes: 2, every: .seconds(3))) }
        let request = Session(transport: stub).stream("http://a/")
        let pieces = Task { () async throws -> [String] in
            var pieces: [String] = []
            for try await chunk in request.chunks { pieces.append(String(decoding: chunk, as: UTF8.self)) }
            return pieces
        }
        for _ in 0..<2 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(3))
        }
        #expect(try await pieces.value == ["he", "ll", "o"])
    }

    @Test("A body in memory sent to a stub is counted in sentBytes")
    func sentBytes() async throws {
        let session = Session(transport: StubTransport { _ in .text("ok") })
        let request = session.upload(.data(Data(count: 1234)), to: "http://a/")
        let response = await request.serializing(String.self).response
        #expect(response.value == "ok")
        #expect(response.metrics.sentBytes == 1234)
    }

    @Test("The closure of a server's route is cancelled when the client closes the connection")
    func handler() async throws {
        let server = try await MockServer.start()
        let (begun, end) = (AsyncStream<Void>.makeStream(), AsyncStream<Bool>.makeStream())
        await server.route("/*") { _ in
            begun.continuation.yield()
            await withTaskCancellationHandler {
                let (never, held) = AsyncStream<Void>.makeStream()
                for await _ in never {}
                withExtendedLifetime(held) {}
            } onCancel: {
                end.continuation.yield(true)
            }
            return .text("late")
        }
        let session = Session(transport: .libcurl())
        let request = session.request(server.url())
        let task = Task { await request.serializing(String.self).result.failure?.code }
        for await _ in begun.stream { break }
        task.cancel()
        await request.cancel()
        for await isCancelled in end.stream {
            #expect(isCancelled)
            break
        }
        #expect(await task.value == .cancelled)
        await session.finish()
        await server.stop()
    }
}
