import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Partitions of a cache", .timeLimit(.minutes(5)))
struct CachePartitionsTests {
    enum Kind: CaseIterable { case memory, disk }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ kind: Kind, capacity: Int = 64 << 20) throws -> HTTPCache {
        switch kind {
        case .memory: HTTPCache(capacity: capacity)
        case .disk: try HTTPCache(directory: folder.url, capacity: capacity)
        }
    }

    /// Sessions over the cache itself and over some partitions, to a server that counts its requests.
    private func sites(_ cache: HTTPCache, _ names: String...) -> [CachedSite] {
        let server = counting(["Cache-Control": "max-age=600"])
        return ([cache] + names.map(cache.partition)).map { CachedSite(cache: $0, server) }
    }

    @Test(
        "A partition serves its own responses, and no responses of another partition or of the cache",
        arguments: Kind.allCases)
    func apart(_ kind: Kind) async throws {
        let sites = sites(try cache(kind), "user-7", "user-8")
        for (number, site) in sites.enumerated() { #expect(await site.get().summary == "miss \(number + 1)") }
        for (number, site) in sites.enumerated() { #expect(await site.get().summary == "hit \(number + 1)") }
        for site in sites { #expect(await site.get(mode: .onlyIfCached).summary.hasPrefix("hit")) }
    }

    @Test("Partitions with empty, similar or path-like names are separate", arguments: Kind.allCases)
    func names(_ kind: Kind) async throws {
        let cache = try cache(kind)
        let names = ["", "a", "A", "a\n", "../../etc", "/", "user-7\0", "a b", String(repeating: "n", count: 100_000)]
        let server = counting(["Cache-Control": "max-age=600"])
        for (number, name) in names.enumerated() {
            #expect(await CachedSite(cache: cache.partition(name), server).get().summary == "miss \(number + 1)")
        }
        for (number, name) in names.enumerated() {
            #expect(await CachedSite(cache: cache.partition(name), server).get().summary == "hit \(number + 1)")
        }
        // The partition b of a is neither b nor that of another text.
        for other in [
            cache.partition("a").partition("b"), cache.partition("b").partition("a"), cache.partition("a\nb"),
        ] {
            #expect(await CachedSite(cache: other, server).get().metrics.cacheOutcome == .miss)
        }
        guard kind == .disk else { return }
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { $0.contains("/") }
        #expect(files.count == names.count + 3)
        #expect(files.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{2}\/[0-9a-f]{40}-[0-9a-f]{16}-[0-9a-f]{32}/) != nil })
    }

    @Test("Partitions of the same name share their responses", arguments: Kind.allCases)
    func equalNames(_ kind: Kind) async throws {
        let sites = sites(try cache(kind), "user-7", "user-7")
        #expect(await sites[1].get().summary == "miss 1")
        #expect(await sites[2].get().summary == "hit 1")
    }

    @Test(
        "A removal or an unsafe method in one partition leaves the responses of the others stored",
        arguments: Kind.allCases)
    func removals(_ kind: Kind) async throws {
        for action in ["POST", "remove", "removeAll"] {
            let sites = sites(try cache(kind), "user-7", "user-8")
            for site in sites { _ = await site.get(mode: .reload) }
            switch action {
            case "POST": _ = await sites[1].get(method: .post)
            case "remove": await sites[1].cache.remove("http://a/")
            default: await sites[1].cache.removeAll()
            }
            #expect(await sites[1].get(mode: .onlyIfCached).error?.code == .notCached)
            #expect(await sites[0].get().metrics.cacheOutcome == .hit)
            #expect(await sites[2].get().metrics.cacheOutcome == .hit)
        }
    }

    @Test("removeAll() and the statistics of a cache include the responses of its partitions", arguments: Kind.allCases)
    func whole(_ kind: Kind) async throws {
        let sites = sites(try cache(kind), "user-7", "user-8")
        for site in sites { _ = await site.get() }
        let (all, own) = (await sites[0].cache.statistics, await sites[1].cache.statistics)
        #expect(all.entries == 3 && all.bytes > own.bytes)
        #expect((own.entries, own.misses) == (1, 1) && own.bytes > 0)
        await sites[0].cache.remove("http://a/")
        #expect(await sites[1].get().metrics.cacheOutcome == .hit)
        await sites[0].cache.removeAll()
        for site in sites { #expect(await site.get(mode: .onlyIfCached).error?.code == .notCached) }
    }

    @Test("The capacity of a cache limits the bytes of all its partitions together", arguments: Kind.allCases)
    func capacity(_ kind: Kind) async throws {
        let cache = try cache(kind, capacity: 100_000)
        let server: StubTransport.Handler = { _ in
            .data(Data(count: 10_000), headers: ["Cache-Control": "max-age=600"])
        }
        for number in 0..<30 { _ = await CachedSite(cache: cache.partition("\(number)"), server).get() }
        #expect(await cache.statistics.bytes <= 100_000)
        #expect(await cache.partition("0").statistics.entries == 0)
        #expect(await cache.partition("29").statistics.entries == 1)
    }

    @Test(
        "removeAll() of a partition drops its response that still arrives, but not one of another partition",
        arguments: ["user-7", "user-8"])
    func removedMeanwhile(_ name: String) async throws {
        let cache = HTTPCache()
        let (entered, leave) = (Gate(), Gate())
        let site = CachedSite(cache: cache.partition("user-7")) { _ in
            entered.open()
            await leave.wait()
            return .text("old", headers: ["Cache-Control": "max-age=60"])
        }
        async let response = site.get()
        await entered.wait()
        await cache.partition(name).removeAll()
        leave.open()
        #expect(await response.summary == "miss old")
        #expect(await site.cache.statistics.entries == (name == "user-7" ? 0 : 1))
    }

    @Test("Without partitions a private response is kept from other Cookies, and each from other Authorizations")
    func withoutPartitions() async {
        for (header, control, isShared) in [
            ("Cookie", "max-age=60", true), ("Cookie", "private, max-age=60", false), ("X-User", "max-age=60", true),
            ("X-User", "private, max-age=60", true), ("Authorization", "max-age=60", false),
        ] {
            let site = CachedSite { .text($0.headers[header] ?? "", headers: ["Cache-Control": control]) }
            #expect(await site.get(headers: [HTTPHeader(name: header, value: "u=7")]).summary == "miss u=7")
            let other = await site.get(headers: [HTTPHeader(name: header, value: "u=8")])
            #expect(other.summary == (isShared ? "hit u=7" : "miss u=8"), "\(header) \(control)")
        }
    }
}

@Suite("Deciding what a cache stores", .timeLimit(.minutes(5)))
struct CacheWillStoreTests {
    @Test("The willStore closure stores a response, does not store it, or stores it with other headers")
    func decisions() async {
        let cache = HTTPCache { request, response in
            switch request.url.path() {
            case "/nothing": return .doNotStore
            case "/longer":
                var headers = response.headers
                headers.update(HTTPHeader(name: "Cache-Control", value: "max-age=600"))
                headers.remove("Set-Cookie")
                return .modify(headers)
            case "/refused": return .modify(["Cache-Control": "no-store"])
            default: return .store
            }
        }
        let site = CachedSite(cache: cache, counting(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"]))
        for (path, age, expected) in [
            ("store", 50, "hit 1"), ("store", 70, "miss 2"), ("nothing", 1, "miss 4"), ("longer", 500, "hit 5"),
            ("refused", 1, "miss 7"),
        ] {
            let url = "http://a/\(path)"
            if age != 70 { #expect(await site.get(url).response?.value(forHTTPHeaderField: "Set-Cookie") == "a=b") }
            site.clock.advance(by: .seconds(age))
            let response = await site.get(url)
            #expect(response.summary == expected)
            let cookie = response.response?.value(forHTTPHeaderField: "Set-Cookie")
            #expect(cookie == (path == "longer" ? nil : "a=b"))
        }
    }

    @Test("The willStore closure gets the request as sent, and is not called for a response that is never stored")
    func asked() async {
        let asked = Locked<[String]>([])
        let cache = HTTPCache { request, response in
            let text = "\(request.method.rawValue) \(request.headers["Cookie"] ?? "-") \(response.statusCode)"
            asked.withLock { $0.append(text) }
            return .store
        }
        let site = CachedSite(cache: cache) { request in
            .status(request.path == "/401" ? 401 : 200, headers: ["Cache-Control": "max-age=60"])
        }
        _ = await site.get(headers: ["Cookie": "u=7"])
        _ = await site.get("http://a/401")
        _ = await site.get("http://a/head", method: .head)
        _ = await site.get("http://a/post", method: .post)
        _ = await site.get("http://a/1", mode: .noStore)
        _ = await site.get("http://a/2", headers: ["Cache-Control": "no-store"])
        #expect(asked.withLock { $0 } == ["GET u=7 200"])
        #expect(await cache.statistics.entries == 1)
    }

    @Test("For a 304, a partition calls the willStore closure, which can change or remove the stored response")
    func confirmed() async {
        let isAllowed = Locked(true)
        let cache = HTTPCache { _, response in
            var headers = response.headers
            headers.remove("X-Secret")
            return isAllowed.withLock { $0 } ? .modify(headers) : .doNotStore
        }
        let site = CachedSite(cache: cache.partition("user-7")) { request in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"1\"", "X-Secret": "s"]
            return request.headers["If-None-Match"] == nil
                ? .text("body", headers: headers) : .status(304, headers: headers)
        }
        func secret(_ outcome: String) async -> String? {
            let response = await site.get()
            #expect(response.summary == "\(outcome) body")
            return response.response?.value(forHTTPHeaderField: "X-Secret")
        }
        #expect(await secret("miss") == "s")
        site.clock.advance(by: .seconds(20))
        #expect(await secret("revalidated") == "s")
        #expect(await secret("hit") == nil)
        isAllowed.withLock { $0 = false }
        site.clock.advance(by: .seconds(20))
        _ = await secret("revalidated")
        #expect(await site.cache.statistics.entries == 0)
    }
}
