import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The samples of the articles PagesAndFields and ConditionalRequests.
@Suite("Samples of pages, fields and conditional requests", .timeLimit(.minutes(5)))
struct PagesAndFieldsTests {
    struct Product: Codable, Equatable, Sendable { var id = "1" }
    struct Feed: Decodable, Sendable {
        var next: String?
        var cursor: Int?
    }
    struct Hits: Decodable, Sendable { var cursor: Int? }
    struct Price: Decodable, Sendable { var price: Int }

    @Sendable private static func search(_ cursor: Int) throws -> URLRequest {
        URLRequest(url: try "search?cursor=\(cursor)".asURL())
    }

    @Test("The documented loops over pages follow Link headers, and URLs and requests that closures return")
    func pages() async throws {
        let stub = StubTransport { request in
            request.path == "/products"
                ? .json(#"[{"id":"1"}]"#, headers: request.query == "2" ? [:] : ["Link": "<products?2>; rel=\"next\""])
                : .json("{}")
        }
        let session = Session(baseURL: "http://a/", transport: stub)
        var count = 0
        for try await products in session.pages([Product].self, from: "products") { count += products.count }
        #expect(count == 2)
        for try await products in session.pages([Product].self, from: "products", parameters: ["sort": "name"]).prefix(
            10)
        {
            count += products.count
        }
        for try await _ in session.pages(Feed.self, from: "feed", next: .url { page, _ in page.next }) {}
        let cursors = session.pages(
            Feed.self, from: "feed", next: .url { page, _ in page.cursor.map { "feed?after=\($0)" } })
        for try await _ in cursors {}
        let first = try Self.search(0)
        let hits = session.pages(
            Hits.self, from: first, next: .request { page, _ in try page.cursor.map(Self.search) })
        for try await _ in hits { count += 1 }
        #expect(count == 5)

        let response = await session.get("products").serializing([Product].self).response
        let last = response.head?.links.first { $0.has(relation: "next") }?.target
        #expect(last?.absoluteString == "http://a/products?2")
    }

    @Test("A documented loop decodes server-sent events")
    func events() async throws {
        let stub = StubTransport { _ in
            .status(200, headers: ["Content-Type": "text/event-stream"], body: "event: price\ndata: {\"price\":1}\n\n")
        }
        let (session, url) = (Session(transport: stub), "http://a/")
        var count = 0
        for try await price in session.stream(url).serverSentEvents.decoding(Price.self) { count += price.price }
        let events = session.stream(url).serverSentEvents.filter { $0.event == "price" }
        for try await price in events.decoding(Price.self) { count += price.price }
        #expect(count == 2)
    }

    @Test("Documented path segments and URL templates are escaped in the target")
    func urls() async throws {
        let stub = StubTransport { .json(JSON(["target": .init($0.target)])) }
        let (session, name) = (Session(baseURL: "http://a/", transport: stub), "a/b")
        let user = try await session.get("users/\(segment: name)").serializing(JSON.self).value
        let template = URLTemplate("users/{name}/repos{?page,tags*}", ["name": name, "page": 2, "tags": ["a", "b"]])
        let repos = try await session.get(template).serializing(JSON.self).value
        #expect(user.target.string == "/users/a%2Fb")
        #expect(repos.target.string == "/users/a%2Fb/repos?page=2&tags=a&tags=b")
    }

    // MARK: Conditional requests

    struct Catalogue: Codable, Equatable, Sendable {
        var products: [Product]
        var entityTag: String?
        var lastModified: String?
    }

    private func catalogue(after known: Catalogue?, _ session: Session) async throws -> Catalogue {
        var headers: HTTPHeaders = [:]
        headers["If-None-Match"] = known?.entityTag
        headers["If-Modified-Since"] = known?.lastModified
        let response = await session.get("products", headers: headers)
            .validate(statusCode: [200, 304])
            .serializing([Product]?.self, emptyBodies: EmptyBodies(statusCodes: [304]))
            .response
        guard let products = try response.result.get() else {
            guard let known else { throw AsyncNetError(.badServerResponse) }
            return known
        }
        return Catalogue(
            products: products, entityTag: response.head?.value(for: "ETag"),
            lastModified: response.head?.value(for: "Last-Modified"))
    }

    @Test("A conditional request, as documented, keeps the known value after a 304", arguments: [true, false])
    func unchanged(_ hasTag: Bool) async throws {
        let date = "Mon, 23 Nov 2026 08:00:00 GMT"
        let server = try await MockServer.start()
        await server.route("/*") { request in
            let known =
                hasTag ? request.headers["If-None-Match"] == "W/\"1\"" : request.headers["If-Modified-Since"] == date
            return known
                ? .status(304)
                : .json(#"[{"id":"1"}]"#, headers: hasTag ? ["ETag": "W/\"1\""] : ["Last-Modified": date])
        }
        let session = Session(baseURL: server.url("/"))
        let first = try await catalogue(after: nil, session)
        #expect(first.products == [Product()] && (hasTag ? first.entityTag == "W/\"1\"" : first.lastModified == date))
        #expect(try await catalogue(after: first, session) == first)
        _ = try await server.takeRequest()
        #expect(try await server.takeRequest().headers["If-None-Match"] == (hasTag ? "W/\"1\"" : nil))
        await server.stop()
    }

    @Test("An update with If-Match, as documented, ends with unacceptableStatus after a 412")
    func refusedUpdate() async throws {
        let session = Session(
            baseURL: "http://a/",
            transport: StubTransport { request in
                .status(request.headers["If-Match"] == "\"2\"" ? 204 : 412)
            })
        let (product, entityTag) = (Product(), "\"1\"")
        let receipt = await session.put(
            "products/\(segment: product.id)", parameters: product, encoder: .json, headers: ["If-Match": entityTag]
        ).validate().serializing(NoContent.self).response
        #expect(receipt.statusCode == 412 && receipt.error?.code == .unacceptableStatus)
    }
}
