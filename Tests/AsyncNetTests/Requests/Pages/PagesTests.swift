import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Pages", .timeLimit(.minutes(5)))
struct PagesTests {
    /// Pages 1 to `count` of one number each, with links by query.
    private static func list(_ count: Int) -> PageTransport {
        PageTransport { request in
            let page = Int(request.head.url.query?.split(separator: "=").last ?? "1") ?? 1
            let next = page < count ? "<?page=\(page + 1)>; rel=\"next\", " : ""
            return (200, ["Link": "\(next)<?page=1>; rel=\"first\""], "[\(page)]")
        }
    }

    private func collect<Page>(_ pages: Pages<Page>) async throws -> [Page] {
        var found: [Page] = []
        for try await page in pages { found.append(page) }
        return found
    }

    private func code<Page>(_ pages: Pages<Page>, after count: Int) async -> AsyncNetError.Code? {
        var iterator = pages.makeAsyncIterator()
        do throws(AsyncNetError) {
            for _ in 0..<count {
                let page = try await iterator.next()
                if page == nil { Issue.record("there are fewer than \(count) pages") }
            }
            _ = try await iterator.next()
            return nil
        } catch {
            return await isOver(&iterator) ? error.code : nil
        }
    }

    /// Whether there are no pages after an error.
    private func isOver<Page>(_ iterator: inout Pages<Page>.Iterator) async -> Bool {
        do throws(AsyncNetError) { return try await iterator.next() == nil } catch { return false }
    }

    @Test("The next link of each page is followed, relative to the page, with the first request's headers")
    func follows() async throws {
        let transport = Self.list(3)
        let session = Session(baseURL: "https://a/v1/", transport: transport)
        let pages = session.pages([Int].self, from: "products", headers: ["X-Trace": "1", "Authorization": "s"])
        #expect(try await collect(pages) == [[1], [2], [3]])
        let base = "https://a/v1/products"
        #expect(transport.urls == [base, "\(base)?page=2", "\(base)?page=3"])
        #expect(
            transport.requests.allSatisfy {
                $0.head.headers["X-Trace"] == "1" && $0.head.headers["Authorization"] == "s" && $0.head.method == .get
            })
        #expect(try await collect(pages).count == 3, "another loop begins with the first page")
    }

    @Test("A page is requested when the loop asks for it")
    func lazy() async throws {
        let transport = Self.list(5)
        let pages = Session(transport: transport).pages([Int].self, from: "http://a/")
        #expect(transport.requests.isEmpty)
        var seen = 0
        for try await page in pages {
            seen += 1
            #expect(transport.requests.count == seen)
            if page == [2] { break }
        }
        #expect(transport.requests.count == 2)
        seen = 0
        for try await _ in pages.prefix(3) { seen += 1 }
        #expect(seen == 3 && transport.requests.count == 5)
    }

    @Test("The first page may have parameters or a body, and later pages are GETs without a body")
    func first() async throws {
        let transport = PageTransport { request in
            (200, request.head.url.query?.contains("p=2") == true ? [:] : ["Link": "</b?p=2>; rel=next"], "1")
        }
        let session = Session(transport: transport)
        let pages = session.pages(Int.self, from: "http://a/b", parameters: ["q": "x y"])
        #expect(try await collect(pages) == [1, 1])
        #expect(transport.urls == ["http://a/b?q=x%20y", "http://a/b?p=2"])
        var request = URLRequest(url: try "http://a/b".asURL())
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("1", forHTTPHeaderField: "X-Trace")
        #expect(try await collect(session.pages(Int.self, from: request)) == [1, 1])
        let next = try #require(transport.requests.last)
        #expect(next.head.method == .get && next.body.isNone && next.head.headers["X-Trace"] == "1")
        #expect(!next.head.headers.contains(name: "Content-Type"))
    }

    struct Feed: Codable, Sendable {
        var items: [Int]
        var next: String?
        var cursor: Int?
    }

    @Test("A closure gives the next URL or request from the decoded page")
    func closures() async throws {
        let transport = PageTransport { request in
            let sent = request.body.data.flatMap { try? JSONDecoder().decode(Feed.self, from: $0).cursor }
            let cursor = sent ?? request.head.url.query.flatMap { Int($0.dropFirst(6)) } ?? 0
            let rest = cursor < 2 ? ",\"next\":\"feed?after=\(cursor + 1)\",\"cursor\":\(cursor + 1)" : ""
            return (200, ["X-Page": "\(cursor)"], "{\"items\":[\(cursor)]\(rest)}")
        }
        let session = Session(baseURL: "http://a/v1/", transport: transport)
        let byURL = session.pages(Feed.self, from: "feed", next: .url { page, _ in page.next })
        #expect(try await collect(byURL).flatMap(\.items) == [0, 1, 2])
        let byHead = session.pages(
            Feed.self, from: "feed",
            next: .url { page, head in
                page.cursor.map { _ in "feed?after=\((Int(head.headers["X-Page"] ?? "") ?? 0) + 1)" }
            }
        )
        #expect(try await collect(byHead).flatMap(\.items) == [0, 1, 2])
        let byRequest = session.pages(
            Feed.self, from: "feed",
            next: .request { page, _ in
                guard let cursor = page.cursor else { return nil }
                var request = URLRequest(url: try "search".asURL())
                request.httpMethod = "POST"
                request.httpBody = Data("{\"items\":[],\"cursor\":\(cursor)}".utf8)
                return request
            })
        #expect(try await collect(byRequest).flatMap(\.items) == [0, 1, 2])
        #expect(transport.urls.suffix(2) == ["http://a/v1/search", "http://a/v1/search"])
        let previous = session.pages(Feed.self, from: "feed", next: .linked(relation: "prev"))
        #expect(try await collect(previous).count == 1)
    }

    @Test("Each page is decoded by the decoder given, and its request adapted by the options' interceptors")
    func options() async throws {
        struct Row: Decodable, Sendable { var firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let transport = PageTransport { request in
            (200, request.head.url.query == nil ? ["Link": "<?2>; rel=next"] : [:], #"{"first_name":"Ada"}"#)
        }
        let adapter = Adapter { request, _ in
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Adapted")
            return request
        }
        let pages = Session(transport: transport).pages(
            Row.self, from: "http://a/", options: RequestOptions(interceptors: [adapter]), decoder: decoder)
        #expect(try await collect(pages).map(\.firstName) == ["Ada", "Ada"])
        #expect(transport.requests.allSatisfy { $0.head.headers["X-Adapted"] == "1" })
    }

    @Test("Each page is retried by the session's policies")
    func retries() async throws {
        let stub = StubTransport { request in
            .json("[1]", headers: request.target == "/?2" ? [:] : ["Link": "<?2>; rel=next"])
        }
        let failing = FailingOnce(stub)
        let configuration = SessionConfiguration(
            interceptors: [RetryPolicy(limit: 1, backoff: Backoff(scale: .zero))], retryBudget: nil)
        let pages = Session(transport: failing, configuration: configuration).pages([Int].self, from: "http://a/")
        #expect(try await collect(pages) == [[1], [1]])
        #expect(stub.requests.map(\.target) == ["/", "/?2"] && failing.failures == 2)
    }

    /// Loses the connection of the first attempt of each URL.
    private final class FailingOnce: Transport {
        private let base: StubTransport
        private let failed = Locked<Set<URL>>([])

        init(_ base: StubTransport) { self.base = base }

        var failures: Int { failed.withLock { $0.count } }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard !failed.withLock({ $0.insert(request.head.url).inserted }) else {
                throw AsyncNetError(.connectionLost)
            }
            return try await base.send(request)
        }
    }

    @Test("A page with an unacceptable status or type, or that cannot be decoded, is an error")
    func refused() async throws {
        func pages(_ status: Int, _ headers: HTTPHeaders, _ body: String) -> Pages<[Int]> {
            let transport = PageTransport { request in
                request.head.url.query == nil ? (200, ["Link": "<?2>; rel=next"], "[1]") : (status, headers, body)
            }
            return Session(transport: transport).pages([Int].self, from: "http://a/")
        }
        #expect(await code(pages(404, [:], "[]"), after: 1) == .unacceptableStatus)
        #expect(await code(pages(500, [:], "{}"), after: 1) == .unacceptableStatus)
        #expect(await code(pages(304, [:], ""), after: 1) == .unacceptableStatus)
        #expect(await code(pages(200, [:], "{}"), after: 1) == .decodingFailed)
        #expect(await code(pages(204, [:], ""), after: 1) == .emptyBody)
        let typed = Session(transport: PageTransport { _ in (200, ["Content-Type": "text/html"], "[]") })
        #expect(
            await code(typed.pages([Int].self, from: "http://a/", headers: ["Accept": "application/json"]), after: 0)
                == .unacceptableContentType)
        #expect(await code(typed.pages([Int].self, from: "nonsense"), after: 0) == .malformedURL)
    }

    @Test("Cancelling the task that waits for a page cancels its request")
    func cancelled() async throws {
        let (started, ended) = (Gate(), Gate())
        let transport = PageTransport { request in
            guard request.head.url.query != nil else { return (200, ["Link": "<?2>; rel=next"], "[1]") }
            started.open()
            await Gate().wait()
            ended.open()
            throw CancellationError()
        }
        let pages = Session(transport: transport).pages([Int].self, from: "http://a/")
        let task = Task { try await collect(pages) }
        await started.wait()
        task.cancel()
        await #expect { try await task.value } throws: { ($0 as? AsyncNetError)?.code == .cancelled }
        await ended.wait()
    }

    @Test("Descriptions of pages and of their iterator contain no secrets")
    func secrets() async throws {
        let pages = Session(transport: Self.list(3)).pages(
            [Int].self, from: "http://u:secret@a/?secret=1", headers: ["Authorization": "secret"],
            options: RequestOptions(credential: PasswordCredential(username: "u", password: "secret")))
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next() == [1])
        var shown = "\(pages) \(iterator)"
        dump(pages, to: &shown)
        dump(iterator, to: &shown)
        #expect(!shown.contains("secret"), "\(shown)")
    }

    @Test("Pages are followed over each transport", arguments: TransportUnderTest.allCases)
    func sockets(_ transport: TransportUnderTest) async throws {
        let server = try await MockServer.start()
        await server.route("/*") { request in
            let page = request.query.flatMap { Int($0.dropFirst(5)) } ?? 1
            return .json("[\(page)]", headers: page < 4 ? ["Link": "<?page=\(page + 1)>; rel=next"] : [:])
        }
        #expect(
            try await collect(transport.session().pages([Int].self, from: server.url("/l"))) == [[1], [2], [3], [4]])
        await server.stop()
    }
}
