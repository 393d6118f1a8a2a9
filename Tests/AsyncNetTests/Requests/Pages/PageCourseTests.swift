import Foundation
import Testing

@testable import AsyncNet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a server's links may lead, and what goes there.
@Suite("Targets of pages", .timeLimit(.minutes(5)))
struct PageCourseTests {
    private struct Secrets: RequestAdapter {
        func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest {
            var request = request
            request.setValue("Bearer adapter", forHTTPHeaderField: "Authorization")
            request.setValue("secret", forHTTPHeaderField: "X-Secret")
            return request
        }
    }

    private static let secrets: HTTPHeaders = [
        "Authorization": "caller", "Cookie": "caller", "X-API-Key": "caller", "X-Secret": "caller", "X-Open": "caller",
    ]

    /// The first page at `https://a/`, with a link to `target`.
    private func transport(_ target: String) -> PageTransport {
        PageTransport { request in
            let isFirst = request.head.url.absoluteString == "https://a/"
            return (200, isFirst ? ["Link": "<\(target)>; rel=next"] : [:], "1")
        }
    }

    private func load(_ pages: Pages<Int>) async -> AsyncNetError? {
        do throws(AsyncNetError) {
            for try await _ in pages {}
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A page at another origin is requested without secrets of caller, session and adapters",
        arguments: [
            ("https://b/", false), ("https://a:444/", false), ("https://sub.a/", false), ("//u:p@b/x", false),
            ("https://a/2", true), ("https://A:443/2", true), ("/2", true),
        ])
    func origins(_ target: String, _ isSame: Bool) async throws {
        let transport = transport(target)
        let configuration = SessionConfiguration(
            headers: ["Proxy-Authorization": "session"], interceptors: [Secrets()],
            redirects: .follow(allowingInsecure: false, confidentialHeaders: ["X-Secret"]))
        let options = RequestOptions(
            interceptors: [Secrets()], credential: PasswordCredential(username: "u", password: "p"))
        let pages = Session(transport: transport, configuration: configuration).pages(
            Int.self, from: "https://a/", headers: Self.secrets, options: options)
        #expect(await load(pages) == nil)
        let next = try #require(transport.requests.last)
        #expect(transport.requests.count == 2 && next.head.headers["X-Open"] == "caller")
        let names = ["Authorization", "Cookie", "X-API-Key", "X-Secret", "Proxy-Authorization"]
        #expect(names.allSatisfy { next.head.headers.contains(name: $0) == isSame }, "\(next.head.headers)")
        #expect(!next.head.url.absoluteString.contains("@"))
    }

    @Test("Only the first page's origin gets a credential after a 401", arguments: [("https://b/", 1), ("/2", 2)])
    func credentials(_ target: String, _ authorized: Int) async throws {
        let transport = PageTransport { request in
            guard request.head.headers.contains(name: "Authorization") else {
                return (401, ["WWW-Authenticate": "Basic realm=r"], "")
            }
            return (200, request.head.url.path.count < 2 ? ["Link": "<\(target)>; rel=next"] : [:], "1")
        }
        for (url, options) in [
            ("https://a/", RequestOptions(credential: PasswordCredential(username: "u", password: "p"))),
            ("https://u:p@a/", RequestOptions()),
        ] {
            let error = await load(Session(transport: transport).pages(Int.self, from: url, options: options))
            #expect(error?.code == (authorized == 1 ? .unacceptableStatus : nil))
        }
        let sent = transport.requests.filter { $0.head.headers.contains(name: "Authorization") }
        #expect(sent.allSatisfy { $0.head.url.host == "a" } && sent.count == 2 * authorized)
    }

    @Test("Headers of a closure's own request are sent to any origin, the caller's secrets are not")
    func ownHeaders() async throws {
        let transport = transport("unused")
        let session = Session(
            transport: transport, configuration: .init(headers: ["X-API-Key": "session"], interceptors: [Secrets()]))
        let pages = session.pages(
            Int.self, from: "https://a/", headers: Self.secrets,
            next: .request { _, head in
                guard head.url.host == "a" else { return nil }
                var request = URLRequest(url: try "https://b/".asURL())
                request.setValue("own", forHTTPHeaderField: "Authorization")
                return request
            })
        #expect(await load(pages) == nil)
        let next = try #require(transport.requests.last)
        #expect(next.head.headers["Authorization"] == "own" && !next.head.headers.contains(name: "X-API-Key"))
    }

    @Test(
        "A next page that was requested before, is not HTTP, or is http after https throws .pagingFailed",
        arguments: [
            ("", "loop"), ("https://a/#part", "loop"), ("http://a/", "http"), ("mailto:a@b", "scheme"),
            ("file:///etc/passwd", "scheme"), ("https:///x", "host"),
        ])
    func refused(_ target: String, _ reason: String) async throws {
        let transport = transport(target)
        let error = await load(Session(transport: transport).pages(Int.self, from: "https://a/"))
        #expect(error?.code == .pagingFailed && error?.message.contains(reason) == true, "\(String(describing: error))")
        #expect(
            error?.request?.url?.absoluteString == "https://a/" && error?.description.contains("https://a/") == true)
        #expect(transport.requests.count == 1)
    }

    @Test("A link from https to http is followed if insecure redirects are allowed")
    func insecure() async throws {
        let transport = transport("http://a/2")
        let configuration = SessionConfiguration(redirects: .follow(allowingInsecure: true))
        let pages = Session(transport: transport, configuration: configuration).pages(
            Int.self, from: "https://a/", headers: Self.secrets)
        #expect(await load(pages) == nil)
        #expect(transport.urls == ["https://a/", "http://a/2"])
        #expect(transport.requests.last?.head.headers.contains(name: "Authorization") == false)
    }

    @Test("A link to an earlier page is a loop, even if that page was redirected", arguments: [false, true])
    func loops(_ isRedirected: Bool) async throws {
        let transport = PageTransport { request in
            switch request.head.url.path {
            case "/1" where isRedirected: (302, ["Location": "/moved"], "")
            case "/1", "/moved": (200, ["Link": "</2>; rel=next"], "1")
            default: (200, ["Link": "<\(isRedirected ? "/moved" : "/1")>; rel=next"], "1")
            }
        }
        var iterator = Session(transport: transport).pages(Int.self, from: "https://a/1").makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        #expect(try await iterator.next() == 1)
        let error = await #expect(throws: AsyncNetError.self) { try await iterator.next() }
        #expect(error?.code == .pagingFailed && error?.message.contains("loop") == true)
        #expect(transport.urls.last == "https://a/2")
    }

    @Test("A Link header whose anchor is another URL is not followed")
    func contexts() async throws {
        let transport = PageTransport { _ in (200, ["Link": "</x>; rel=next; anchor=\"/other\""], "1") }
        #expect(await load(Session(transport: transport).pages(Int.self, from: "https://a/")) == nil)
        #expect(transport.requests.count == 1)
    }

    @Test("Equal requests of a closure are a loop, and different requests to the same URL are not")
    func requests() async throws {
        func pages(_ body: @escaping @Sendable (Int) -> String) -> Pages<Int> {
            let count = Counter()
            let transport = PageTransport { _ in
                count.add()
                return (200, [:], "\(count.value)")
            }
            return Session(transport: transport).pages(
                Int.self, from: "https://a/",
                next: .request { page, _ in
                    guard page < 4 else { return nil }
                    var request = URLRequest(url: try "https://a/".asURL())
                    request.httpMethod = "POST"
                    request.httpBody = Data(body(page).utf8)
                    return request
                })
        }
        #expect(await load(pages { "\($0)" }) == nil)
        #expect(await load(pages { _ in "same" })?.code == .pagingFailed)
    }

    struct Failure: Error {}

    @Test("An error of a closure is the underlying error of pagingFailed, and so is a malformed URL")
    func closureErrors() async throws {
        let session = Session(transport: transport("unused"))
        let thrown = await load(session.pages(Int.self, from: "https://a/", next: .url { _, _ in throw Failure() }))
        #expect(thrown?.code == .pagingFailed && thrown?.underlyingError is Failure)
        let malformed = await load(session.pages(Int.self, from: "https://a/", next: .url { _, _ in "http://[" }))
        #expect(malformed?.code == .pagingFailed)
    }
}
