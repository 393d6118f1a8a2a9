import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// A request over a stub, and the steps that its observers must get.
struct EventScenario: CustomTestStringConvertible {
    let name: String
    /// The steps of each request that `run` makes, in the order in which the requests are made.
    let steps: [String]
    var configure: @Sendable (inout SessionConfiguration) -> Void = { _ in }
    let server: StubTransport.Handler
    private var run: @Sendable (Session) async throws -> Void = { session in
        _ = await session.request("http://a.example/x").serializing(String.self).result
    }

    /// Whether the clock advances to the next deadline whenever all tasks wait.
    private var movesClock = true
    /// Whether the steps may come in another order.
    private(set) var isUnordered = false

    var testDescription: String { name }

    init(
        _ name: String, _ steps: String..., server: @escaping StubTransport.Handler = { _ in .text("abc") },
        configure: @escaping @Sendable (inout SessionConfiguration) -> Void = { _ in }
    ) {
        self.init(name, steps: steps, server: server, configure: configure)
    }

    init(
        _ name: String, steps: [String], server: @escaping StubTransport.Handler,
        configure: @escaping @Sendable (inout SessionConfiguration) -> Void
    ) {
        (self.name, self.steps, self.configure, self.server) = (name, steps, configure, server)
    }

    /// The scenario with these requests instead of one GET.
    func running(_ run: @escaping @Sendable (Session) async throws -> Void) -> EventScenario {
        var copy = self
        copy.run = run
        return copy
    }

    /// The scenario without a moving clock, whose timeout could end a silent request before it is cancelled.
    func standingStill() -> EventScenario {
        var copy = self
        copy.movesClock = false
        return copy
    }

    /// The scenario without a fixed order: the transfer that loses against a hedge ends at any time.
    func unordered() -> EventScenario {
        var copy = self
        copy.isUnordered = true
        return copy
    }

    /// This scenario with a server that has not counted a request yet, for a test that runs more than once.
    func anew(in all: [EventScenario]) -> EventScenario { all.first { $0.name == name } ?? self }

    /// Runs the scenario with a clock of its own.
    func observe(_ change: (inout SessionConfiguration) -> Void = { _ in }) async throws -> EventRecorder {
        let (clock, recorder) = (TestClock(), EventRecorder())
        var configuration = SessionConfiguration(clock: clock)
        configuration.monitors = [recorder]
        configure(&configuration)
        change(&configuration)
        let session = Session(transport: StubTransport(clock: clock, server), configuration: configuration)
        if movesClock { try await clock.run { try await runToEnd(session) } } else { try await runToEnd(session) }
        return recorder
    }

    /// Runs the requests and finishes the session, which ends transfers that no request waits for any more.
    private func runToEnd(_ session: Session) async throws {
        try await run(session)
        await session.finish()
    }
}

/// Numbers the requests that a stub receives, from 1.
private func counted(_ handler: @escaping @Sendable (Int, RecordedRequest) async -> MockResponse)
    -> StubTransport.Handler
{
    let count = Locked(0)
    return { request in
        let number = count.withLock { count in
            count += 1
            return count
        }
        return await handler(number, request)
    }
}

private let retries = RetryPolicy(limit: 2, backoff: Backoff(scale: .seconds(1), jitter: .none))

extension EventScenario {
    /// Made anew at each access, since servers count their requests.
    static var all: [EventScenario] { plain + attempts + hops + cancels + waits + sharing + kinds + cached }

    // MARK: One attempt, one hop

    private static var plain: [EventScenario] {
        [
            EventScenario(
                "A request succeeds",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String"
            ),
            EventScenario(
                "A body is sent, and validators accept",
                "created, resumed, 1 attempt POST /x, 1.1 hop POST /x, 1.1 sent 7 of 7 bytes, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 validated, 1 finished, 1 decoded String"
            ).running { session in
                _ = await session.post("http://a.example/x", parameters: ["a": 1]).validate().serializing(String.self)
                    .result
            },
            EventScenario(
                "A validator refuses the status",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 404, 1.1 validated unacceptableStatus, 1.1 ended refused 404 unacceptableStatus, 1 finished unacceptableStatus",
                server: { _ in .status(404) }
            ).running { session in
                _ = await session.request("http://a.example/x").validate().serializing(String.self).result
            },
            EventScenario(
                "A body cannot be decoded",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded JSON decodingFailed"
            ).running { session in
                _ = await session.request("http://a.example/x").serializing(JSON.self).result
            },
            EventScenario(
                "Two serializers share a transfer",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String, 1 decoded Data"
            ).running { session in
                let request = session.request("http://a.example/x")
                _ = await request.serializing(String.self).result
                _ = await request.serializing(Data.self).result
            },
            EventScenario("The URL is malformed", "created, resumed, finished malformedURL").running { session in
                _ = await session.request("a b").serializing(String.self).result
            },
            EventScenario("The session has finished", "created, resumed, finished sessionFinished").running { session in
                await session.finish()
                _ = await session.request("http://a.example/x").serializing(String.self).result
            },
            EventScenario("A request is never started", "created").running { session in
                _ = session.request("http://a.example/x")
            },
            EventScenario(
                "A body breaks off",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 2 bytes, 1.1 ended failed 200 connectionLost, 1 finished connectionLost",
                server: { _ in .text("abc").with(.resetMidBody(after: 2)) }),
        ]
    }

    // MARK: Several attempts

    private static var attempts: [EventScenario] {
        [
            EventScenario(
                "An adapter changes the request",
                "created, resumed, 1 adapted GET /x, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String",
                configure: { $0.interceptors = [Adapter { request, _ in request }] }),
            EventScenario(
                "An adapter throws", "created, resumed, 1 finished adaptationFailed",
                configure: { $0.interceptors = [Adapter { _, _ in throw CocoaError(.featureUnsupported) }] }),
            EventScenario(
                "A status is retried",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 503, 1.1 ended delivered 503, 1 retried unacceptableStatus after 1.0 s, 2 attempt GET /x, 2.1 hop GET /x, 2.1 response 200, 2.1 received 3 bytes, 2.1 ended delivered 200, 2 finished, 2 decoded String",
                server: counted { number, _ in number == 1 ? .status(503) : .text("abc") },
                configure: { $0.interceptors = [retries] }),
            EventScenario(
                "Retries are exhausted",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended failed cannotConnect, 1 retried cannotConnect after 1.0 s, 2 attempt GET /x, 2.1 hop GET /x, 2.1 ended failed cannotConnect, 2 retried cannotConnect after 2.0 s, 3 attempt GET /x, 3.1 hop GET /x, 3.1 ended failed cannotConnect, 3 finished cannotConnect",
                server: { _ in .fault(.refuse) }, configure: { $0.interceptors = [retries] }),
            EventScenario(
                "A retrier decides on another error",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 500, 1.1 ended delivered 500, 1 finished badServerResponse",
                server: { _ in .status(500) },
                configure: { $0.interceptors = [Retrier { _, _ in .fail(AsyncNetError(.badServerResponse)) }] }),
            EventScenario(
                "The server is silent for the timeout",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended failed timedOut, 1 finished timedOut",
                server: { _ in .fault(.stall) }),
            EventScenario(
                "The deadline ends the delay before an attempt",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 503, 1.1 ended delivered 503, 1 finished deadlineExceeded",
                server: { _ in .status(503) },
                configure: {
                    $0.interceptors = [retries]
                    $0.deadline = .milliseconds(500)
                }),
            EventScenario(
                "A request waits for its permit",
                "created, resumed, 1 attempt GET /x, 1 queued, 1 admitted, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String",
                configure: { $0.concurrencyLimit = ConcurrencyLimit(perSession: 1) }),
            EventScenario(
                "A refused token is refreshed",
                "created, resumed, 1 adapted GET /x, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 401, 1.1 ended delivered 401, 1 refreshed, 1 retried unacceptableStatus after 0.0 s, 2 adapted GET /x, 2 attempt GET /x, 2.1 hop GET /x, 2.1 response 200, 2.1 received 2 bytes, 2.1 ended delivered 200, 2 finished, 2 decoded String",
                server: { $0.answer(for: AccessToken(2)) },
                configure: { $0.interceptors = [interceptor(AccessToken(1)) { _ in AccessToken(2) }] }),
            EventScenario(
                "A token cannot be refreshed", "created, resumed, 1 refreshed refreshFailed, 1 finished refreshFailed",
                configure: {
                    $0.interceptors = [
                        interceptor(AccessToken(1, requiresRefresh: true)) { _ in throw CocoaError(.featureUnsupported)
                        }
                    ]
                }),
        ]
    }

    private static func interceptor(
        _ token: AccessToken, _ refresh: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) -> any RequestPolicy {
        AuthenticationInterceptor(authenticator: TokenAuthenticator(renew: refresh), credential: token)
    }

    // MARK: Several hops

    private static let challenge = MockResponse.status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])

    private static var hops: [EventScenario] {
        [
            EventScenario(
                "A redirect is followed",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended redirected 302 GET /y, 1.2 hop GET /y, 1.2 response 200, 1.2 received 3 bytes, 1.2 ended delivered 200, 1 finished, 1 decoded String",
                server: { $0.path == "/x" ? .redirect(to: "/y") : .text("abc") }),
            EventScenario(
                "A redirect is not to be followed",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 302, 1.1 ended delivered 302, 1 finished, 1 decoded String",
                server: { _ in .redirect(to: "/y") }, configure: { $0.redirects = .doNotFollow }),
            EventScenario(
                "There are more redirects than the limit",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended redirected 302 GET /y, 1.2 hop GET /y, 1.2 ended failed 302 tooManyRedirects, 1 finished tooManyRedirects",
                server: { .redirect(to: $0.path == "/x" ? "/y" : "/z") }, configure: { $0.maximumRedirects = 1 }),
            EventScenario(
                "A challenge gets credentials",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended challenged 401, 1.2 hop GET /x, 1.2 response 200, 1.2 received 3 bytes, 1.2 ended delivered 200, 1 finished, 1 decoded String",
                server: { $0.headers["Authorization"] == nil ? challenge : .text("abc") }
            ).running { session in
                let options = RequestOptions(credential: PasswordCredential(username: "u", password: "p"))
                _ = await session.request("http://a.example/x", options: options).serializing(String.self).result
            },
            EventScenario(
                "Credentials are refused",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended challenged 401, 1.2 hop GET /x, 1.2 response 401, 1.2 ended delivered 401, 1 finished, 1 decoded Data",
                server: { _ in challenge }
            ).running { session in
                let options = RequestOptions(credential: PasswordCredential(username: "u", password: "p"))
                _ = await session.request("http://a.example/x", options: options).serializing(Data.self).result
            },
            EventScenario(
                "Cookies are stored, of a redirect too",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 cookies stored: a, b, 1.1 ended redirected 302 GET /y, 1.2 hop GET /y, 1.2 response 200, 1.2 received 3 bytes, 1.2 ended delivered 200, 1 finished, 1 decoded String",
                server: {
                    $0.path == "/y"
                        ? .text("abc")
                        : .status(302, headers: ["Location: /y", "Set-Cookie: a=1", "Set-Cookie: b=2; Path=/"])
                }, configure: { $0.cookieJar = CookieJar() }),
        ]
    }

    // MARK: Suspending and cancelling

    private static var cancels: [EventScenario] {
        [
            EventScenario("A request is cancelled before its start", "created, finished cancelled").running { session in
                await session.request("http://a.example/x").cancel()
            },
            EventScenario(
                "A request is suspended before its start, and resumed",
                "created, suspended, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String"
            ).running { session in
                let request = session.request("http://a.example/x")
                await request.suspend()
                await request.resume()
                _ = await request.serializing(String.self).result
            },
        ]
    }

    /// Cancels a request once the gate is open.
    @Sendable private static func cancel(_ request: DataRequest, at gate: Gate) async {
        async let result = request.serializing(String.self).result
        await gate.wait()
        await request.cancel()
        _ = await result
    }

    /// Requests that are cancelled while they wait for something.
    private static var waits: [EventScenario] {
        let (adapting, sending, waiting) = (Gate(), Gate(), Gate())
        return [
            EventScenario(
                "A request is cancelled while an adapter runs", "created, resumed, 1 finished cancelled",
                configure: {
                    $0.interceptors = [
                        Adapter { request, _ in
                            adapting.open()
                            await Gate().wait()
                            return request
                        }
                    ]
                }
            ).running { await cancel($0.request("http://a.example/x"), at: adapting) },
            EventScenario(
                "A request is cancelled while the server is silent",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended cancelled, 1 finished cancelled",
                server: { _ in
                    sending.open()
                    return .fault(.stall)
                }
            ).running { await cancel($0.request("http://a.example/x"), at: sending) }.standingStill(),
            EventScenario(
                "A request is cancelled while it waits for its permit",
                "created, resumed, 1 attempt GET /x, 1 queued, 1 admitted, 1.1 hop GET /x, 1.1 ended cancelled, 1 finished cancelled",
                "created, resumed, 1 attempt GET /y, 1 queued, 1 finished cancelled",
                server: { _ in
                    waiting.open()
                    return .fault(.stall)
                }, configure: { $0.concurrencyLimit = ConcurrencyLimit(perSession: 1) }
            ).running { session in
                let first = session.request("http://a.example/x")
                async let one = first.serializing(String.self).result
                await waiting.wait()
                let second = session.request("http://a.example/y")
                async let other = second.serializing(String.self).result
                while session.environment.limits.queue?.waitingCount == 0 { await Task.yield() }
                await second.cancel()
                await first.cancel()
                _ = await (one, other)
            }.standingStill(),
            EventScenario(
                "A request is cancelled during the delay before an attempt",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 503, 1.1 ended delivered 503, 1 retried unacceptableStatus after 3600.0 s, 1 finished cancelled",
                server: { _ in .status(503) },
                configure: {
                    $0.clock = ContinuousClock()
                    $0.interceptors = [Retrier { _, _ in .retry(after: .seconds(3600)) }]
                }
            ).running { session in
                let request = session.request("http://a.example/x")
                async let result = request.serializing(String.self).result
                for await event in session.events { if case .retried = event.event { break } }
                await request.cancel()
                _ = await result
            },
        ]
    }

    // MARK: Shared transfers

    private static var sharing: [EventScenario] {
        let (sent, joined) = (Gate(), Gate())
        return [
            EventScenario(
                "Equal requests share a transfer",
                "created, resumed, 1 attempt GET /x, 1 shared, 1.1 hop GET /x, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 response 200, 1 finished, 1 decoded String",
                "created, resumed, 1 attempt GET /x, 1 shared, 1.1 hop GET /x, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 response 200, 1 finished, 1 decoded String",
                server: { _ in
                    sent.open()
                    await joined.wait()
                    return .text("abc")
                }, configure: { $0.coalescesRequests = true }
            ).running { session in
                let (first, second) = (session.request("http://a.example/x"), session.request("http://a.example/x"))
                async let one = first.serializing(String.self).result
                await sent.wait()
                async let other = second.serializing(String.self).result
                while session.environment.limits.flights.all.first?.waiterCount != 2 { await Task.yield() }
                joined.open()
                _ = await (one, other)
            }.standingStill(),
            EventScenario(
                "A slow request is hedged",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1 hedged by transfer 2, 1.2 hop GET /x, 1.2 received 3 bytes, 1.2 ended delivered 200, 1 response 200, 1.1 ended cancelled, 1 finished, 1 decoded String",
                server: counted { number, _ in number == 1 ? .text("abc").delayed(by: .seconds(9)) : .text("abc") },
                configure: { $0.interceptors = [HedgingPolicy(after: .fixed(.seconds(1)))] }
            ).unordered(),
        ]
    }

    // MARK: Other kinds

    private static var kinds: [EventScenario] {
        [
            EventScenario(
                "A stream is read to its end",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished"
            ).running { session in
                for try await _ in session.stream("http://a.example/x").chunks {}
            },
            EventScenario(
                "A stream is left early",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended cancelled 200, 1 finished cancelled",
                server: { _ in .text("abcd").with(.stallMidBody(after: 3)) }
            ).running { session in
                let request = session.stream("http://a.example/x")
                for try await _ in request.chunks { break }
                await request.cancel()
            }.standingStill(),
            EventScenario(
                "A stream of events connects again",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 15 bytes, 1.1 ended delivered 200, 1 retried after 3.0 s, 2 attempt GET /x, 2.1 hop GET /x, 2.1 response 204, 2.1 ended delivered 204, 2 finished",
                server: counted { number, _ in
                    number == 1
                        ? .chunked(["id: 1\ndata: a\n\n"], headers: ["Content-Type": "text/event-stream"])
                        : .status(204)
                }
            ).running { session in
                for try await _ in session.stream("http://a.example/x").serverSentEvents {}
            },
            EventScenario(
                "A file is downloaded",
                "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished"
            ).running { session in
                try FileManager.default.removeItem(at: try await session.download("http://a.example/x").value)
            },
        ]
    }
}
