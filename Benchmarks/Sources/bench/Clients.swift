import AsyncHTTPClient
import AsyncNet
import AsyncNetLibcurl
import Foundation
import NIOSSL

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

/// One request and what is done with its response.
struct Exchange: Sendable {
    var url: URL
    /// Sent with POST; without a body the method is GET.
    var body: Data?
    /// Whether the response is decoded as a `Document`; otherwise its bytes are kept.
    var isDecoded = true
}

/// One way to make requests.
protocol Client: Sendable {
    var name: String { get }
    func perform(_ exchange: Exchange) async throws
    func shutdown() async throws
}

extension Client {
    /// Fetches and decodes the document.
    func fetch(_ url: URL) async throws { try await perform(Exchange(url: url)) }
}

struct AsyncNetClient: Client {
    let name: String
    let session: Session

    static var sockets: AsyncNetClient { sockets() }
    static var libcurl: AsyncNetClient { libcurl() }

    /// - Parameter certificate: The file of the only certificate that is trusted; `nil` trusts the system's.
    static func sockets(trusting certificate: URL? = nil) -> AsyncNetClient {
        AsyncNetClient(name: "AsyncNet", session: Session(transport: .sockets(tls: tls(certificate))))
    }

    static func libcurl(trusting certificate: URL? = nil) -> AsyncNetClient {
        AsyncNetClient(name: "AsyncNet/libcurl", session: Session(transport: .libcurl(tls: tls(certificate))))
    }

    private static func tls(_ certificate: URL?) -> AsyncNet.TLSConfiguration {
        certificate.map { .init(trust: .anchors(file: $0)) } ?? .init()
    }

    static var urlSession: AsyncNetClient {
        AsyncNetClient(name: "AsyncNet/URLSession", session: Session(transport: .urlSession))
    }

    func perform(_ exchange: Exchange) async throws {
        let request =
            exchange.body.map { session.upload(.data($0), to: exchange.url, method: .post) }
            ?? session.request(exchange.url)
        if exchange.isDecoded {
            _ = try await request.serializing(Document.self).value
        } else {
            _ = try await request.serializing(Data.self).value
        }
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

    func perform(_ exchange: Exchange) async throws {
        var request = URLRequest(url: exchange.url)
        if let body = exchange.body { (request.httpMethod, request.httpBody) = ("POST", body) }
        let (data, _) = try await session.data(for: request)
        if exchange.isDecoded { _ = try JSONDecoder().decode(Document.self, from: data) }
    }

    func shutdown() async throws { session.finishTasksAndInvalidate() }
}

struct AsyncHTTPClientClient: Client {
    static let clientName = "AsyncHTTPClient"

    let name = clientName
    let client: HTTPClient

    /// - Parameter certificate: The file of the only certificate that is trusted; `nil` trusts the system's.
    init(trusting certificate: URL? = nil) {
        var configuration = HTTPClient.Configuration()
        if let certificate {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .file(certificate.path)
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func perform(_ exchange: Exchange) async throws {
        var request = HTTPClientRequest(url: exchange.url.absoluteString)
        if let body = exchange.body { (request.method, request.body) = (.POST, .bytes(body)) }
        let response = try await client.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 24)
        let data = Data(body.readableBytesView)
        if exchange.isDecoded { _ = try JSONDecoder().decode(Document.self, from: data) }
    }

    func shutdown() async throws { try await client.shutdown() }
}
