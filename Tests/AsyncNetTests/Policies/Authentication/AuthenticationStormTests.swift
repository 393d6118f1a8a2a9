import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import Testing

/// Many requests are sent with an expired credential at once.
@Suite("Many requests with an expired credential", .timeLimit(.minutes(5)))
struct AuthenticationStormTests {
    /// A service that accepts the second token only, and holds its 401s until `count` requests have sent the first.
    private final class Service: Sendable {
        let count: Int
        let allAreThere = Gate()
        let refreshBegan = Gate()
        let refresh = Gate()
        private let seen = Locked((old: 0, oldDuringRefresh: 0, isRefreshing: false))

        init(holding count: Int) { self.count = count }

        var oldDuringRefresh: Int { seen.withLock { $0.oldDuringRefresh } }
        var old: Int { seen.withLock { $0.old } }

        func answer(_ request: RecordedRequest) async -> MockResponse {
            guard !request.carries(AccessToken(2)) else { return .text("ok") }
            let old = seen.withLock { seen in
                seen.old += 1
                if seen.isRefreshing { seen.oldDuringRefresh += 1 }
                return seen.old
            }
            if old >= count { allAreThere.open() }
            await allAreThere.wait()
            return .status(401)
        }

        func renew() async -> AccessToken {
            seen.withLock { $0.isRefreshing = true }
            refreshBegan.open()
            await refresh.wait()
            return AccessToken(2)
        }
    }

    @Test(
        "400 requests share one refresh, and none is sent with the old credential after the refresh began"
    )
    func stub() async {
        for _ in 0..<repetitions { await storm() }
    }

    private var repetitions: Int {
        ProcessInfo.processInfo.environment["ASYNCNET_REPETITIONS"].flatMap { Int($0) } ?? 5
    }

    private func storm() async {
        let service = Service(holding: 200)
        let fixture = TokenFixture(renew: { _ in await service.renew() }, answer: { await service.answer($0) })
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { #expect(await fixture.get().value == "ok") } }
            await service.refreshBegan.wait()
            for _ in 0..<200 {
                group.addTask(executorPreference: fixture.clock.executor) { #expect(await fixture.get().value == "ok") }
            }
            await fixture.clock.settled()
            #expect(await fixture.session.requests.count == 400)
            service.refresh.open()
        }
        #expect(fixture.refreshes == 1)
        #expect((service.old, service.oldDuringRefresh) == (200, 0))
        #expect(fixture.stub.requests.count == 600)
    }

    @Test(
        "200 concurrent requests share one refresh, and succeed in any order",
        arguments: [true, false])
    func ungated(isKnown: Bool) async {
        for _ in 0..<repetitions {
            let fixture = TokenFixture(AccessToken(1, requiresRefresh: isKnown))
            await withTaskGroup { group in
                for _ in 0..<200 { group.addTask { #expect(await fixture.get().value == "ok") } }
            }
            #expect(fixture.refreshes == 1)
            if isKnown { #expect(fixture.stub.requests.allSatisfy { $0.carries(AccessToken(2)) }) }
        }
    }

    @Test(
        "Requests that wait for a permit during the refresh are sent with the new credential",
        arguments: [1, 8])
    func limited(_ perOrigin: Int) async {
        let service = Service(holding: perOrigin)
        let limit = ConcurrencyLimit(perOrigin: perOrigin)
        let fixture = TokenFixture(
            limit: limit, renew: { _ in await service.renew() }, answer: { await service.answer($0) })
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask(executorPreference: fixture.clock.executor) { #expect(await fixture.get().value == "ok") }
            }
            await service.refreshBegan.wait()
            await fixture.clock.settled()
            #expect(await fixture.session.requests.count == 200)
            service.refresh.open()
        }
        #expect(fixture.refreshes == 1)
        // A permit is released a moment before the retrier learns of the 401, so as many other requests may be sent
        // with the old credential.
        #expect(service.old <= 2 * perOrigin)
        #expect(fixture.stub.requests.count == 200 + service.old)
    }

    @Test("400 requests over libcurl share one refresh, which is made over the same session")
    func server() async throws {
        let server = try await MockServer.start()
        let service = Service(holding: 200)
        await server.route("/*") { request in
            guard request.path == "/token" else { return await service.answer(request) }
            #expect(request.headers["Authorization"] == nil)
            _ = await service.renew()
            return .text("2")
        }
        let (session, clock) = (SessionBox(), TestClock())
        let authenticator = TokenAuthenticator { _ in
            guard let session = session.value else { throw AsyncNetError(.sessionFinished) }
            return AccessToken(try await session.request(server.url("/token")).validate().serializing(Int.self).value)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        // So many connections that no request waits for one on a loop while another loop has free ones.
        let own = Session(
            transport: .libcurl(.init(maximumConnectionsPerOrigin: 1024, maximumConnections: 1024)),
            configuration: .init(interceptors: [interceptor], clock: clock))
        session.value = own
        let get: @Sendable () async -> String = {
            let result = await own.request(server.url("/x")).validate().serializing(String.self).result
            return result.failure?.description ?? result.value ?? ""
        }
        await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { #expect(await get() == "ok") } }
            await service.refreshBegan.wait()
            for _ in 0..<200 {
                group.addTask(executorPreference: clock.executor) { #expect(await get() == "ok") }
            }
            await clock.settled()
            #expect(await own.requests.count >= 401)
            service.refresh.open()
        }
        #expect(authenticator.refreshes.value == 1)
        #expect((service.old, service.oldDuringRefresh) == (200, 0))
        #expect(await server.requestCount == 601)
        session.value = nil
        await own.finish()
        await server.stop()
    }
}
