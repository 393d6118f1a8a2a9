import AsyncNetTesting
import Foundation

@testable import AsyncNet

/// A server that counts its requests, over a cache whose time a clock moves.
struct CachedSite {
    let clock = TestClock()
    let cache: HTTPCache
    let stub: StubTransport
    let session: Session

    init(
        cache: HTTPCache = HTTPCache(), configuration: SessionConfiguration = .init(),
        _ handler: @escaping StubTransport.Handler
    ) {
        (self.cache, stub) = (cache, StubTransport(handler))
        var configuration = configuration
        (configuration.cache, configuration.clock) = (cache, clock)
        session = Session(transport: stub, configuration: configuration)
    }

    func get(
        _ url: String = "http://a/", mode: CacheMode? = nil, method: HTTPMethod = .get, headers: HTTPHeaders = [:]
    ) async -> DataResponse<String, AsyncNetError> {
        await session.request(url, method: method, headers: headers, options: RequestOptions(cacheMode: mode))
            .serializing(String.self).response
    }
}

extension DataResponse<String, AsyncNetError> {
    /// The cache's outcome and the body: `hit 1`.
    var summary: String {
        "\(metrics.cacheOutcome?.rawValue ?? "none") \(error.map { "\($0.code)" } ?? value ?? "")"
    }
}

/// Counts the requests in each body: `1`, `2`, and so on.
func counting(_ headers: HTTPHeaders, status: Int = 200) -> StubTransport.Handler {
    let count = Counter()
    return { _ in .text("\(count.next())", status: status, headers: headers) }
}
