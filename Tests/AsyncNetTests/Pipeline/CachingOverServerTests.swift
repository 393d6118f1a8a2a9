import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// What only sockets show: content codings, heads that transports report early, connections that are used again.
@Suite("Caching over a server", .timeLimit(.minutes(5)))
struct CachingOverServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "A stored response with no-cache is confirmed by a 304 and replaced by a 200",
        arguments: TransportUnderTest.allCases, [true, false])
    func outcomes(_ transport: TransportUnderTest, _ isOnDisk: Bool) async throws {
        let server = try await MockServer.start()
        let version = Locked(1)
        server.on(.get, "/x") { request in
            let tag = "\"\(version.withLock { $0 })\""
            let headers: HTTPHeaders = ["ETag": tag, "Cache-Control": "no-cache"]
            return request.headers["If-None-Match"] == tag
                ? .status(304, headers: headers) : .text(String(repeating: tag, count: 5000), headers: headers)
        }
        let cache = isOnDisk ? try HTTPCache(directory: folder.url) : HTTPCache()
        let session = transport.session(.init(cache: cache))
        var outcomes: [CacheOutcome?] = []
        for number in 0..<4 {
            if number == 2 { version.withLock { $0 = 2 } }
            let response = await session.request(server.url("/x")).serializing(String.self).response
            #expect(try response.result.get() == String(repeating: "\"\(number / 2 + 1)\"", count: 5000))
            #expect(response.statusCode == 200)
            outcomes.append(response.metrics.cacheOutcome)
        }
        #expect(outcomes == [.miss, .revalidated, .miss, .revalidated])
        await session.finish()
        await server.stop()
    }

    @Test("A stored response with a gzip body is served decoded each time", arguments: TransportUnderTest.allCases)
    func contentCoding(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        let text = String(repeating: "hello ", count: 10_000)
        let body = try #require(try RequestBody.data(Data(text.utf8)).compressed(with: .gzip).data)
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Encoding": "gzip"]
        await server.enqueue(MockResponse(200, headers: headers, body: body))
        let session = transport.session(.init(cache: try HTTPCache(directory: folder.url)))
        for outcome in [CacheOutcome.miss, .hit, .hit] {
            let response = await session.request(server.url("/x")).serializing(String.self).response
            #expect(response.value == text && response.metrics.cacheOutcome == outcome)
        }
        await session.finish()
        await server.stop()
    }

    @Test(
        "A downloaded response is stored, and served to a download, a stream and a data request",
        arguments: TransportUnderTest.allCases)
    func kinds(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        let body = patternedData(3_000_000)
        await server.enqueue(.data(body, headers: ["Cache-Control": "max-age=60"]))
        let session = transport.session(.init(cache: try HTTPCache(directory: folder.url.appending(path: "cache"))))
        let target = folder.url.appending(path: "file")
        for _ in 0..<2 {
            let file = try await session.download(
                server.url("/x"), to: .file(target, options: [.removePreviousFile])
            ).value
            #expect(try Data(contentsOf: file) == body)
        }
        var streamed = Data()
        for try await chunk in session.stream(server.url("/x")).chunks { streamed.append(chunk) }
        #expect(streamed == body)
        #expect(await session.request(server.url("/x")).serializing(Data.self).response.metrics.cacheOutcome == .hit)
        await session.finish()
        await server.stop()
    }

    @Test(
        "A stale response with stale-if-error is served when its server cannot be reached",
        arguments: TransportUnderTest.allCases)
    func serverGone(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.enqueue(.text("body", headers: ["Cache-Control": "max-age=0, stale-if-error=60"]))
        let session = transport.session(.init(cache: HTTPCache()))
        let url = server.url("/x")
        _ = try await session.request(url).serializing(String.self).value
        await server.stop()
        let response = await session.request(url).serializing(String.self).response
        #expect(response.value == "body" && response.metrics.cacheOutcome == .stale)
        await session.finish()
    }

    @Test(
        "A stale response with stale-if-error is served in place of a timeout",
        arguments: TransportUnderTest.allCases)
    func timeout(_ transport: TransportUnderTest) async throws {
        let stored = MockResponse.text("stored", headers: ["Cache-Control": "max-age=0, stale-if-error=60"])
        try await withServer(stored, stored.delayed(by: .seconds(1000))) { (server: MockServer) async throws in
            let session = transport.session(.init(cache: HTTPCache()))
            _ = try await session.request(server.url()).serializing(String.self).value
            let options = RequestOptions(timeout: .milliseconds(100))
            let response = await session.request(server.url(), options: options).serializing(String.self).response
            #expect(response.value == "stored" && response.metrics.cacheOutcome == .stale)
        }
    }

    @Test("300 concurrent requests over a disk cache, some of them cancelled, get whole bodies")
    func storm() async throws {
        let server = try await MockServer.start()
        for number in 0..<10 {
            server.on(.get, "/\(number)") { _ in
                .text(
                    String(repeating: "\(number)", count: 20_000 + number),
                    headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"\(number)\""])
            }
        }
        let session = TransportUnderTest.libcurl.session(.init(cache: try HTTPCache(directory: folder.url)))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let number = index % 10
                    let request = session.request(server.url("/\(number)"))
                    if index % 7 == 0 {
                        async let result = request.serializing(String.self).result
                        await request.cancel()
                        _ = await result
                        return
                    }
                    let response = await request.serializing(String.self).response
                    #expect(response.value == String(repeating: "\(number)", count: 20_000 + number))
                }
            }
        }
        await session.finish()
        #expect(session.environment.transfers.isEmpty)
        await server.stop()
    }
}
