import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// QUERY (RFC 10008): a safe method with a body, by which its responses are stored.
@Suite("QUERY requests", .timeLimit(.minutes(5)))
struct QueryTests {
    private struct Filter: Encodable { var name: String }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func outcome(_ request: DataRequest) async -> String {
        await request.serializing(String.self).response.summary
    }

    // MARK: The request

    @Test("A QUERY with a JSON body has Content-Type application/json, unless the request has one")
    func json() async throws {
        let stub = StubTransport { _ in .text("[]") }
        let session = Session(baseURL: "http://a/api/", transport: stub)
        let body = try RequestBody.json(Filter(name: "Ada"))
        _ = try await session.query("search", body: body).serializing(JSON.self).value
        _ = try await session.query("search", body: body, headers: ["Content-Type": "application/x+json"])
            .serializing(JSON.self).value
        #expect(
            stub.requests.map { "\($0.method) \($0.path) \($0.text)" }
                == Array(
                    repeating: #"QUERY /api/search {"name":"Ada"}"#, count: 2))
        #expect(stub.requests.map { $0.headers["Content-Type"] } == ["application/json", "application/x+json"])
    }

    @Test("A JSON body of a value that JSON cannot express throws .encodingFailed when it is made")
    func encodingError() {
        #expect(AsyncNetError.code { _ = try RequestBody.json([Double.nan]) } == .encodingFailed)
    }

    @Test("A QUERY that gets a 503 is retried with its body")
    func retried() async throws {
        let count = Counter()
        let stub = StubTransport { request in .text(request.text, status: count.next() == 1 ? 503 : 200) }
        let session = Session(
            transport: stub, configuration: .init(interceptors: [RetryPolicy(backoff: .init(scale: .zero))]))
        let value = try await session.query("http://a/", body: .data(Data("q".utf8))).serializing(String.self).value
        #expect(value == "q" && stub.requests.count == 2)
    }

    // MARK: Its stored responses

    @Test("A stored response to a QUERY is served only for the same body, Content-Type and Content-Encoding")
    func content() async throws {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        let rows: [(String, HTTPHeaders, String)] = [
            ("a", [:], "miss 1"), ("a", [:], "hit 1"), ("b", [:], "miss 2"), ("a", ["Content-Type": "x/y"], "miss 3"),
            ("a", ["Content-Type": "x/y"], "hit 3"), ("a", ["Content-Encoding": "gzip"], "miss 4"),
            ("", [:], "miss 5"), ("", [:], "hit 5"), ("b", [:], "hit 2"), ("a", ["X": "1"], "hit 1"),
        ]
        for (body, headers, expected) in rows {
            let request = site.session.query("http://a/", body: .data(Data(body.utf8)), headers: headers)
            #expect(await outcome(request) == expected)
        }
        #expect(await site.get().summary == "miss 6")
        #expect(await site.get(method: .head).metrics.cacheOutcome == .hit)
        #expect(await site.cache.statistics.entries == 6)
    }

    @Test("A QUERY whose body is a stream bypasses the cache")
    func streams() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        for number in 1...2 {
            let body = RequestBody.stream(
                AsyncStream {
                    $0.yield(Data("a".utf8))
                    $0.finish()
                })
            #expect(await outcome(site.session.query("http://a/", body: body)) == "bypassed \(number)")
        }
    }

    @Test("A POST and remove() drop the stored responses to every QUERY of their URL, and a QUERY drops none")
    func invalidation() async {
        let site = CachedSite(counting(["Cache-Control": "max-age=60"]))
        let bodies = ["a", "b"].map { RequestBody.data(Data($0.utf8)) }
        func outcomes() async -> [String] {
            var outcomes: [String] = []
            for body in bodies { outcomes.append(await outcome(site.session.query("http://a/", body: body))) }
            return outcomes + [await site.get().summary]
        }
        #expect(await outcomes() == ["miss 1", "miss 2", "miss 3"])
        #expect(await outcomes() == ["hit 1", "hit 2", "hit 3"])
        #expect(await outcome(site.session.post("http://a/")) == "bypassed 4")
        #expect(await outcomes() == ["miss 5", "miss 6", "miss 7"])
        await site.cache.remove("http://a/")
        #expect(await outcomes() == ["miss 8", "miss 9", "miss 10"])
    }

    @Test("A stored response to a QUERY is revalidated by a QUERY with the same body", arguments: [true, false])
    func confirmed(_ isOnDisk: Bool) async throws {
        let server = try await MockServer.start()
        server.on(.query, "/search") { request in
            let headers: HTTPHeaders = ["ETag": "\"\(request.text)\"", "Cache-Control": "no-cache"]
            return request.headers["If-None-Match"] == "\"\(request.text)\""
                ? .status(304, headers: headers) : .text("found \(request.text)", headers: headers)
        }
        let cache = isOnDisk ? try HTTPCache(directory: folder.url) : HTTPCache()
        let session = Session(transport: .sockets(), configuration: .init(cache: cache))
        var outcomes: [String] = []
        for query in ["a", "b", "a", "b"] {
            let body = RequestBody.data(Data(query.utf8))
            outcomes.append(await outcome(session.query(server.url("/search"), body: body)))
        }
        #expect(outcomes == ["miss found a", "miss found b", "revalidated found a", "revalidated found b"])
        await session.finish()
        await server.stop()
    }
}
