import AsyncHTTPClient
import AsyncNet
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The document that every client fetches and decodes: about 1 KB of JSON.
struct Document: Codable, Sendable {
    struct Item: Codable, Sendable {
        var id: Int
        var name: String
        var price: Double
        var tags: [String]
        var available: Bool
    }

    var page: Int
    var title: String
    var items: [Item]

    static let sample = Document(
        page: 1, title: "Autumn catalogue",
        items: (1...9).map {
            Item(
                id: $0 * 1_000_003, name: "Item number \($0) of the list", price: Double($0) * 12.25,
                tags: ["red", "large", "tag-\($0)"], available: $0 % 2 == 0)
        })
}

/// One way to fetch and decode.
protocol Client: Sendable {
    var name: String { get }
    func fetch(_ url: URL) async throws -> Document
    func shutdown() async throws
}

struct AsyncNetClient: Client {
    let name: String
    let session: Session

    static var libcurl: AsyncNetClient {
        AsyncNetClient(name: "AsyncNet/libcurl", session: Session(transport: .libcurl()))
    }
    static var urlSession: AsyncNetClient {
        AsyncNetClient(name: "AsyncNet/URLSession", session: Session(transport: .urlSession))
    }

    func fetch(_ url: URL) async throws -> Document {
        try await session.request(url).serializing(Document.self).value
    }

    func shutdown() async throws { await session.finish() }
}

struct URLSessionClient: Client {
    let name = "URLSession"
    let session: URLSession

    init(connectionsPerHost: Int? = nil) {
        let configuration = URLSessionConfiguration.default
        if let connectionsPerHost { configuration.httpMaximumConnectionsPerHost = connectionsPerHost }
        session = URLSession(configuration: configuration)
    }

    func fetch(_ url: URL) async throws -> Document {
        let (data, _) = try await session.data(for: URLRequest(url: url))
        return try JSONDecoder().decode(Document.self, from: data)
    }

    func shutdown() async throws { session.finishTasksAndInvalidate() }
}

struct AsyncHTTPClientClient: Client {
    let name = "AsyncHTTPClient"
    let client = HTTPClient(eventLoopGroupProvider: .singleton)

    func fetch(_ url: URL) async throws -> Document {
        let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 20)
        return try JSONDecoder().decode(Document.self, from: Data(body.readableBytesView))
    }

    func shutdown() async throws { try await client.shutdown() }
}
