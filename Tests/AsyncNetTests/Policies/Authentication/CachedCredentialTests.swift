import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Whether an expired credential is refreshed for a request that the cache may answer.
@Suite("Credential refreshes and the cache", .timeLimit(.minutes(5)))
struct CachedCredentialTests {
    private struct Down: Error {}

    private let stub = StubTransport { request in
        let control =
            switch request.path {
            case "/stale": "max-age=0, stale-while-revalidate=60"
            case "/unstored": "no-store"
            default: "private, max-age=600"
            }
        if let target = ["/moved": "/there", "/away": "/unstored"][request.path] {
            return .status(301, headers: ["Location": target, "Cache-Control": control, "Content-Length": "0"])
        }
        return .text(request.headers["Authorization"] ?? "", headers: ["Cache-Control": control])
    }
    private let authenticator = TokenAuthenticator { _ in throw Down() }

    /// A session that has requested each of these paths, and whose credential was then replaced by `token`.
    private func session(_ paths: [String], then token: AccessToken, isNested: Bool = false) async -> Session {
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let policies: [any RequestPolicy] = isNested ? [Interceptor([interceptor])] : [interceptor]
        let session = Session(transport: stub, configuration: .init(interceptors: policies, cache: HTTPCache()))
        for path in paths { _ = await session.request("http://a\(path)").serializing(String.self).response }
        await interceptor.setCredential(token)
        return session
    }

    private let expired = AccessToken(1, requiresRefresh: true)

    @Test("A fresh stored response is delivered without refreshing the expired credential", arguments: [true, false])
    func hit(_ isNested: Bool) async {
        let session = await session(["/", "/moved"], then: expired, isNested: isNested)
        let sent = stub.requests.count
        let modes: [CacheMode] = [.standard, .preferCache, .onlyIfCached]
        for (mode, path) in modes.flatMap({ mode in ["/", "/moved"].map { (mode, $0) } }) {
            let options = RequestOptions(cacheMode: mode)
            let response = await session.request("http://a\(path)", options: options).serializing(String.self).response
            #expect(response.value == "Bearer secret-1")
            #expect(response.metrics.cacheOutcome == .hit)
        }
        #expect(authenticator.refreshes.value == 0)
        #expect(stub.requests.count == sent)
    }

    @Test("A request with .onlyIfCached and without a stored response causes no refresh")
    func onlyIfCached() async {
        let session = await session([], then: expired)
        let options = RequestOptions(cacheMode: .onlyIfCached)
        let error = await session.request("http://a/", options: options).serializing(String.self).response.error
        #expect(error?.code == .notCached)
        let headers: HTTPHeaders = ["Cache-Control": "only-if-cached"]
        #expect(
            await session.request("http://a/", headers: headers).serializing(String.self).response.statusCode == 504)
        #expect(authenticator.refreshes.value == 0)
        #expect(stub.requests.isEmpty)
    }

    @Test(
        "Without a usable stored response, a request's credential is refreshed before it is sent",
        arguments: [
            ("/other", .get, .standard), ("/", .post, .standard), ("/", .get, .reload), ("/", .get, .revalidate),
            ("/", .get, .noStore), ("/stale", .get, .standard), ("/away", .get, .standard),
        ] as [(String, HTTPMethod, CacheMode)])
    func sent(_ path: String, _ method: HTTPMethod, _ mode: CacheMode) async {
        let session = await session(["/", "/stale", "/away"], then: expired)
        let sent = stub.requests.count
        let request = session.request("http://a\(path)", method: method, options: RequestOptions(cacheMode: mode))
        #expect(await request.serializing(String.self).response.error?.code == .refreshFailed)
        #expect(authenticator.refreshes.value == 1)
        #expect(stub.requests.count == sent)
    }

    @Test("Credentials that are the same text when name and password are joined do not share stored responses")
    func joinedCredentials() async {
        let stub = StubTransport { _ in .status(200, headers: ["Cache-Control": "max-age=60"], body: "a") }
        let session = Session(transport: stub, configuration: .init(cache: HTTPCache()))
        for (user, password) in [("a:b", "c"), ("a", "b:c")] {
            let options = RequestOptions(credential: PasswordCredential(username: user, password: password))
            _ = await session.request("http://a/", options: options).serializing(String.self).result
        }
        #expect(stub.requests.count == 2)
    }

    @Test("A stored response is not used for another user's expired credential")
    func otherUser() async {
        let session = await session(["/"], then: AccessToken(2, requiresRefresh: true))
        let options = RequestOptions(cacheMode: .onlyIfCached)
        let stored = await session.request("http://a/", options: options).serializing(String.self).response
        #expect(stored.error?.code == .notCached)
        #expect(await session.request("http://a/").serializing(String.self).response.error?.code == .refreshFailed)
        #expect(stub.requests.count == 1)
    }

    @Test("A request with a fresh stored response does not wait for a refresh in progress")
    func duringRefresh() async {
        let (gate, clock) = (Gate(), TestClock())
        let authenticator = TokenAuthenticator { _ in
            await gate.wait()
            return AccessToken(2)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let session = Session(
            transport: stub, configuration: .init(interceptors: [interceptor], cache: HTTPCache(), clock: clock))
        #expect(await session.request("http://a/").serializing(String.self).response.value == "Bearer secret-1")
        await interceptor.setCredential(expired)
        let sent = clock.task { await session.request("http://a/other").serializing(String.self).response }
        await clock.settled()
        #expect(await interceptor.waiterCount == 1)
        #expect(await session.request("http://a/").serializing(String.self).response.metrics.cacheOutcome == .hit)
        gate.open()
        #expect(await sent.value.value == "Bearer secret-2")
    }

    @Test("The expired credential of an event stream, which never uses the cache, is refreshed first")
    func stream() async {
        let session = await session(["/"], then: expired)
        let error = await #expect(throws: AsyncNetError.self) {
            for try await _ in session.stream("http://a/").serverSentEvents() {}
        }
        #expect(error?.code == .refreshFailed)
        #expect(authenticator.refreshes.value == 1)
        #expect(stub.requests.count == 1)
    }

    @Test("A stored redirect is followed with .onlyIfCached, and the credential is not refreshed")
    func storedRedirect() async {
        let session = await session(["/moved"], then: expired)
        let sent = stub.requests.count
        let options = RequestOptions(cacheMode: .onlyIfCached)
        let response = await session.request("http://a/moved", options: options).serializing(String.self).response
        #expect(response.value == "Bearer secret-1")
        #expect(authenticator.refreshes.value == 0)
        #expect(stub.requests.count == sent)
    }

    @Test(
        "Under a concurrency limit too, requests without a stored response wait until an expired credential is refreshed"
    )
    func limited() async {
        let (gate, clock) = (Gate(), TestClock())
        let authenticator = TokenAuthenticator { _ in
            await gate.wait()
            return AccessToken(2)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        var configuration = SessionConfiguration(interceptors: [interceptor], cache: HTTPCache(), clock: clock)
        configuration.concurrencyLimit = .init(perSession: 4)
        let session = Session(transport: stub, configuration: configuration)
        #expect(await session.request("http://a/").serializing(String.self).response.value == "Bearer secret-1")
        await interceptor.setCredential(expired)
        let sent = clock.task { await session.request("http://a/other").serializing(String.self).response }
        await clock.settled()
        #expect(await interceptor.waiterCount == 1)
        let stream = clock.task {
            for try await _ in session.stream("http://a/").serverSentEvents(reconnection: .never) {}
        }
        await clock.settled()
        #expect(await interceptor.waiterCount == 2)
        gate.open()
        #expect(await sent.value.value == "Bearer secret-2")
        _ = await stream.result
        #expect(stub.requests.filter { $0.headers["Authorization"] == "Bearer secret-1" }.count == 1)
    }
}
