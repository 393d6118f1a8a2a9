import AsyncNet
import AsyncNetLifecycle
import AsyncNetTesting
import Foundation
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("A session as a service", .timeLimit(.minutes(1)))
struct SessionServiceTests {
    /// A server that responds to `/slow` when the gate opens, and to other paths at once.
    private func server(_ gate: Gate) async throws -> MockServer {
        let server = try await MockServer.start()
        server.on(.get, "/*") { request in
            if request.path == "/slow" { await gate.wait() }
            return .text(request.path)
        }
        return server
    }

    private func text(_ session: Session, _ url: some URLConvertible) async -> DataResponse<
        String, AsyncNetError
    > {
        await session.get(url).serializing(String.self).response
    }

    /// The error of the first request that is refused: nothing else tells when the session has learned of the shutdown.
    private func firstError(_ session: Session, _ url: URL) async -> AsyncNetError? {
        while true {
            if let error = await text(session, url).error { return error }
        }
    }

    @Test("A request that runs at the shutdown of its group ends with its response, and new ones are refused")
    func gracefulShutdown() async throws {
        let (gate, session) = (Gate(), Session())
        let server = try await server(gate)
        let group = ServiceGroup(services: [SessionService(session)], logger: Logger(label: "test"))
        async let running: Void = group.run()
        async let slow = text(session, server.url("/slow"))
        _ = try await server.takeRequest()
        await group.triggerGracefulShutdown()
        #expect(await firstError(session, server.url("/new"))?.code == .sessionFinished)
        gate.open()
        #expect(await slow.value == "/slow")
        try await running
        #expect(await text(session, server.url("/late")).error?.code == .sessionFinished)
        await server.stop()
    }

    @Test("A request that runs when the limit is over is cancelled")
    func limit() async throws {
        let (gate, clock) = (Gate(), TestClock())
        let session = Session(configuration: .init(timeout: .seconds(60), clock: clock))
        let server = try await server(gate)
        try await testGracefulShutdown { trigger in
            async let service: Void = SessionService(session, finishWithin: .seconds(5)).run()
            async let slow = text(session, server.url("/slow"))
            _ = try await server.takeRequest()
            await clock.sleepers(atLeast: 1)
            trigger.triggerGracefulShutdown()
            await clock.sleepers(atLeast: 2)
            clock.advance(by: .seconds(4))
            #expect(await session.requests.count == 1)
            clock.advance(by: .seconds(1))
            #expect(await slow.error?.code == .cancelled)
            await service
        }
        #expect(await text(session, server.url("/late")).error?.code == .sessionFinished)
        gate.open()
        await server.stop()
    }

    @Test("A loop over pages that asks for the next one after the limit is cancelled")
    func pages() async {
        let stub = StubTransport { request in
            if request.path != "/0" { await Gate().wait() }
            return .json([1], headers: ["Link": "</1>; rel=\"next\""])
        }
        let session = Session(transport: stub)
        let (first, more) = (Gate(), Gate())
        let pages = session.pages([Int].self, from: "http://example.com/0")
        await testGracefulShutdown { trigger in
            async let error = firstError(of: pages) {
                first.open()
                await more.wait()
            }
            await first.wait()
            async let slow = text(session, "http://example.com/slow")
            _ = await stub.requests(atLeast: 2)
            async let service: Void = SessionService(session, finishWithin: .zero).run()
            trigger.triggerGracefulShutdown()
            #expect(await slow.error?.code == .cancelled)
            more.open()
            #expect(await error?.code == .cancelled)
            await service
        }
    }

    private func firstError<Pages: AsyncSequence<[Int], AsyncNetError> & Sendable>(
        of pages: Pages, after work: @Sendable () async -> Void
    ) async -> AsyncNetError? {
        do throws(AsyncNetError) {
            for try await _ in pages { await work() }
            return nil
        } catch {
            return error
        }
    }

    @Test("Cancelling the service's task cancels running requests", arguments: [false, true])
    func cancellation(isShuttingDown: Bool) async throws {
        let (gate, session) = (Gate(), Session())
        let server = try await server(gate)
        try await testGracefulShutdown { trigger in
            let service = Task { await SessionService(session, finishWithin: .seconds(600)).run() }
            async let slow = text(session, server.url("/slow"))
            _ = try await server.takeRequest()
            if isShuttingDown {
                trigger.triggerGracefulShutdown()
                #expect(await firstError(session, server.url("/new"))?.code == .sessionFinished)
            }
            service.cancel()
            #expect(await slow.error?.code == .cancelled)
            await service.value
            #expect(await text(session, server.url("/late")).error?.code == .sessionFinished)
        }
        gate.open()
        await server.stop()
    }

    @Test("A group that is cancelled ends without an error of the session")
    func cancelledGroup() async throws {
        let session = Session(transport: StubTransport { _ in .text("") })
        let group = ServiceGroup(services: [SessionService(session)], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        running.cancel()
        try await running.value
    }
}
