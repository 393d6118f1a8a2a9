import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a session that finishes still sends.
@Suite("Finishing sessions", .timeLimit(.minutes(5)))
struct FinishingTests {
    /// Which code of the user's sends a request of its own in the request's session.
    private enum Place: CaseIterable { case adapter, retrier, redirect, refresh }

    /// What became of the requests that code of the user's has sent.
    private final class Outcomes: Sendable {
        private let errors = Locked<[AsyncNetError?]>([])

        func add(_ error: AsyncNetError?) { errors.withLock { $0.append(error) } }
        var codes: [AsyncNetError.Code?] { errors.withLock { $0.map { $0?.code } } }
    }

    /// A task that code of the user's has made.
    private final class Stray: Sendable {
        private let task = Locked<Task<AsyncNetError.Code?, Never>?>(nil)

        func begin(_ new: Task<AsyncNetError.Code?, Never>) { task.withLock { $0 = new } }
        var code: AsyncNetError.Code? { get async { await task.withLock { $0 }?.value } }
    }

    private func send(_ session: Session?) async -> AsyncNetError? {
        await session?.request("http://a/own").serializing(Data.self).response.error
    }

    private func session(
        _ place: Place, _ box: SessionBox, _ errors: Outcomes, _ gate: Gate, _ clock: TestClock
    ) -> Session {
        let note: @Sendable () async -> Void = {
            let error = await send(box.value)
            errors.add(error)
        }
        var policies: [any RequestPolicy] = []
        var redirects = RedirectHandler.follow
        switch place {
        case .adapter:
            policies.append(
                Adapter { request, _ in
                    guard request.url?.path == "/" else { return request }
                    await gate.wait()
                    await note()
                    return request
                })
        case .retrier:
            policies.append(
                Retrier { _, context in
                    guard context.request?.head.url.path == "/" else { return .doNotRetry }
                    await note()
                    return context.attempt == 1 ? .retry : .doNotRetry
                })
        case .redirect:
            redirects = .modify { next, _ in
                await note()
                return next
            }
        case .refresh:
            let authenticator = TokenAuthenticator { _ in
                await note()
                return AccessToken(2)
            }
            policies.append(AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1)))
        }
        let stub = StubTransport { request in
            guard request.path == "/" else { return .text("own") }
            await gate.wait()
            switch place {
            case .refresh: return request.answer(for: AccessToken(2))
            case .redirect: return .redirect(to: "http://a/there")
            case .retrier: return .status(503)
            default: return .text("ok")
            }
        }
        let session = Session(
            transport: stub, configuration: .init(interceptors: policies, redirects: redirects, clock: clock))
        box.value = session
        return session
    }

    @Test(
        "After finish() requests by code of running requests are sent, and others end with sessionFinished",
        arguments: Place.allCases)
    private func needs(_ place: Place) async {
        let (box, errors, gate, clock) = (SessionBox(), Outcomes(), Gate(), TestClock())
        let session = session(place, box, errors, gate, clock)
        let request = session.request("http://a/")
        let response = clock.task { await request.serializing(String.self).response }
        await clock.settled()
        #expect(await session.requests.count == 1)
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        #expect(await send(session)?.code == .sessionFinished)
        gate.open()
        #expect(await response.value.error == nil)
        await finishing.value
        #expect(errors.codes == (place == .retrier ? [nil, nil] : [nil]))
        #expect(await send(session)?.code == .sessionFinished)
        box.value = nil
    }

    @Test("After finish() a task that outlives the request that made the task can send no request")
    func strayTask() async {
        let (gate, stray, clock) = (Gate(), Gate(), TestClock())
        let (box, task) = (SessionBox(), Stray())
        let adapter = Adapter { request, _ in
            guard request.url?.path == "/first" else { return request }
            task.begin(
                Task {
                    await stray.wait()
                    return await send(box.value)?.code
                })
            return request
        }
        let stub = StubTransport { request in
            if request.path == "/second" { await gate.wait() }
            return .text("ok")
        }
        let session = Session(transport: stub, configuration: .init(interceptors: [adapter], clock: clock))
        box.value = session
        async let second = session.request("http://a/second").serializing(String.self).value
        #expect(await session.request("http://a/first").serializing(String.self).response.value == "ok")
        #expect(await stub.requests(atLeast: 2).count == 2)
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        stray.open()
        #expect(await task.code == .sessionFinished)
        gate.open()
        #expect((try? await second) == "ok")
        await finishing.value
        box.value = nil
    }

    @Test("After finish() a refresh continues for waiting requests, even if its first request was cancelled")
    func sharedRefresh() async {
        let (gate, box, clock) = (Gate(), SessionBox(), TestClock())
        let authenticator = TokenAuthenticator { _ in
            await gate.wait()
            if let error = await send(box.value) { throw error }
            return AccessToken(2)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let stub = StubTransport { $0.path == "/own" ? .text("own") : $0.answer(for: AccessToken(2)) }
        let session = Session(transport: stub, configuration: .init(interceptors: [interceptor], clock: clock))
        box.value = session
        let first = clock.task { await session.request("http://a/").serializing(String.self).response.error?.code }
        await clock.settled()
        let second = clock.task { await session.request("http://a/").serializing(String.self).response.value }
        await clock.settled()
        #expect(await interceptor.waiterCount == 2)
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        first.cancel()
        #expect(await first.value == .cancelled)
        gate.open()
        #expect(await second.value == "ok")
        await finishing.value
        box.value = nil
    }

    // MARK: Limits

    @Test("After finish() an endlessly retried request ends with its last response")
    func endlessRetries() async {
        let (gate, clock) = (Gate(), TestClock())
        let stub = StubTransport { _ in
            await gate.wait()
            return .status(503)
        }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [Retrier { _, _ in .retry }], clock: clock))
        async let response = session.request("http://a/").serializing(Data.self).response
        #expect(await stub.requests(atLeast: 1).count == 1)
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        gate.open()
        #expect(await response.statusCode == 503)
        await finishing.value
        #expect(stub.requests.count == 11)
    }

    @Test("After finish() a stream with endless reconnections ends")
    func endlessStream() async throws {
        let (gate, clock) = (Gate(), TestClock())
        let stub = StubTransport { _ in
            await gate.wait()
            return .text("retry: 0\n\ndata: a\n\n", headers: ["Content-Type": "text/event-stream"])
        }
        let session = Session(transport: stub, configuration: .init(clock: clock))
        let loop = Task {
            var count = 0
            do {
                for try await _ in session.stream("http://a/").serverSentEvents(reconnection: .always(limit: nil)) {
                    count += 1
                }
            } catch {}
            return count
        }
        #expect(await stub.requests(atLeast: 1).count == 1)
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        gate.open()
        #expect(await loop.value == 11)
        await finishing.value
    }

    // MARK: Pages

    private func pages(_ clock: TestClock = TestClock()) -> (Session, StubTransport) {
        let stub = StubTransport { request in
            let number = Int(request.path.dropFirst()) ?? 0
            let type = HTTPHeader(name: "Content-Type", value: "application/json")
            let link = HTTPHeader(name: "Link", value: "</\(number + 1)>; rel=\"next\"")
            return .text("[\(number)]", headers: number < 3 ? [type, link] : [type])
        }
        return (Session(transport: stub, configuration: .init(clock: clock)), stub)
    }

    @Test("After finish() a loop over pages that has begun gets all pages, and a new loop throws sessionFinished")
    func pages() async throws {
        let clock = TestClock()
        let (session, stub) = pages(clock)
        var iterator = session.pages([Int].self, from: "http://a/1").makeAsyncIterator()
        #expect(try await iterator.next() == [1])
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        var late = session.pages([Int].self, from: "http://a/1").makeAsyncIterator()
        await #expect { _ = try await late.next() } throws: { ($0 as? AsyncNetError)?.code == .sessionFinished }
        #expect(try await iterator.next() == [2])
        #expect(try await iterator.next() == [3])
        #expect(try await iterator.next() == nil)
        await finishing.value
        #expect(stub.requests.count == 3)
    }

    @Test("finish() does not wait for a loop over pages that was left")
    func leftLoop() async throws {
        let (session, stub) = pages()
        for try await page in session.pages([Int].self, from: "http://a/1") where page == [2] { break }
        await session.finish()
        #expect(stub.requests.count == 2)
    }

    @Test("finish() waits ten seconds at most for a loop over pages to ask for the next page")
    func pausedLoop() async throws {
        let clock = TestClock()
        let (session, _) = pages(clock)
        var iterator = session.pages([Int].self, from: "http://a/1").makeAsyncIterator()
        #expect(try await iterator.next() == [1])
        let finishing = clock.task { await session.finish() }
        await clock.settled()
        #expect(await session.isFinished)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(9))
        #expect(try await iterator.next() == [2])
        await clock.settled()
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(9))
        #expect(try await iterator.next() == [3])
        await clock.settled()
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(10))
        await finishing.value
        _ = iterator
    }

    /// Runs a closure before it decodes a number's page.
    private struct ClosureDecoder: DataDecoder {
        let run: @Sendable () -> Void

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            run()
            return try JSONDecoder().decode(type, from: data)
        }
    }

    @Test("A loop whose first page is decoded during finish() gets all pages")
    func firstPage() async throws {
        let (session, _) = pages()
        let finishing = Locked<Task<Void, Never>?>(nil)
        let decoder = ClosureDecoder {
            guard finishing.withLock({ $0 }) == nil else { return }
            let told = DispatchSemaphore(value: 0)
            finishing.withLock { $0 = Task { await session.finish() } }
            Task {
                _ = await eventually { session.environment.transfers.isClosing }
                _ = await session.isFinished
                told.signal()
            }
            told.wait()
        }
        var all: [Int] = []
        for try await page in session.pages([Int].self, from: "http://a/1", decoder: decoder) { all += page }
        #expect(all == [1, 2, 3])
        await finishing.withLock { $0 }?.value
    }

    @Test("finish() does not wait for a loop over pages whose first page failed")
    func failedFirstPage() async throws {
        let session = Session(
            transport: StubTransport { _ in .status(404) }, configuration: .init(clock: TestClock()))
        var iterator = session.pages([Int].self, from: "http://a/1").makeAsyncIterator()
        await #expect { _ = try await iterator.next() } throws: {
            ($0 as? AsyncNetError)?.code == .unacceptableStatus
        }
        await session.finish()
        #expect(try await iterator.next() == nil)
    }
}
