import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// When a credential is refreshed, and how the requests that use it end.
@Suite("AuthenticationInterceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    @Test("A request is sent with the credential")
    func applies() async {
        let fixture = TokenFixture(AccessToken(2))
        #expect(await fixture.get().value == "ok")
        #expect(fixture.stub.requests.count == 1)
        #expect(fixture.refreshes == 0)
    }

    @Test("The interceptor of a single request applies and refreshes the credential")
    func ownInterceptor() async throws {
        let authenticator = TokenAuthenticator { _ in AccessToken(2) }
        let session = Session(transport: StubTransport { $0.answer(for: AccessToken(2)) })
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: AccessToken(1))
        let text = try await session.request("http://a/").interceptor(interceptor).validate().serializing(String.self)
            .value
        #expect(text == "ok")
        #expect(authenticator.refreshes.value == 1)
    }

    @Test(
        "After a 401 the credential is refreshed and the request sent again, validated or not",
        arguments: [true, false])
    func reactive(isValidated: Bool) async throws {
        let fixture = TokenFixture()
        var request = fixture.session.request("http://a/")
        if isValidated { request = request.validate() }
        let response = await request.serializing(String.self).response
        #expect(try response.result.get() == "ok")
        #expect(response.metrics.attempts == 2)
        #expect(fixture.refreshes == 1)
        #expect(await fixture.interceptor.credential == AccessToken(2))
    }

    @Test("A credential that requires a refresh is refreshed before the request is sent")
    func proactive() async {
        let fixture = TokenFixture(AccessToken(1, requiresRefresh: true))
        #expect(await fixture.get().value == "ok")
        #expect(fixture.stub.requests.map { $0.carries(AccessToken(2)) } == [true])
        #expect(fixture.refreshes == 1)
    }

    @Test("A refreshed credential that requires a refresh again is used without another refresh")
    func alwaysExpired() async {
        let fixture = TokenFixture(
            AccessToken(1, requiresRefresh: true), renew: { _ in AccessToken(2, requiresRefresh: true) })
        #expect(await fixture.get().value == "ok")
        #expect(fixture.refreshes == 1)
    }

    @Test("A request rejected after another request's refresh is sent again without another refresh")
    func late() async {
        let gate = Gate()
        let fixture = TokenFixture(answer: { request in
            if request.path == "/late", request.carries(AccessToken(1)) { await gate.wait() }
            return request.answer(for: AccessToken(2))
        })
        async let late = fixture.get("http://a/late")
        #expect(await fixture.stub.requests(atLeast: 1).count == 1)
        #expect(await fixture.get().value == "ok")
        gate.open()
        #expect(await late.value == "ok")
        #expect(fixture.refreshes == 1)
    }

    @Test(
        "Statuses 403 and 500, lost connections, and a 401 to a request without the credential cause no refresh",
        arguments: [403, 500])
    func others(status: Int) async {
        let fixture = TokenFixture(answer: { _ in .status(status) })
        #expect(await fixture.get().failure?.response?.statusCode == status)
        let broken = TokenFixture(answer: { _ in .fault(.resetBeforeHead) })
        #expect(await broken.get().failure?.code == .connectionLost)
        let elsewhere = TokenFixture(answer: { $0.path == "/" ? .redirect(to: "http://b/there") : .status(401) })
        #expect(await elsewhere.get().failure?.code == .unacceptableStatus)
        #expect(elsewhere.stub.requests.count == 2)
        #expect((fixture.refreshes, broken.refreshes, elsewhere.refreshes) == (0, 0, 0))
    }

    @Test("An authenticator's didRequest and isRequest decide which responses reject which credential")
    func ownRules() async {
        struct Signed: Authenticator {
            let refreshes = Counter()
            func apply(_ credential: AccessToken, to request: inout URLRequest) {
                request.setValue("\(credential.number):\(UUID())", forHTTPHeaderField: "X-Signature")
            }
            func refresh(_ credential: AccessToken) async throws -> AccessToken {
                refreshes.add()
                return AccessToken(2)
            }
            func didRequest(
                _ request: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: AsyncNetError
            ) -> Bool {
                response.statusCode == 419 && error.code == .unacceptableStatus
            }
            func isRequest(_ request: URLRequest, authenticatedWith credential: AccessToken) -> Bool {
                request.value(forHTTPHeaderField: "X-Signature")?.hasPrefix("\(credential.number):") == true
            }
        }
        let signed = Signed()
        let stub = StubTransport { $0.headers["X-Signature"]?.hasPrefix("2:") == true ? .text("ok") : .status(419) }
        let session = Session(
            transport: stub,
            configuration: .init(interceptors: [
                AuthenticationInterceptor(authenticator: signed, credential: AccessToken(1))
            ]))
        #expect(await session.request("http://a/").validate().serializing(String.self).result.value == "ok")
        #expect(signed.refreshes.value == 1)
    }

    @Test("An authenticator with Alamofire's signature of didRequest decides about the refresh")
    func alamofiresRule() async {
        struct Moved: Authenticator {
            let refreshes = Counter()
            func apply(_ credential: AccessToken, to request: inout URLRequest) {
                request.setValue(credential.header, forHTTPHeaderField: "Authorization")
            }
            func refresh(_ credential: AccessToken) async throws -> AccessToken {
                refreshes.add()
                return AccessToken(2)
            }
            func didRequest(
                _ urlRequest: URLRequest, with response: HTTPURLResponse,
                failDueToAuthenticationError error: any Error
            ) -> Bool {
                response.statusCode == 419
            }
        }
        let moved = Moved()
        let stub = StubTransport { $0.carries(AccessToken(2)) ? .text("ok") : .status(419) }
        let session = Session(
            transport: stub,
            configuration: .init(interceptors: [
                AuthenticationInterceptor(authenticator: moved, credential: AccessToken(1))
            ]))
        #expect(await session.request("http://a/").validate().serializing(String.self).result.value == "ok")
        #expect(moved.refreshes.value == 1)
    }

    @Test("Without a credential a request ends with missingCredential, not sent, and after setCredential it succeeds")
    func missing() async {
        let fixture = TokenFixture(nil)
        #expect(await fixture.get().failure?.code == .missingCredential)
        #expect(fixture.stub.requests.isEmpty)
        await fixture.interceptor.setCredential(AccessToken(2))
        #expect(await fixture.get().value == "ok")
    }

    @Test(
        "A server that rejects every credential ends requests with excessiveRefresh until the window ends"
    )
    func excessive() async {
        let clock = TestClock()
        let fixture = TokenFixture(
            window: RefreshWindow(interval: .seconds(30), maximumAttempts: 3), refreshClock: clock,
            renew: { AccessToken($0.number + 1) },
            answer: { $0.answer(for: AccessToken(5)) })
        let error = await fixture.get().failure
        #expect(error?.code == .excessiveRefresh)
        #expect(error?.response?.statusCode == 401)
        #expect(fixture.refreshes == 3)
        clock.advance(by: .seconds(29))
        #expect(await fixture.get().failure?.code == .excessiveRefresh)
        clock.advance(by: .seconds(1))
        #expect(await fixture.get().value == "ok")
        #expect(fixture.refreshes == 4)
    }

    @Test("Refreshes are unlimited without a window, and none is made with maximumAttempts 0")
    func windows() async {
        let patient = TokenFixture(
            window: nil, renew: { AccessToken($0.number + 1) }, answer: { $0.answer(for: AccessToken(20)) })
        #expect(await patient.get().value == "ok")
        #expect(patient.refreshes == 19)
        let none = TokenFixture(window: RefreshWindow(maximumAttempts: 0))
        #expect(await none.get().failure?.code == .excessiveRefresh)
        #expect(none.refreshes == 0)
    }

    @Test("No description and no dump contains a credential")
    func secrets() async {
        let fixture = TokenFixture(
            AccessToken(7), renew: { _ in throw AsyncNetError(.timedOut) }, answer: { _ in .status(401) })
        var text = "\(fixture.interceptor) \(String(reflecting: fixture.interceptor))"
        dump(fixture.session.configuration.interceptors, to: &text)
        if let error = await fixture.get().failure {
            text += "\(error) \(error.debugDescription)"
            dump(error, to: &text)
        }
        #expect(text.contains("AuthenticationInterceptor<TokenAuthenticator>") && text.contains("refreshFailed"))
        #expect(!text.contains("secret") && !text.contains("Token("))
        dump(await fixture.interceptor.credential, to: &text)
        #expect(text.contains("Token"))
    }
}
