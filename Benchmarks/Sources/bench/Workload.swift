import ArgumentParser
import Foundation

/// How a request reaches nginx.
enum Path: String, CaseIterable, ExpressibleByArgument {
    case plain, tls, http2

    var server: Nginx.Server {
        switch self {
        case .plain: .plain
        case .tls: .tls
        case .http2: .http2
        }
    }
}

/// What each request of a measurement does.
enum Workload: String, CaseIterable, ExpressibleByArgument {
    /// GET of 1 KB of JSON, decoded.
    case decode
    /// GET of 1 KB, kept as bytes.
    case bytes
    /// GET of 260 KB, kept as bytes.
    case large
    /// POST of 1 KB; the response is empty.
    case post
    /// POST of 100 KB; the response is empty.
    case largePost = "large-post"
    /// GET of 1 KB over TLS, each on a connection of its own.
    case cold

    /// The files that nginx serves.
    static func files() throws -> [String: Data] {
        ["document.json": try JSONEncoder().encode(Document.sample), "large": Data(repeating: 0x61, count: 260_000)]
    }

    func exchange(with nginx: Nginx, over path: Path) -> Exchange {
        let server = self == .cold ? .cold : path.server
        func body(_ count: Int) -> Data { Data(repeating: 0x61, count: count) }
        return switch self {
        case .decode: Exchange(url: nginx.url("document.json", server))
        case .bytes, .cold: Exchange(url: nginx.url("document.json", server), isDecoded: false)
        case .large: Exchange(url: nginx.url("large", server), isDecoded: false)
        case .post: Exchange(url: nginx.url("sink", server), body: body(1000), isDecoded: false)
        case .largePost: Exchange(url: nginx.url("sink", server), body: body(100_000), isDecoded: false)
        }
    }

    /// Whether the C program makes the same requests.
    var hasFloor: Bool { self == .decode || self == .bytes || self == .large }
}
