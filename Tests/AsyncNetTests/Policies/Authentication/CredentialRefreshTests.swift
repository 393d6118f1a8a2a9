import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What happens to requests during a refresh, and after a failed refresh.
@Suite("Credential refresh", .timeLimit(.minutes(5)))
struct CredentialRefreshTests {
    private struct Refusal: Error {}

    @Test("Requests that start during a refresh wait for it")
    func arrivals() async {
        let gate = Gate()
        let fixture = TokenFixture(renew: { _ in
            await gate.wait()
            return AccessToken(2)
        })
        await withTaskGroup { group in
            group.addTask(executorPreference: fixture.clock.executor) { #expect(await fixture.get().value == "ok") }
            await fixture.refreshes(atLeast: 1)
            for _ in 0..<20 {
                group.addTask(executorPreference: fixture.clock.executor) { #expect(await fixture.get().value == "ok") }
            }
            await fixture.clock.settled()
            #expect(await fixture.interceptor.waiterCount == 21)
            #expect(fixture.stub.requests.count == 1)
            gate.open()
        }
        #expect(fixture.stub.requests.dropFirst().allSatisfy { $0.carries(AccessToken(2)) })
        #expect(fixture.refreshes == 1)
    }

    @Test("A failed refresh ends the waiting requests, and the next new request refreshes again")
    func failure() async {
        let (gate, lateGate) = (Gate(), Gate())
        let refused = Counter()
        let fixture = TokenFixture(
            renew: { _ in
                if refused.value > 0 { return AccessToken(2) }
                refused.add()
                await gate.wait()
                throw Refusal()
            },
            answer: { request in
                if request.path == "/late", request.carries(AccessToken(1)) { await lateGate.wait() }
                return request.answer(for: AccessToken(2))
            })
        async let late = fixture.get("http://a/late")
        #expect(await fixture.stub.requests(atLeast: 1).count == 1)
        let first = fixture.begin()
        await fixture.refreshes(atLeast: 1)
        let waiting = fixture.begin("http://a/waiting")
        await fixture.clock.settled()
        #expect(await fixture.interceptor.waiterCount == 2)
        gate.open()
        for (error, path) in [(await first.value.failure, "/"), (await waiting.value.failure, "/waiting")] {
            #expect(error?.code == .refreshFailed)
            #expect(error?.underlyingError is Refusal)
            #expect(error?.request?.url?.path == path)
        }
        lateGate.open()
        #expect(await late.failure?.code == .refreshFailed)
        #expect(fixture.refreshes == 1)
        #expect(await fixture.get().value == "ok")
        #expect(fixture.refreshes == 2)
    }

    @Test(
        "An error of a refresh, even a CancellationError, ends the request with refreshFailed",
        arguments: [
            CancellationError(), AsyncNetError(.cancelled), AsyncNetError(.unacceptableStatus),
        ] as [any Error & Sendable])
    func wrapped(error: any Error & Sendable) async {
        for token in [AccessToken(1), AccessToken(1, requiresRefresh: true)] {
            let fixture = TokenFixture(token, renew: { _ in throw error })
            let failure = await fixture.get().failure
            #expect(failure?.code == .refreshFailed)
            #expect(failure?.underlyingError != nil)
            #expect(fixture.refreshes == 1)
        }
    }

    @Test(
        "A cancelled request stops waiting at once, and the refresh continues",
        arguments: [true, false])
    func cancelled(othersWait: Bool) async {
        let gate = Gate()
        let fixture = TokenFixture(renew: { _ in
            await gate.wait()
            try Task.checkCancellation()
            return AccessToken(2)
        })
        let one = fixture.begin()
        await fixture.refreshes(atLeast: 1)
        let other = othersWait ? fixture.begin() : nil
        await fixture.clock.settled()
        #expect(await fixture.interceptor.waiterCount == (othersWait ? 2 : 1))
        one.cancel()
        #expect(await one.value.failure?.code == .cancelled)
        #expect(await fixture.interceptor.credential == AccessToken(1))
        gate.open()
        if let other { #expect(await other.value.value == "ok") }
        // This request waits for the refresh if that has not ended.
        #expect(await fixture.get().value == "ok")
        #expect(await fixture.interceptor.credential == AccessToken(2))
        #expect(fixture.refreshes == 1)
    }

    @Test("The release of the interceptor cancels its refresh")
    func ownership() async {
        let (began, ended) = (Gate(), Gate())
        do {
            let fixture = TokenFixture(renew: { token in
                began.open()
                await Gate().wait()
                if Task.isCancelled { ended.open() }
                return token
            })
            let request = Task { [session = fixture.session] in
                await session.request("http://a/").serializing(String.self).result
            }
            await began.wait()
            request.cancel()
            #expect(await request.value.failure?.code == .cancelled)
        }
        await ended.wait()
    }

    @Test("setCredential cancels the refresh; waiting requests use the credential, or end if it is nil")
    func replaced() async {
        for credential in [AccessToken(3), nil] {
            let wasCancelled = Gate()
            let fixture = TokenFixture(
                renew: { _ in
                    await Gate().wait()
                    if Task.isCancelled { wasCancelled.open() }
                    return AccessToken(2)
                }, answer: { $0.answer(for: AccessToken(3)) })
            let refused = fixture.begin()
            await fixture.refreshes(atLeast: 1)
            let waiting = fixture.begin()
            await fixture.clock.settled()
            #expect(await fixture.interceptor.waiterCount == 2)
            await fixture.interceptor.setCredential(credential)
            for result in [await refused.value, await waiting.value] {
                #expect(result.value == credential.map { _ in "ok" })
                #expect(result.failure?.code == (credential == nil ? .missingCredential : nil))
            }
            await wasCancelled.wait()
            #expect(await fixture.interceptor.credential == credential)
        }
    }

    // MARK: Over the same session

    /// How a refresh makes its request.
    enum Way: CaseIterable { case plainly, inGroup, inTask }

    @Test(
        "A refresh over its own session neither waits for itself nor sends the old credential",
        arguments: Way.allCases, [true, false])
    func sameSession(way: Way, startsImmediately: Bool) async {
        let session = SessionBox()
        let fixture = TokenFixture(
            startsImmediately: startsImmediately,
            renew: { _ in
                guard let session = session.value else { throw Refusal() }
                let request = session.request("http://a/token")
                let number =
                    switch way {
                    case .plainly: try await request.validate().serializing(Int.self).value
                    case .inTask: try await Task { try await request.validate().serializing(Int.self).value }.value
                    case .inGroup:
                        try await withThrowingTaskGroup(of: Int.self) { group in
                            group.addTask { try await request.validate().serializing(Int.self).value }
                            return try await group.next() ?? 0
                        }
                    }
                return AccessToken(number)
            },
            answer: { request in
                guard request.path != "/token" else {
                    return request.headers["Authorization"] == nil ? .text("2") : .status(400)
                }
                return request.answer(for: AccessToken(2))
            })
        session.value = fixture.session
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { #expect(await fixture.get().value == "ok") } }
        }
        #expect(fixture.refreshes == 1)
        session.value = nil
    }

    @Test("A stream that waits for a refresh holds no permit")
    func place() async throws {
        let box = SessionBox()
        let authenticator = TokenAuthenticator { _ in
            guard let session = box.value else { throw Refusal() }
            return AccessToken(try await session.request("http://a/token").validate().serializing(Int.self).value)
        }
        let stub = StubTransport { $0.path == "/token" ? .text("2") : $0.answer(for: AccessToken(2)) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let session = Session(
            transport: stub,
            configuration: .init(
                interceptors: [interceptor], deadline: .seconds(120), concurrencyLimit: ConcurrencyLimit(perOrigin: 1)))
        box.value = session
        var text = Data()
        for try await chunk in session.stream("http://a/").chunks { text += chunk }
        #expect(text == Data("ok".utf8))
        box.value = nil
    }

    @Test("A 401 to a refresh over the session that it refreshes ends with refreshFailed, without a further refresh")
    func refusedItself() async {
        let session = SessionBox()
        let fixture = TokenFixture(
            renew: { token in
                _ = try await session.value?.request("http://a/token").validate().serializing(String.self).value
                return token
            }, answer: { _ in .status(401) })
        session.value = fixture.session
        let error = await fixture.get().failure
        #expect(error?.code == .refreshFailed)
        #expect((error?.underlyingError as? AsyncNetError)?.response?.url?.path == "/token")
        #expect(fixture.stub.requests.map(\.path) == ["/", "/token"])
        session.value = nil
    }

    @Test("A task that a refresh has started sends its request with the new credential once the refresh is over")
    func leftovers() async {
        let (gate, session) = (Gate(), SessionBox())
        let (leftovers, leftover) = AsyncStream.makeStream(of: Task<String?, Never>.self)
        let fixture = TokenFixture(renew: { _ in
            let task = Task {
                await gate.wait()
                return await session.value?.request("http://a/left").validate().serializing(String.self).result.value
            }
            leftover.yield(task)
            return AccessToken(2)
        })
        session.value = fixture.session
        #expect(await fixture.get().value == "ok")
        gate.open()
        for await task in leftovers.prefix(1) { #expect(await task.value == "ok") }
        session.value = nil
    }
}
