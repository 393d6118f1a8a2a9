import AsyncNetTesting
import Foundation

@testable import AsyncNet
@testable import AsyncNetMonitors

private let retries = RetryPolicy(
    limit: 2, backoff: Backoff(scale: .seconds(1), jitter: .none), attemptTimeout: .seconds(5))

/// Numbers the requests that a stub receives, from 1.
private func numbered(_ handler: @escaping @Sendable (Int, RecordedRequest) -> MockResponse) -> StubTransport.Handler {
    let count = Locked(0)
    return { request in
        let number = count.withLock { count in
            count += 1
            return count
        }
        return handler(number, request)
    }
}

/// Requests, with the spans that they must have in the order of their ends, see `TraceSpan.step`.
///
/// The lists are made anew each time, since the stubs count their requests.
enum SpanScenarios {
    static var all: [EventScenario] { transfers + attempts + hops + ends + sharing + kinds }

    // MARK: One hop

    private static var transfers: [EventScenario] {
        [
            EventScenario("A request succeeds", "GET 200"),
            EventScenario("A request is made with a template", "GET /users/{id} 200").running {
                session in
                let template = URLTemplate("http://a.example/users/{id}", ["id": "7"])
                _ = await session.request(template).serializing(String.self).result
            },
            EventScenario("A method is unknown", "HTTP 200").running { session in
                _ = await session.request("http://a.example/x", method: "BREW").serializing(String.self).result
            },
            EventScenario("A status is an error", "GET 404 !404", server: { _ in .status(404) }),
            EventScenario("A validator refuses the status", "GET 500 !500", server: { _ in .status(500) }).running {
                _ = await $0.request("http://a.example/x").validate().serializing(String.self).result
            },
            EventScenario("A validator refuses a success", "GET 200").running { session in
                _ = await session.request("http://a.example/x").validate(statusCode: 400..<500).serializing(Data.self)
                    .result
            },
            EventScenario("A body cannot be decoded", "GET 200").running { session in
                _ = await session.request("http://a.example/x").serializing(JSON.self).result
            },
            EventScenario(
                "A body is too large", "GET 200 !bodyTooLarge", configure: { $0.maximumBodySize = 2 }),
            EventScenario(
                "A body breaks off", "GET 200 !connectionLost",
                server: { _ in .text("abc").with(.resetMidBody(after: 2)) }),
            EventScenario("The URL is malformed").running { session in
                _ = await session.request("a b").serializing(String.self).result
            },
            EventScenario("The session has finished").running { session in
                await session.finish()
                _ = await session.request("http://a.example/x").serializing(String.self).result
            },
            EventScenario(
                "An adapter throws",
                configure: { $0.interceptors = [Adapter { _, _ in throw CocoaError(.featureUnsupported) }] }),
        ]
    }

    // MARK: Several attempts

    private static var attempts: [EventScenario] {
        [
            EventScenario(
                "A status is retried", "GET 503 !503", "GET 200 #1",
                server: numbered { number, _ in number == 1 ? .status(503) : .text("abc") },
                configure: { $0.interceptors = [retries] }),
            EventScenario(
                "Retries are exhausted", "GET !cannotConnect", "GET #1 !cannotConnect", "GET #2 !cannotConnect",
                server: { _ in .fault(.refuse) }, configure: { $0.interceptors = [retries] }),
            EventScenario(
                "An attempt takes too long", "GET !timedOut", "GET 200 #1",
                server: numbered { number, _ in number == 1 ? .fault(.stall) : .text("abc") },
                configure: { $0.interceptors = [retries] }),
            EventScenario(
                "A refused token is refreshed", "GET 401 !401", "GET 200 #1",
                server: { $0.answer(for: AccessToken(2)) },
                configure: {
                    let tokens = TokenAuthenticator { _ in AccessToken(2) }
                    $0.interceptors = [AuthenticationInterceptor(authenticator: tokens, credential: AccessToken(1))]
                }),
        ]
    }

    // MARK: Several hops

    private static let challenge = MockResponse.status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""])

    private static var hops: [EventScenario] {
        [
            EventScenario(
                "Redirects are followed", "GET 302", "GET 307 #1", "GET 200 #2",
                server: {
                    switch $0.path {
                    case "/x": .redirect(to: "/y")
                    case "/y": .redirect(to: "/z", status: 307)
                    default: .text("abc")
                    }
                }),
            EventScenario(
                "A template does not describe a redirect's target", "GET /{id} 302", "GET 200 #1",
                server: { $0.path == "/x" ? .redirect(to: "/y") : .text("abc") }
            ).running { session in
                let template = URLTemplate("http://a.example/{id}", ["id": "x"])
                _ = await session.request(template).serializing(String.self).result
            },
            EventScenario(
                "A redirect is not to be followed", "GET 302", server: { _ in .redirect(to: "/y") },
                configure: { $0.redirects = .doNotFollow }),
            EventScenario(
                "Redirects do not end", "GET 302", "GET 302 #1 !tooManyRedirects",
                server: { .redirect(to: $0.path == "/x" ? "/y" : "/z") }, configure: { $0.maximumRedirects = 1 }),
            EventScenario(
                "A redirect must not be followed", "GET 302 !redirectFailed",
                server: { _ in .redirect(to: "ftp://a.example/") }),
            EventScenario(
                "A challenge gets credentials", "GET 401 !401", "GET 200 #1",
                server: { $0.headers["Authorization"] == nil ? challenge : .text("abc") }
            ).running { session in
                let options = RequestOptions(credential: PasswordCredential(username: "u", password: "p"))
                _ = await session.request("http://a.example/x", options: options).serializing(String.self).result
            },
        ]
    }

    // MARK: Ends

    private static var ends: [EventScenario] {
        let (sending, waiting) = (Gate(), Gate())
        return [
            EventScenario("The server is silent for the timeout", "GET !timedOut", server: { _ in .fault(.stall) }),
            EventScenario(
                "The server is silent within the body", "GET 200 !timedOut",
                server: { _ in .text("abc").with(.stallMidBody(after: 2)) }),
            EventScenario(
                "The deadline is over", "GET !deadlineExceeded", server: { _ in .fault(.stall) },
                configure: { $0.deadline = .seconds(1) }),
            EventScenario(
                "The deadline is over before the next attempt", "GET 503 !503", server: { _ in .status(503) },
                configure: {
                    $0.interceptors = [retries]
                    $0.deadline = .milliseconds(500)
                }),
            EventScenario("A request is cancelled before its start").running { session in
                await session.request("http://a.example/x").cancel()
            },
            EventScenario("A request is never started").running { session in
                _ = session.request("http://a.example/x")
            },
            EventScenario(
                "A request is cancelled while the server is silent", "GET cancelled",
                server: { _ in
                    sending.open()
                    return .fault(.stall)
                }
            ).running { await cancel($0.request("http://a.example/x"), at: sending) }.standingStill(),
            EventScenario(
                "A request is cancelled within the body", "GET 200 cancelled",
                server: { _ in .text("abc").with(.stallMidBody(after: 2)) }
            ).running { session in
                let request = session.stream("http://a.example/x")
                for try await _ in request.chunks {
                    await request.cancel()
                    break
                }
            }.standingStill(),
            EventScenario(
                "A task that awaits a request is cancelled", "GET cancelled",
                server: { _ in
                    waiting.open()
                    return .fault(.stall)
                }
            ).running { session in
                let task = Task { await session.request("http://a.example/x").serializing(String.self).result }
                await waiting.wait()
                task.cancel()
                _ = await task.value
            }.standingStill(),
        ]
    }

    @Sendable private static func cancel(_ request: DataRequest, at gate: Gate) async {
        async let result = request.serializing(String.self).result
        await gate.wait()
        await request.cancel()
        _ = await result
    }

    // MARK: Shared transfers

    private static var sharing: [EventScenario] {
        [
            EventScenario(
                "Equal requests share a transfer", "GET 200",
                server: { _ in .text("abc").delayed(by: .seconds(1)) }, configure: { $0.coalescesRequests = true }
            ).running { session in
                let (first, second) = (session.request("http://a.example/x"), session.request("http://a.example/x"))
                async let one = first.serializing(String.self).result
                while session.environment.limits.flights.all.isEmpty { await Task.yield() }
                async let other = second.serializing(String.self).result
                _ = await (one, other)
            },
            EventScenario(
                "The first of the requests that share a transfer is cancelled", "GET 200",
                server: { _ in .text("abc").delayed(by: .seconds(1)) }, configure: { $0.coalescesRequests = true }
            ).running { session in
                let (first, second) = (session.request("http://a.example/x"), session.request("http://a.example/x"))
                async let one = first.serializing(String.self).result
                while session.environment.limits.flights.all.isEmpty { await Task.yield() }
                async let other = second.serializing(String.self).result
                while session.environment.limits.flights.all.first?.waiterCount != 2 { await Task.yield() }
                await first.cancel()
                _ = await (one, other)
            },
            EventScenario(
                "The deadline ends a shared transfer", "GET !deadlineExceeded", server: { _ in .fault(.stall) },
                configure: {
                    $0.coalescesRequests = true
                    $0.deadline = .seconds(1)
                }),
            EventScenario(
                "A shared transfer is retried", "GET 503 !503", "GET 200 #1",
                server: numbered { number, _ in number == 1 ? .status(503) : .text("abc") },
                configure: {
                    $0.interceptors = [retries]
                    $0.coalescesRequests = true
                }),
            EventScenario(
                "A slow request is hedged", "GET 200 #1", "GET cancelled",
                server: numbered { number, _ in number == 1 ? .text("abc").delayed(by: .seconds(9)) : .text("abc") },
                configure: { $0.interceptors = [HedgingPolicy(after: .fixed(.seconds(1)))] }),
            EventScenario(
                "The deadline ends a hedged request", "GET !deadlineExceeded", "GET #1 !deadlineExceeded",
                server: { _ in .fault(.stall) },
                configure: {
                    $0.interceptors = [HedgingPolicy(after: .fixed(.seconds(1)))]
                    $0.deadline = .seconds(3)
                }),
        ]
    }

    // MARK: Other kinds

    private static var kinds: [EventScenario] {
        [
            EventScenario("A stream is read to its end", "GET 200").running { session in
                for try await _ in session.stream("http://a.example/x").chunks {}
            },
            EventScenario(
                "A stream of events connects again", "GET 200", "GET 204 #1",
                server: numbered { number, _ in
                    guard number == 1 else { return .status(204) }
                    return .chunked(["id: 1\ndata: a\n\n"], headers: ["Content-Type": "text/event-stream"])
                }
            ).running { session in
                for try await _ in session.stream("http://a.example/x").serverSentEvents {}
            },
            EventScenario("A file is downloaded", "GET 200").running { session in
                try FileManager.default.removeItem(at: try await session.download("http://a.example/x").value)
            },
            EventScenario(
                "A file is downloaded in two segments", "GET 206", "GET 206",
                server: { RangeStub(data: Data(count: 2 << 20)).reply(to: $0) }
            ).running { session in
                let download = session.download("http://a.example/x", segments: 2)
                try FileManager.default.removeItem(at: try await download.value)
            },
            EventScenario("A body is uploaded", "PUT 200").running { session in
                _ = await session.upload(.data(Data("abc".utf8)), to: "http://a.example/x", method: .put)
                    .serializing(String.self).result
            },
        ]
    }
}
