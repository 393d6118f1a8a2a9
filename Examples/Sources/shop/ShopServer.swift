import AsyncNet
import AsyncNetTestSupport
import Foundation

/// The shop's server on loopback.
struct ShopServer: Sendable {
    let server: MockServer
    let backend = ShopBackend()

    static func start() async throws -> ShopServer {
        let shop = ShopServer(server: try await MockServer.start())
        shop.addRoutes()
        return shop
    }

    var url: URL { server.url("/v1/") }

    func stop() async { await server.stop() }

    private func addRoutes() {
        server.on(.post, "/v1/oauth/token", backend.tokens)
        add(.get, "/v1/products", backend.products)
        add(.get, "/v1/products/:id", backend.product)
        add(.post, "/v1/orders", backend.order)
        add(.get, "/v1/orders/:id/steps", backend.steps)
        add(.post, "/v1/photos", backend.photo)
        add(.get, "/v1/reports", backend.report)
    }

    /// A route for requests with the token that is valid now.
    private func add(_ method: HTTPMethod, _ path: String, _ handler: @escaping Routes.Handler) {
        server.on(method, path) { [backend] request in
            guard backend.accepts(request) else { return .problem(401, "Log in first") }
            return try await handler(request)
        }
    }
}

extension MockResponse {
    /// A problem as RFC 9457 has it.
    static func problem(_ status: Int, _ title: String, detail: String? = nil) -> MockResponse {
        let problem = ProblemDetails(title: title, status: status, detail: detail)
        return .json(problem, status: status, headers: [.contentType("application/problem+json")])
    }

    /// A value as the shop writes it.
    static func shop(_ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return .json(value, encoder: encoder, status: status, headers: headers)
    }
}
