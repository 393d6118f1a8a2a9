import AsyncNet
import AsyncNetTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What the samples of the documents use and do not declare.

public struct User: Codable, Equatable, Sendable {
    public var id: Int
    public var name: String
    public init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}
public struct NewUser: Codable, Sendable {
    public var name: String
    public init(name: String) { self.name = name }
}
public struct Item: Codable, Sendable { public var id: Int }
public struct Product: Codable, Sendable { public var id: Int }
public struct Repo: Codable, Sendable { public var id: Int }
public struct Feed: Codable, Sendable {
    public var next: URL?
    public var cursor: String?
}
public struct Hits: Codable, Sendable { public var cursor: String? }
public struct Receipt: Codable, Sendable { public var id: Int }
public struct Report: Codable, Sendable { public var id: Int }
public struct Price: Codable, Sendable { public var value: Double }
/// A request to a language model, and a piece of its answer.
public let prompt = ["prompt": "a"]
public struct Chunk: Codable, Sendable { public var text: String }

public let session = Session()
public let api = Session(baseURL: "https://api.example.com/v1/")
/// A service that a service calls.
public let upstream = Session()
public let url = URL(filePath: "/")
public let server: MockServer = { fatalError() }()
public let request: DataRequest = session.request(url)
public let download: DownloadRequest = session.download(url, to: .file(url))
public let stub = StubTransport { _ in .json(["id": 1]) }
public let token = "token"
public let (user, password) = ("u", "p")

public let bytes = Data()
public let chunks = AsyncStream<Data> { $0.finish() }
public let (fileURL, target, downloads, folder) = (url, url, url, url)
public let headers: HTTPHeaders = [:]
public let published = String(repeating: "0", count: 64)
public let (pem, certificate, key, name) = ("", "", "", "Ada")
public let json = Data("{}".utf8)
public let encoder = JSONEncoder()
public let filter = ["year": 2026]
public let credentials = ["name": "Ada"]

public struct Signing: RequestAdapter {
    public init(key: String) {}
    public func adapt(_ request: URLRequest, context: RequestContext) async throws -> URLRequest { request }
}
public struct OAuthToken: RefreshableCredential, Codable {
    public var access: String
    public var refresh: String
}
public struct OAuth: Authenticator {
    public init() {}
    public func apply(_ token: OAuthToken, to request: inout URLRequest) {}
    public func refresh(_ token: OAuthToken) async throws -> OAuthToken { token }
}
public let oauthToken = OAuthToken(access: "", refresh: "")

public struct MySerializer: ResponseSerializer {
    public init() {}
    public func serialize(_ response: RawResponse) async throws -> Int { response.data.count }
}
public let (one, other) = (MySerializer(), MySerializer())

public struct MyResolver: Resolver {
    public init() {}
    public func addresses(of name: String) async throws -> [ResolvedAddress] { [ResolvedAddress("192.0.2.1")] }
}

public struct MyTransport: Transport {
    public init() {}
    public func send(_ request: TransportRequest) async throws -> TransportResponse { throw AsyncNetError(.cancelled) }
}

public func show(_ products: [Product]) {}
public func search(_ cursor: String) throws -> URLRequest { first }
public let first = URLRequest(url: url)
public let product = Product(id: 1)
public let entityTag = "\"1\""

public struct UserService: Sendable {
    public let session: Session
    public init(session: Session) { self.session = session }
    public func user(_ id: Int) async throws -> User {
        try await session.request("https://api.example.com/users/\(id)").validate().serializing(User.self).value
    }
}
public let service = UserService(session: session)
public actor LastID {
    public private(set) var value = 0
    public init() {}
    public func note(_ message: WebSocketMessage) { value += 1 }
}
