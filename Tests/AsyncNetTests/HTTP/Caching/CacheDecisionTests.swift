import Foundation
import Testing

@testable import AsyncNet

@Suite("Decisions of the cache for a request")
struct CacheDecisionTests {
    /// The decision about a response of this age.
    private func decision(
        _ response: HTTPHeaders, age: Double, _ request: HTTPHeaders = [:], mode: CacheMode = .standard
    ) throws -> CacheDecision {
        CacheDecision(
            .get(request, mode: mode), [try .fixture(response)], at: StoredResponse.date.addingTimeInterval(age))
    }

    @Test(
        "Age and Cache-Control of a stored response decide whether it is used, revalidated or both",
        arguments: [
            ("max-age=60", 59, .use(0, .hit)), ("max-age=60", 60, .revalidate(0)), ("max-age=60", 61, .revalidate(0)),
            ("max-age=60, no-cache", 1, .revalidate(0)), ("max-age=60, must-revalidate", 1, .use(0, .hit)),
            ("max-age=60, stale-while-revalidate=10", 70, .useAndRevalidate(0)),
            ("max-age=60, stale-while-revalidate=10", 71, .revalidate(0)),
            ("max-age=60, stale-while-revalidate=10, must-revalidate", 65, .revalidate(0)),
            ("max-age=60, stale-if-error=10", 65, .revalidate(0)),
        ] as [(String, Double, CacheDecision)])
    func directives(_ control: String, _ age: Double, _ expected: CacheDecision) throws {
        #expect(try decision(["Cache-Control": control], age: age) == expected)
    }

    @Test(
        "Cache-Control of a request decides whether a stored response is used (RFC 9111 §5.2.1)",
        arguments: [
            ("max-age=60", 30, "max-age=30", .use(0, .hit)), ("max-age=60", 31, "max-age=30", .revalidate(0)),
            ("max-age=60", 30, "min-fresh=30", .use(0, .hit)), ("max-age=60", 31, "min-fresh=30", .revalidate(0)),
            ("max-age=60", 1, "no-cache", .revalidate(0)), ("max-age=60", 70, "max-stale", .use(0, .stale)),
            ("max-age=60", 70, "max-stale=10", .use(0, .stale)), ("max-age=60", 71, "max-stale=10", .revalidate(0)),
            ("max-age=60, must-revalidate", 61, "max-stale", .revalidate(0)),
            ("max-age=60, no-cache", 61, "max-stale", .revalidate(0)),
            ("max-age=60", 70, "max-stale, max-age=65", .revalidate(0)),
            ("max-age=60", 30, "only-if-cached", .use(0, .hit)), ("max-age=60", 61, "only-if-cached", .unavailable),
            ("max-age=60", 61, "only-if-cached, max-stale", .use(0, .stale)),
            ("max-age=60, stale-while-revalidate=10", 65, "max-age=60", .revalidate(0)),
            ("max-age=60", 1, "no-store", .use(0, .hit)),
        ] as [(String, Double, String, CacheDecision)])
    func requestDirectives(_ control: String, _ age: Double, _ request: String, _ expected: CacheDecision) throws {
        #expect(try decision(["Cache-Control": control], age: age, ["Cache-Control": request]) == expected)
    }

    @Test("Pragma: no-cache of a request counts only without Cache-Control (RFC 9111 §5.4)")
    func pragma() throws {
        let control: HTTPHeaders = ["Cache-Control": "max-age=60"]
        #expect(try decision(control, age: 1, ["Pragma": "no-cache"]) == .revalidate(0))
        #expect(try decision(control, age: 1, ["Pragma": "no-cache", "Cache-Control": "x"]) == .use(0, .hit))
    }

    @Test(
        "The request's CacheMode decides whether a stored response is used, revalidated or fetched again",
        arguments: [
            (CacheMode.standard, CacheDecision.use(0, .hit), CacheDecision.revalidate(0), CacheDecision.fetch),
            (.reload, .fetch, .fetch, .fetch), (.revalidate, .revalidate(0), .revalidate(0), .fetch),
            (.preferCache, .use(0, .hit), .use(0, .stale), .fetch),
            (.onlyIfCached, .use(0, .hit), .use(0, .stale), .unavailable),
        ])
    func modes(_ mode: CacheMode, _ fresh: CacheDecision, _ stale: CacheDecision, _ nothing: CacheDecision) throws {
        let control: HTTPHeaders = ["Cache-Control": "max-age=60, must-revalidate"]
        #expect(try decision(control, age: 1, mode: mode) == fresh)
        #expect(try decision(control, age: 100, mode: mode) == stale)
        #expect(CacheDecision(.get(mode: mode), [], at: StoredResponse.date) == nothing)
    }

    @Test(
        "A fresh response with immutable is used without revalidation in mode .revalidate (RFC 8246)",
        arguments: [
            ("max-age=60, immutable", 1, "", CacheDecision.use(0, .hit)),
            ("max-age=60, immutable", 60, "", .revalidate(0)), ("max-age=60", 1, "", .revalidate(0)),
            ("immutable", 1, "", .revalidate(0)), ("max-age=60, immutable, no-cache", 1, "", .revalidate(0)),
            ("max-age=60, immutable", 1, "no-cache", .revalidate(0)),
            ("max-age=60, immutable", 1, "max-age=0", .revalidate(0)),
        ] as [(String, Double, String, CacheDecision)])
    func immutable(_ control: String, _ age: Double, _ request: String, _ expected: CacheDecision) throws {
        let headers: HTTPHeaders = request.isEmpty ? [:] : ["Cache-Control": request]
        #expect(try decision(["Cache-Control": control], age: age, headers, mode: .revalidate) == expected)
        #expect(try decision(["Cache-Control": control], age: age, headers, mode: .reload) == .fetch)
    }

    @Test("The newest of several matching stored responses is used, even if an older one is still fresh (RFC 9111 §4)")
    func several() throws {
        let english = CacheRequest.get(["Accept-Language": "en"])
        let stored = try [
            StoredResponse.fixture(["Cache-Control": "max-age=1", "Vary": "Accept-Language"]),
            .fixture(["Cache-Control": "max-age=5", "Vary": "Accept-Language"], for: english),
            .fixture(["Cache-Control": "max-age=100", "Vary": "Accept-Language"], for: english),
        ]
        #expect(CacheDecision(english, stored, at: StoredResponse.date.addingTimeInterval(1)) == .use(1, .hit))
        #expect(CacheDecision(english, stored, at: StoredResponse.date.addingTimeInterval(10)) == .revalidate(1))
        #expect(CacheDecision(.get(["Accept-Language": "de"]), stored, at: StoredResponse.date) == .fetch)
    }

    @Test("A retry revalidates a stored 503; a response not fresh enough for min-fresh is revalidated before its use")
    func repeated() throws {
        let error = try StoredResponse.fixture(
            ["Cache-Control": "max-age=60, stale-while-revalidate=60"], status: 503)
        let repeated = CacheRequest(
            HTTPRequestHead(url: CacheRequest.get().url), mode: .standard, trust: .verified(), isRepeated: true)
        #expect(CacheDecision(repeated, [error], at: StoredResponse.date) == .revalidate(0))
        #expect(CacheDecision(.get(), [error], at: StoredResponse.date) == .use(0, .hit))
        let control: HTTPHeaders = ["Cache-Control": "max-age=60, stale-while-revalidate=60"]
        #expect(try decision(control, age: 10, ["Cache-Control": "min-fresh=55"]) == .revalidate(0))
    }
}

@Suite("Revalidation of a stored response")
struct StoredResponseTests {
    @Test(
        "A stored response is revalidated with its ETag and Last-Modified (RFC 9111 §4.3.1)",
        arguments: [
            (["ETag": "\"a\""], ["If-None-Match: \"a\""]), (["ETag": "W/\"a\""], ["If-None-Match: W/\"a\""]),
            (["Last-Modified": "x"], ["If-Modified-Since: x"]),
            (["ETag": "\"a\"", "Last-Modified": "x"], ["If-None-Match: \"a\"", "If-Modified-Since: x"]), ([:], []),
        ] as [([String: String], [String])])
    func conditions(_ headers: [String: String], _ expected: [String]) throws {
        let conditions = try StoredResponse.fixture(HTTPHeaders(headers)).conditions
        #expect(conditions.map { "\($0.name): \($0.value)" } == expected)
    }

    @Test(
        "A 304 confirms a stored response unless their ETags differ (RFC 9111 §4.3.4)",
        arguments: [
            ("\"a\"", "\"a\"", true), ("W/\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", nil, true),
            (nil, "\"b\"", false), (nil, nil, true),
        ] as [(String?, String?, Bool)])
    func confirmed(_ stored: String?, _ received: String?, _ expected: Bool) throws {
        let response = try StoredResponse.fixture(HTTPHeaders(stored.map { ["ETag": $0] } ?? [:]))
        let head = HTTPResponseHead(
            statusCode: 304, url: CacheRequest.get().url, headers: HTTPHeaders(received.map { ["ETag": $0] } ?? [:]))
        #expect(response.isConfirmed(by: head) == expected)
    }

    @Test("Connection headers are not stored, and a 304 does not replace headers of the body (RFC 9111 §3.1, §3.2)")
    func headers() throws {
        let stored = try StoredResponse.fixture([
            "Connection: X, close", "X: 1", "Keep-Alive: 1", "Transfer-Encoding: chunked", "A: 1", "B: 1", "B: 2",
            "Content-Length: 5", "Content-Type: text/plain", "Age: 5",
        ])
        #expect(stored.headers.map(\.name) == ["A", "B", "B", "Content-Length", "Content-Type", "Age", "Date"])
        let head = HTTPResponseHead(
            statusCode: 304, url: CacheRequest.get().url,
            headers: ["B: 3", "Content-Length: 0", "Content-Type: x/y", "C: 1", "Connection: close"])
        let confirmed = stored.confirmed(by: head, requested: StoredResponse.date, received: StoredResponse.date)
        #expect(confirmed.headers["B"] == "3" && confirmed.headers["C"] == "1" && confirmed.headers["A"] == "1")
        #expect(confirmed.headers["Content-Length"] == "5" && confirmed.headers["Content-Type"] == "text/plain")
        #expect(!confirmed.headers.contains(name: "Connection") && !confirmed.headers.contains(name: "Age"))
        let later = StoredResponse.date.addingTimeInterval(100)
        let dated = stored.confirmed(by: head, requested: later, received: later)
        #expect(dated.headers["Date"] == HTTPDate(later).description)
        let new = StoredResponse(
            HTTPResponseHead(statusCode: 200, url: head.url), headers: [:], variant: stored.variant,
            isContentDecoded: true, requested: later, received: later)
        #expect(new.headers["Date"] == HTTPDate(later).description)
    }
}
