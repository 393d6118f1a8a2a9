import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The entity tag of a site's version; empty for none.
private final class SiteVersion: Sendable {
    private let text: Locked<String>
    var tag: String { text.withLock { $0 } }

    init(_ tag: String) { text = Locked(tag) }

    func change(to tag: String) { text.withLock { $0 = tag } }
}

@Suite("Caching of ranges", .timeLimit(.minutes(5)))
struct CacheRangesTests {
    enum Kind: CaseIterable { case memory, disk }

    private static let text = "0123456789"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A server of ten digits with ranges, whose version changes.
    private func site(
        _ kind: Kind, control: String = "max-age=600", version: SiteVersion = SiteVersion("\"1\""), text: String = text
    ) throws -> CachedSite {
        let server: StubTransport.Handler = { request in
            let tag = version.tag
            var headers: HTTPHeaders = ["Cache-Control": control, "X": "\(request.headers["Range"] ?? "whole")"]
            if !tag.isEmpty { headers.update(HTTPHeader(name: "ETag", value: tag)) }
            if !tag.isEmpty, request.headers["If-None-Match"] == tag { return .status(304, headers: headers) }
            guard let range = request.headers["Range"].flatMap(ByteRange.init) else {
                return .text(text, headers: headers)
            }
            guard let bytes = range.bytes(of: Int64(text.utf8.count)) else {
                headers.update(HTTPHeader(name: "Content-Range", value: "bytes */\(text.utf8.count)"))
                return .text("", status: 416, headers: headers)
            }
            headers.update(
                HTTPHeader(name: "Content-Range", value: ContentRange(bytes, of: Int64(text.utf8.count)).description))
            let part = text.dropFirst(Int(bytes.lowerBound)).prefix(bytes.count)
            return .text(String(part), status: 206, headers: headers)
        }
        return CachedSite(
            cache: kind == .memory ? HTTPCache() : try HTTPCache(directory: folder.url), server)
    }

    /// Outcome, body, status and `Content-Range`.
    private func get(_ site: CachedSite, _ range: String?, _ others: HTTPHeaders = [:], mode: CacheMode? = nil) async
        -> String
    {
        var headers = others
        if let range { headers.add(name: "Range", value: "bytes=\(range)") }
        // One response after the other, also in the rounded times of files.
        site.clock.advance(by: .milliseconds(1))
        let response = await site.get(mode: mode, headers: headers)
        let part = response.response?.value(forHTTPHeaderField: "Content-Range") ?? "-"
        return "\(response.summary) \(response.statusCode ?? 0) \(part)"
    }

    @Test("A range is served from a whole stored response", arguments: Kind.allCases)
    func whole(_ kind: Kind) async throws {
        let site = try site(kind)
        #expect(await get(site, nil) == "miss 0123456789 200 -")
        #expect(await get(site, "0-1") == "hit 01 206 bytes 0-1/10")
        #expect(await get(site, "7-") == "hit 789 206 bytes 7-9/10")
        #expect(await get(site, "-1") == "hit 9 206 bytes 9-9/10")
        #expect(await get(site, "5-100") == "hit 56789 206 bytes 5-9/10")
        #expect(await get(site, nil) == "hit 0123456789 200 -")
        #expect(await get(site, "0-1", ["If-Range": "\"1\""]) == "hit 01 206 bytes 0-1/10")
        #expect(await get(site, "0-1", ["If-Range": "\"2\""]) == "miss 01 206 bytes 0-1/10")
        #expect(await get(site, "10-") == "miss  416 bytes */10")
        #expect(await get(site, "0-1,3-4").hasPrefix("bypassed"))
        #expect(await get(site, nil) == "hit 0123456789 200 -")
        let length = await site.get(headers: ["Range": "bytes=2-4"]).response?.value(
            forHTTPHeaderField: "Content-Length")
        #expect(length == "3")
    }

    @Test("A stored 206 serves ranges within its range, and never the whole body", arguments: Kind.allCases)
    func part(_ kind: Kind) async throws {
        let site = try site(kind)
        #expect(await get(site, "2-7") == "miss 234567 206 bytes 2-7/10")
        #expect(await get(site, "2-7") == "hit 234567 206 bytes 2-7/10")
        #expect(await get(site, "3-4") == "hit 34 206 bytes 3-4/10")
        #expect(await get(site, "3-4", mode: .onlyIfCached) == "hit 34 206 bytes 3-4/10")
        #expect(await get(site, nil, mode: .onlyIfCached) == "none notCached 0 -")
        #expect(await get(site, "0-4", mode: .onlyIfCached) == "none notCached 0 -")
        #expect(await get(site, nil) == "miss 0123456789 200 -")
        #expect(await get(site, "0-4") == "hit 01234 206 bytes 0-4/10")
    }

    @Test(
        "Adjacent stored ranges of one version are combined, up to the whole body", arguments: Kind.allCases)
    func combined(_ kind: Kind) async throws {
        let site = try site(kind)
        #expect(await get(site, "4-5") == "miss 45 206 bytes 4-5/10")
        #expect(await get(site, "6-7") == "miss 67 206 bytes 6-7/10")
        #expect(await get(site, "4-7") == "hit 4567 206 bytes 4-7/10")
        #expect(await get(site, "2-4") == "miss 234 206 bytes 2-4/10")
        #expect(await get(site, "2-7") == "hit 234567 206 bytes 2-7/10")
        #expect(await get(site, "1-8") == "miss 12345678 206 bytes 1-8/10")
        #expect(await get(site, "0-0") == "miss 0 206 bytes 0-0/10")
        #expect(await get(site, "-2") == "miss 89 206 bytes 8-9/10")
        #expect(await get(site, nil) == "hit 0123456789 200 -")
    }

    @Test(
        "Stored ranges without a strong validator, or of different versions, are not combined",
        arguments: ["", "W/\"1\"", "\"1\""], Kind.allCases)
    func apart(_ tag: String, _ kind: Kind) async throws {
        let version = SiteVersion(tag)
        let site = try site(kind, version: version)
        #expect(await get(site, "0-4") == "miss 01234 206 bytes 0-4/10")
        if tag == "\"1\"" { version.change(to: "\"2\"") }
        #expect(await get(site, "5-9") == "miss 56789 206 bytes 5-9/10")
        #expect(await get(site, "5-9") == "hit 56789 206 bytes 5-9/10")
        #expect(await get(site, nil, mode: .onlyIfCached) == "none notCached 0 -")
    }

    @Test(
        "A range request revalidates a stale stored response, or replaces it with a range of the new version",
        arguments: Kind.allCases)
    func stale(_ kind: Kind) async throws {
        let version = SiteVersion("\"1\"")
        let site = try site(kind, control: "max-age=10", version: version)
        #expect(await get(site, nil) == "miss 0123456789 200 -")
        site.clock.advance(by: .seconds(20))
        #expect(await get(site, "2-3") == "revalidated 23 206 bytes 2-3/10")
        #expect(await get(site, nil) == "hit 0123456789 200 -")
        site.clock.advance(by: .seconds(20))
        version.change(to: "\"2\"")
        #expect(await get(site, "2-3") == "miss 23 206 bytes 2-3/10")
        // The part of the new version supersedes the whole of the old one.
        #expect(await get(site, nil, mode: .onlyIfCached) == "none notCached 0 -")
        #expect(await get(site, "2-3") == "hit 23 206 bytes 2-3/10")
    }

    @Test("A 206 that does not match its Range request, or has an unknown coding, is not stored")
    func malformed() async {
        for (range, part, headers) in [
            ("bytes=-5", "bytes 4-9/10", [:]), ("bytes=0-4", "bytes */10", [:]), ("bytes=0-4", "", [:]),
            ("bytes=0-4", "bytes 4-0/10", [:]), ("bytes=0-4", "items 0-4/10", [:]),
            ("bytes=0-4", "bytes 0-4/10", ["Content-Encoding": "unknown"]), ("", "bytes 0-4/10", [:]),
        ] as [(String, String, [String: String])] {
            let site = CachedSite { _ in
                var all = HTTPHeaders(headers)
                all.add(name: "Cache-Control", value: "max-age=600")
                if !part.isEmpty { all.add(name: "Content-Range", value: part) }
                return .text("01234", status: 206, headers: all)
            }
            _ = await site.get(headers: range.isEmpty ? [:] : ["Range": range])
            #expect(await site.cache.statistics.entries == 0, "\(range) \(part)")
        }
    }

    @Test("A range of 300,000 bytes is served from a stored body on disk", arguments: [0, 1_500_000])
    func large(_ start: Int) async throws {
        let body = patternedData(2_000_000)
        let cache = try HTTPCache(directory: folder.url)
        let site = CachedSite(cache: cache) { _ in .data(body, headers: ["Cache-Control": "max-age=600"]) }
        _ = await site.session.request("http://a/").serializing(Data.self).response
        let headers: HTTPHeaders = ["Range": "bytes=\(start)-\(start + 299_999)"]
        let response = await site.session.request("http://a/", headers: headers).serializing(Data.self).response
        #expect(response.value == body.dropFirst(start).prefix(300_000) && response.metrics.cacheOutcome == .hit)
        #expect(response.statusCode == 206 && site.stub.requests.count == 1)
    }

    @Test("A response to HEAD is not stored, and a HEAD with Range bypasses the cache")
    func head() async throws {
        let site = try site(.memory)
        #expect(await site.get(method: .head).metrics.cacheOutcome == .miss)
        #expect(await site.cache.statistics.entries == 0)
        #expect(await site.get(method: .head, headers: ["Range": "bytes=0-1"]).metrics.cacheOutcome == .bypassed)
    }

    @Test("A 416 to a range beyond the end leaves the stale response stored", arguments: Kind.allCases)
    func beyondTheEndOfStale(_ kind: Kind) async throws {
        let site = try site(kind, control: "max-age=10")
        #expect(await get(site, nil) == "miss 0123456789 200 -")
        site.clock.advance(by: .seconds(20))
        #expect(await get(site, "100-").hasSuffix(" 416 bytes */10"))
        #expect(await get(site, nil) == "revalidated 0123456789 200 -")
    }

    @Test("A stored 206 with Vary: Accept-Encoding is served to an equal range request")
    func varied() async {
        let stub = StubTransport { _ in
            .text(
                "01", status: 206,
                headers: [
                    "Content-Range": "bytes 0-1/10", "Cache-Control": "max-age=600", "Vary": "Accept-Encoding",
                    "ETag": "\"1\"",
                ])
        }
        let session = Session(transport: stub, configuration: .init(cache: HTTPCache()))
        for mode in [CacheMode.standard, .onlyIfCached] {
            let request = session.request(
                "http://a/", headers: ["Range": "bytes=0-1"], options: RequestOptions(cacheMode: mode))
            #expect(await request.serializing(String.self).response.value == "01")
        }
        #expect(stub.requests.count == 1)
    }
}
