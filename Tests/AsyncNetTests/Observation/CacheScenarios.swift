import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Requests of a session with a cache, one for each outcome of the cache.
extension EventScenario {
    private static let missed =
        "created, resumed, 1 attempt GET /x, 1 cache: miss, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String"

    /// Two equal requests, twenty seconds apart; `reply` is the response to the second, if it has `If-None-Match`.
    private init(
        _ name: String, second: String..., control: String, reply: @escaping @Sendable () -> MockResponse,
        mode: CacheMode? = nil
    ) {
        let first: HTTPHeaders = ["Cache-Control": control, "ETag": "\"1\""]
        let steps = [Self.missed] + second
        self.init(
            name, steps: steps,
            server: { request in
                request.headers["If-None-Match"] == nil ? .text("abc", headers: first) : reply()
            },
            configure: { $0.cache = HTTPCache() })
        self = running { session in
            _ = await session.request("http://a.example/x").serializing(String.self).result
            (session.configuration.clock as? TestClock)?.advance(by: .seconds(20))
            let options = RequestOptions(cacheMode: mode)
            _ = await session.request("http://a.example/x", options: options).serializing(String.self).result
            await session.environment.revalidations.drained()
        }.standingStill()
    }

    static var cached: [EventScenario] {
        [
            EventScenario(
                "A stored response is fresh",
                second:
                    "created, resumed, 1 attempt GET /x, 1 cache: hit, 1 response 200, 1 finished, 1 decoded String",
                control: "max-age=60", reply: { .status(500) }),
            EventScenario(
                "A stored response is confirmed",
                second:
                    "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 cache: revalidated, 1.1 ended replaced 304, 1 response 200, 1 finished, 1 decoded String",
                control: "max-age=10", reply: { .status(304) }),
            EventScenario(
                "The server has confirmed another version than the stored one",
                second:
                    "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended replaced 304, 1 cache: miss, 1.2 hop GET /x, 1.2 response 200, 1.2 received 3 bytes, 1.2 ended delivered 200, 1 finished, 1 decoded String",
                control: "max-age=10", reply: { .status(304, headers: ["ETag": "\"2\""]) }),
            EventScenario(
                "A stored response has changed",
                second:
                    "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 cache: miss, 1.1 response 200, 1.1 received 4 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String",
                control: "max-age=10", reply: { .text("abcd") }),
            EventScenario(
                "A stale response is used, and revalidated after that",
                second:
                    "created, resumed, 1 attempt GET /x, 1 cache: stale, 1 response 200, 1 finished, 1 decoded String",
                "created, 1 attempt GET /x, 1.1 hop GET /x, 1.1 cache: revalidated, 1.1 ended replaced 304, 1 response 200, 1 finished",
                control: "max-age=10, stale-while-revalidate=60", reply: { .status(304) }),
            EventScenario(
                "A stale response is used in place of a status",
                second:
                    "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 cache: stale, 1.1 ended replaced 503, 1 response 200, 1 finished, 1 decoded String",
                control: "max-age=10, stale-if-error=60", reply: { .status(503) }),
            EventScenario(
                "A stale response is used when the server is not reached",
                second:
                    "created, resumed, 1 attempt GET /x, 1.1 hop GET /x, 1.1 ended failed cannotConnect, 1 cache: stale, 1 response 200, 1 finished, 1 decoded String",
                control: "max-age=10, stale-if-error=60", reply: { .fault(.refuse) }),
            EventScenario(
                "A request with noStore bypasses the cache",
                second:
                    "created, resumed, 1 attempt GET /x, 1 cache: bypassed, 1.1 hop GET /x, 1.1 response 200, 1.1 received 3 bytes, 1.1 ended delivered 200, 1 finished, 1 decoded String",
                control: "max-age=60", reply: { .status(500) }, mode: .noStore),
            EventScenario(
                "A request with onlyIfCached has no stored response",
                "created, resumed, 1 attempt GET /x, 1 finished notCached", configure: { $0.cache = HTTPCache() }
            ).running { session in
                let options = RequestOptions(cacheMode: .onlyIfCached)
                _ = await session.request("http://a.example/x", options: options).serializing(String.self).result
            },
        ]
    }
}
