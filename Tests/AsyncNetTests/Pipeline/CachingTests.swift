import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Caching", .timeLimit(.minutes(5)))
struct CachingTests {
    @Test("A stored response is served without a request while it is fresh, and fetched again once it is stale")
    func fresh() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        #expect(await site.get().summary == "miss 1")
        let second = await site.get()
        #expect(second.summary == "hit 1")
        #expect(second.metrics.hops.isEmpty && second.response?.value(forHTTPHeaderField: "Age") == "0")
        site.clock.advance(by: .seconds(59))
        #expect(await site.get().summary == "hit 1")
        site.clock.advance(by: .seconds(2))
        #expect(await site.get().summary == "miss 2")
        #expect(site.stub.requests.count == 2)
        let statistics = await site.cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.entries) == (2, 2, 1))
        #expect(statistics.hitRate == 0.5)
    }

    @Test("Without a cache the metrics have no cache outcome")
    func withoutCache() async {
        let session = Session(transport: StubTransport(counting(["Cache-Control": "max-age=60"])))
        let responses = [0, 1].map { _ in session.request("http://a/").serializing(String.self) }
        for response in responses { #expect(await response.response.metrics.cacheOutcome == nil) }
    }

    @Test("A 304 updates the headers of a stale response and makes it fresh again (RFC 9111 §4.3.4)")
    func confirmed() async {
        let site = CachedSite { request in
            guard request.headers["If-None-Match"] == #""v1""# else {
                return .text("body", headers: ["ETag": #""v1""#, "Cache-Control": "max-age=10", "X": "old"])
            }
            return .status(304, headers: ["ETag": #""v1""#, "Cache-Control": "max-age=60", "X": "new"])
        }
        #expect(await site.get().summary == "miss body")
        site.clock.advance(by: .seconds(11))
        let response = await site.get()
        #expect(response.summary == "revalidated body" && response.statusCode == 200)
        #expect(response.response?.value(forHTTPHeaderField: "X") == "new")
        #expect(response.metrics.hops.map(\.statusCode) == [304])
        site.clock.advance(by: .seconds(50))
        #expect(await site.get().summary == "hit body")
    }

    @Test("A 200 to a revalidation replaces the stored response")
    func changed() async {
        let site = CachedSite(counting(["ETag": #""v1""#, "Cache-Control": "no-cache"]))
        #expect(await site.get().summary == "miss 1")
        #expect(await site.get().summary == "miss 2")
        #expect(site.stub.requests.last?.headers["If-None-Match"] == #""v1""#)
        #expect(await site.cache.statistics.entries == 1)
    }

    @Test("A 304 for another version than the stored one leads to a request without conditions")
    func otherVersion() async {
        let site = CachedSite { request in
            request.headers.contains(name: "If-None-Match")
                ? .status(304, headers: ["ETag": #""v2""#])
                : .text("body", headers: ["ETag": #""v1""#, "Cache-Control": "no-cache"])
        }
        _ = await site.get()
        let response = await site.get()
        #expect(response.summary == "miss body")
        #expect(site.stub.requests.map { $0.headers["If-None-Match"] } == [nil, #""v1""#, nil])
    }

    @Test("Cache modes use, confirm or bypass stored responses as the Fetch standard says", arguments: [true, false])
    func modes(_ isFresh: Bool) async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60", "ETag": #""v""#]))
        #expect(await site.get(mode: .onlyIfCached).summary == "none notCached")
        #expect(await site.get().summary == "miss 1")
        if !isFresh { site.clock.advance(by: .seconds(100)) }
        #expect(await site.get(mode: .preferCache).summary == (isFresh ? "hit 1" : "stale 1"))
        #expect(await site.get(mode: .onlyIfCached).summary == (isFresh ? "hit 1" : "stale 1"))
        #expect(await site.get(mode: .noStore).summary == "bypassed 2")
        #expect(await site.get(mode: .preferCache).summary == (isFresh ? "hit 1" : "stale 1"))
        #expect(await site.get(mode: .revalidate).summary == "miss 3")
        #expect(site.stub.requests.last?.headers["If-None-Match"] == #""v""#)
        #expect(site.stub.requests.last?.headers["Cache-Control"] == "max-age=0")
        #expect(await site.get(mode: .reload).summary == "miss 4")
        #expect(site.stub.requests.last?.headers["If-None-Match"] == nil)
        #expect(site.stub.requests.last?.headers["Cache-Control"] == "no-cache")
        #expect(await site.get().summary == "hit 4")
    }

    @Test("The cache policies of a URLRequest become the cache modes")
    func urlRequestPolicies() async throws {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        func outcome(_ policy: URLRequest.CachePolicy) async throws -> CacheOutcome? {
            var request = URLRequest(url: try #require(URL(string: "http://a/")))
            request.cachePolicy = policy
            return await site.session.request(request).serializing(String.self).response.metrics.cacheOutcome
        }
        #expect(try await outcome(.useProtocolCachePolicy) == .miss)
        #expect(try await outcome(.useProtocolCachePolicy) == .hit)
        #expect(try await outcome(.reloadIgnoringLocalCacheData) == .miss)
        #expect(try await outcome(.returnCacheDataDontLoad) == .hit)
    }

    @Test("A request with only-if-cached gets 504 if nothing is stored")
    func onlyIfCachedHeader() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        let response = await site.get(headers: ["Cache-Control": "only-if-cached"])
        #expect(response.statusCode == 504 && site.stub.requests.isEmpty)
    }

    @Test("A stale response with stale-while-revalidate is served, and revalidated in the background")
    func staleWhileRevalidating() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=10, stale-while-revalidate=60"]))
        _ = await site.get()
        site.clock.advance(by: .seconds(20))
        #expect(await site.get().summary == "stale 1")
        await site.session.environment.revalidations.drained()
        #expect(await site.get().summary == "hit 2")
        #expect(site.stub.requests.count == 2)
    }

    @Test("A stale response with stale-if-error replaces a 503 or a connection error, but not a 404")
    func staleIfError() async {
        let fails = Locked<MockResponse?>(nil)
        let site = CachedSite { request in
            if let failure = fails.withLock({ $0 }), request.path == "/" { return failure }
            return .text("body", headers: ["Cache-Control": "max-age=10, stale-if-error=60", "ETag": #""v""#])
        }
        _ = await site.get()
        site.clock.advance(by: .seconds(20))
        for failure in [MockResponse.status(503), .fault(.refuse), .fault(.closeBeforeHead)] {
            fails.withLock { $0 = failure }
            #expect(await site.get().summary == "stale body")
        }
        fails.withLock { $0 = .status(404) }
        #expect(await site.get().statusCode == 404)
        site.clock.advance(by: .seconds(100))
        fails.withLock { $0 = .fault(.refuse) }
        #expect(await site.get().error?.code == .cannotConnect)
    }

    @Test("An unsafe method removes the stored responses of its URL and of its response's Location")
    func invalidation() async {
        let site = CachedSite { request in
            request.method == .post
                ? .status(201, headers: ["Location": "/new"])
                : .text(request.path, headers: ["Cache-Control": "max-age=60"])
        }
        for path in ["/list", "/new", "/other"] { _ = await site.get("http://a\(path)") }
        #expect(await site.get("http://a/list", method: .post).metrics.cacheOutcome == .bypassed)
        #expect(await site.get("http://a/list").summary == "miss /list")
        #expect(await site.get("http://a/new").summary == "miss /new")
        #expect(await site.get("http://a/other").summary == "hit /other")
    }

    @Test("Responses are stored per value of the headers in Vary, and per Authorization unless they are public")
    func variants() async {
        let site = CachedSite { request in
            .text(
                "\(request.headers["Accept-Language"] ?? "-") \(request.headers["Authorization"] ?? "-")",
                headers: [
                    "Cache-Control": request.path == "/public" ? "public, max-age=60" : "max-age=60",
                    "Vary": "Accept-Language",
                ])
        }
        for language in ["en", "de"] {
            #expect(await site.get(headers: ["Accept-Language": language]).summary == "miss \(language) -")
        }
        for language in ["en", "de"] {
            #expect(await site.get(headers: ["Accept-Language": language]).summary == "hit \(language) -")
        }
        let own: HTTPHeaders = ["Accept-Language": "en", "Authorization": "Bearer a"]
        #expect(await site.get(headers: own).summary == "miss en Bearer a")
        #expect(await site.get(headers: own).summary == "hit en Bearer a")
        #expect(await site.get(headers: ["Accept-Language": "en"]).summary == "hit en -")
        #expect(await site.get("http://a/public", headers: own).summary == "miss en Bearer a")
        #expect(await site.get("http://a/public", headers: ["Accept-Language": "en"]).summary == "hit en Bearer a")
    }

    @Test("A stored redirect and its stored target are served without a request to the server")
    func redirects() async {
        let site = CachedSite { request in
            request.path == "/old"
                ? .status(301, headers: ["Location": "/new", "Content-Length": "0"])
                : .text("new", headers: ["Cache-Control": "max-age=60"])
        }
        #expect(await site.get("http://a/old").summary == "miss new")
        // Without a lifetime the redirect is stored, but not fresh.
        #expect(await site.get("http://a/old", mode: .preferCache).summary == "hit new")
        #expect(site.stub.requests.map(\.path) == ["/old", "/new"])
        let statistics = await site.cache.statistics
        #expect((statistics.misses, statistics.hits, statistics.stale) == (2, 1, 1))
    }

    @Test("A streamed response is stored only if its body is read to the end")
    func streams() async throws {
        let count = Counter()
        let site = CachedSite { _ in
            var reply = MockResponse.data(Data(repeating: 1, count: 200_000), headers: ["Cache-Control": "max-age=60"])
            if count.next() == 1 { reply.fault = .stallMidBody(after: 100_000) }
            return reply
        }
        for try await _ in site.session.stream("http://a/").chunks { break }
        var received = 0
        for try await chunk in site.session.stream("http://a/").chunks { received += chunk.count }
        #expect(await site.cache.statistics.entries == 1)
        for try await chunk in site.session.stream("http://a/").chunks { received += chunk.count }
        #expect(received == 400_000 && site.stub.requests.count == 2)
    }

    @Test("A response whose body is cut off by a reset is not stored")
    func brokenBody() async {
        let site = CachedSite { _ in
            var reply = MockResponse.text("0123456789", headers: ["Cache-Control": "max-age=60"])
            reply.fault = .resetMidBody(after: 5)
            return reply
        }
        #expect(await site.get().error?.code == .connectionLost)
        #expect(await site.cache.statistics.entries == 0)
    }

    @Test("A HEAD is served the head of a stored response to GET")
    func head() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60", "X": "y"]))
        _ = await site.get()
        let response = await site.get(method: .head)
        #expect(response.metrics.cacheOutcome == .hit && response.data?.isEmpty != false)
        #expect(response.response?.value(forHTTPHeaderField: "X") == "y")
    }

    @Test(
        "A request with conditions of its own, or an invalid Range, bypasses the cache",
        arguments: [
            "Range", "If-None-Match", "If-Modified-Since", "If-Range",
        ])
    func ownConditions(_ name: String) async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        _ = await site.get()
        #expect(await site.get(headers: [name: "x"]).summary == "bypassed 2")
        #expect(await site.get().summary == "hit 1")
    }

    @Test("A stored response is served although the circuit of its origin is open")
    func circuitOpen() async {
        let fails = Locked(false)
        let site = CachedSite(configuration: .init(circuitBreaker: CircuitBreaker())) { request in
            fails.withLock { $0 } && request.path != "/a"
                ? .status(503)
                : .text("body", headers: ["Cache-Control": "max-age=60"])
        }
        _ = await site.get("http://a/a")
        fails.withLock { $0 = true }
        for _ in 0..<30 { _ = await site.get("http://a/b", mode: .noStore) }
        #expect(await site.get("http://a/b").error?.code == .circuitOpen)
        #expect(await site.get("http://a/a").summary == "hit body")
    }

    @Test("A 401 with max-age is not stored, and a response to one user is not served to another")
    func challenge() async {
        let site = CachedSite { request in
            guard let credentials = request.headers["Authorization"] else {
                return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\"", "Cache-Control": "max-age=60"])
            }
            return .text(credentials, headers: ["Cache-Control": "max-age=60"])
        }
        func response(_ user: String) async -> DataResponse<String, AsyncNetError> {
            let options = RequestOptions(credential: PasswordCredential(username: user, password: "p"))
            return await site.session.request("http://a/", options: options).serializing(String.self).response
        }
        let first = await response("u")
        #expect(first.statusCode == 200 && first.metrics.cacheOutcome == .miss)
        #expect(await response("u").summary == "hit \(first.value ?? "")")
        let other = await response("v")
        #expect(other.metrics.cacheOutcome == .miss && other.value != first.value)
    }

    @Test("A GET with a body neither uses nor stores a response")
    func bodies() async {
        let site = CachedSite { request in
            .data(request.body, headers: ["Cache-Control": "max-age=60"])
        }
        for text in ["one", "two"] {
            let response = await site.session.upload(.data(Data(text.utf8)), to: "http://a/", method: .get)
                .serializing(String.self).response
            #expect(response.summary == "bypassed \(text)")
        }
    }

    @Test("A retry after a 503 with max-age sends a request instead of being served the stored 503")
    func retries() async {
        let count = Counter()
        let retries = RetryPolicy(limit: 2, backoff: Backoff(scale: .zero, jitter: .none))
        let site = CachedSite(configuration: .init(interceptors: [retries])) { _ in
            .text("x", status: count.next() < 3 ? 503 : 200, headers: ["Cache-Control": "max-age=60"])
        }
        #expect(await site.get().statusCode == 200)
        #expect(site.stub.requests.count == 3)
    }

    @Test("A request with no-store and a stream of server-sent events are not served a stored response")
    func noStore() async throws {
        let site = CachedSite { _ in
            .text("data: 1\n\n", headers: ["Cache-Control": "max-age=60", "Content-Type": "text/event-stream"])
        }
        #expect(await site.get().metrics.cacheOutcome == .miss)
        #expect(await site.get(headers: ["Cache-Control": "no-store"]).metrics.cacheOutcome == .bypassed)
        for try await _ in site.session.stream("http://a/").serverSentEvents { break }
        #expect(site.stub.requests.count == 3)
        #expect(await site.get().metrics.cacheOutcome == .hit)
    }

    @Test("Concurrent equal requests with different cache modes do not share a transfer")
    func coalescing() async {
        let (entered, leave) = (Gate(), Gate())
        let site = CachedSite(configuration: .init(coalescesRequests: true)) { _ in
            entered.open()
            await leave.wait()
            return .text("body", headers: ["Cache-Control": "max-age=60"])
        }
        async let first = site.get()
        await entered.wait()
        async let second = site.get(mode: .reload)
        _ = await site.stub.requests(atLeast: 2)
        leave.open()
        #expect(await [first, second].map(\.metrics.cacheOutcome) == [.miss, .miss])
    }

    @Test("validate() refuses a stored 404 as it refuses one from the server")
    func validators() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"], status: 404))
        _ = await site.get()
        let response = await site.session.request("http://a/").validate().serializing(String.self).response
        #expect(response.error?.code == .unacceptableStatus && response.metrics.cacheOutcome == .hit)
    }

    @Test("A stored public response is not served after a reload has got a newer private one")
    func superseded() async {
        let count = Counter()
        let site = CachedSite { _ in
            let number = count.next()
            let control = number == 1 ? "public, max-age=3600" : "private, max-age=0"
            return .text("\(number)", headers: ["Cache-Control": control])
        }
        #expect(await site.get().summary == "miss 1")
        #expect(await site.get(mode: .reload).summary == "miss 2")
        #expect(await site.get().summary == "miss 3")
    }

    @Test(
        "A 304 with no-store or private withdraws a stored public response from other users",
        arguments: ["no-store", "private, max-age=60"])
    func withdrawn(_ control: String) async {
        let site = CachedSite { request in
            request.headers["If-None-Match"] == nil
                ? .text("body", headers: ["Cache-Control": "public, max-age=10", "ETag": "\"1\""])
                : .status(304, headers: ["Cache-Control": control, "ETag": "\"1\""])
        }
        let (own, other): (HTTPHeaders, HTTPHeaders) = (["Authorization": "Bearer a"], ["Authorization": "Bearer b"])
        _ = await site.get(headers: own)
        site.clock.advance(by: .seconds(20))
        #expect(await site.get(headers: own).summary == "revalidated body")
        #expect(await site.get(headers: other).metrics.cacheOutcome == .miss)
        #expect(await site.cache.statistics.entries == (control == "no-store" ? 1 : 2))
    }

    @Test("A response with no-store removes the stored response that it supersedes")
    func supersededUnstored() async {
        let site = CachedSite { request in
            request.headers["If-None-Match"] == nil
                ? .text("old", headers: ["Cache-Control": "max-age=0, stale-while-revalidate=9", "ETag": "\"1\""])
                : .text("new", headers: ["Cache-Control": "no-store"])
        }
        _ = await site.get()
        #expect(await site.get(mode: .revalidate).summary == "miss new")
        #expect(await site.cache.statistics.entries == 0)
    }

    @Test(
        "A response is not stored if removeAll() or a POST to its URL comes while it arrives", arguments: [true, false])
    func removedMeanwhile(_ removesAll: Bool) async {
        let (entered, leave) = (Gate(), Gate())
        let site = CachedSite { request in
            if request.method == .get {
                entered.open()
                await leave.wait()
            }
            return .text("old", headers: ["Cache-Control": "max-age=60"])
        }
        async let response = site.get()
        await entered.wait()
        if removesAll { await site.cache.removeAll() } else { _ = await site.get(method: .post) }
        leave.open()
        #expect(await response.summary == "miss old")
        #expect(await site.cache.statistics.entries == 0)
    }

    @Test("A forced revalidation that fails gets the error despite stale-if-error")
    func forcedRevalidation() async {
        let fails = Locked(MockResponse.status(503))
        let site = CachedSite { request in
            request.headers["If-None-Match"] == nil
                ? .text("body", headers: ["Cache-Control": "max-age=60, stale-if-error=60", "ETag": "\"1\""])
                : fails.withLock { $0 }
        }
        _ = await site.get()
        #expect(await site.get(mode: .revalidate).statusCode == 503)
        fails.withLock { $0 = .fault(.refuse) }
        let response = await site.get(headers: ["Cache-Control": "no-cache"])
        #expect(response.error?.code == .cannotConnect && response.metrics.cacheOutcome == .miss)
    }

    @Test("503 responses open the circuit of their origin, although stale responses replace them")
    func circuitOfStale() async {
        let site = CachedSite(configuration: .init(circuitBreaker: CircuitBreaker(consecutiveFailures: 3))) { request in
            request.headers["If-None-Match"] == nil
                ? .text("body", headers: ["Cache-Control": "max-age=0, stale-if-error=600", "ETag": "\"1\""])
                : .status(503)
        }
        for _ in 0..<10 { #expect(await site.get().value == "body") }
        #expect(site.stub.requests.count == 4)
    }

    @Test("A WebSocket's handshake and a request with its own Host header neither use nor store a response")
    func otherResources() async {
        let site = CachedSite { .text($0.headers["Host"] ?? "", headers: ["Cache-Control": "max-age=60"]) }
        for host in ["one", "two"] {
            #expect(await site.get(headers: ["Host": host]).summary == "bypassed \(host)")
        }
        _ = await site.get("http://a/socket")
        let socket = site.session.webSocket("ws://a/socket")
        #expect(await AsyncNetError.code { try await socket.send(.text("a")) } == .webSocketHandshakeFailed)
        #expect(await site.cache.statistics.hits == 0)
    }

    @Test("Requests that differ in the URL's fragment share a stored response, each with its own fragment")
    func fragments() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        _ = await site.get("http://a/x#secret")
        let response = await site.get("http://a/x#other")
        #expect(response.metrics.cacheOutcome == .hit)
        #expect(response.response?.url?.absoluteString == "http://a/x#other")
    }

    @Test("remove() drops the stored responses of one URL, and removeAll() all stored responses")
    func removing() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        for path in ["x", "y"] { _ = await site.get("http://a/\(path)") }
        await site.cache.remove("http://a/x#fragment")
        #expect(await site.get("http://a/x").metrics.cacheOutcome == .miss)
        #expect(await site.get("http://a/y").metrics.cacheOutcome == .hit)
        await site.cache.removeAll()
        #expect(await site.get("http://a/y").metrics.cacheOutcome == .miss)
    }
}
