import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@Suite("StubTransport", .timeLimit(.minutes(5)))
struct StubTransportRequestTests {
    @Test("requests(atLeast:) returns when that many requests were received, or when its task is cancelled")
    func waiting() async throws {
        let stub = StubTransport { _ in .text("x") }
        let session = Session(transport: stub)
        async let seen = stub.requests(atLeast: 2)
        _ = try await session.request("http://a/1").serializing(String.self).value
        _ = try await session.request("http://a/2").serializing(String.self).value
        #expect(await seen.map(\.path) == ["/1", "/2"])
        #expect(await stub.requests(atLeast: 0).count == 2)
        let task = Task { await stub.requests(atLeast: 3) }
        task.cancel()
        #expect(await task.value.count == 2)
    }

    @Test("Delays of a stub pass on the session's TestClock unless the stub has a clock of its own")
    func clocks() async throws {
        let (sessionClock, own) = (TestClock(), TestClock())
        let handler: StubTransport.Handler = { _ in .text("x").delayed(by: .seconds(5)) }
        for (stub, clock) in [
            (StubTransport(handler), sessionClock), (StubTransport(clock: own, handler), own),
        ] {
            let session = Session(transport: stub, configuration: .init(clock: sessionClock))
            _ = try await clock.run { try await session.request("http://a/").serializing(String.self).value }
            #expect(clock.now.offset == .seconds(5))
        }
    }

    @Test("A stalled response of a wrapped stub ends at the timeout on the session's TestClock")
    func wrapped() async throws {
        struct Wrapper: Transport {
            let stub: StubTransport
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                var request = request
                request.head.headers.add(name: "X", value: "1")
                return try await stub.send(request)
            }
        }
        let clock = TestClock()
        let session = Session(
            transport: Wrapper(stub: StubTransport { _ in .fault(.stall) }),
            configuration: .init(timeout: .seconds(7), clock: clock))
        let result = await clock.run { await session.request("http://a/").serializing(Data.self).result }
        #expect(result.failure?.code == .timedOut)
        #expect(clock.now.offset == .seconds(7))
    }
}
