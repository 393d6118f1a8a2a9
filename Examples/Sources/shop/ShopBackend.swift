import AsyncNet
import AsyncNetTestSupport
import Foundation
import Synchronization

/// What the shop has and knows: products, orders, and which token is valid.
final class ShopBackend: Sendable {
    private struct State {
        var products = (1...7).map {
            Product(
                id: $0, name: "Tea \($0)", priceInCents: 100 * $0, addedAt: Date(timeIntervalSince1970: 1_700_000_000))
        }
        var orders: [String: Order] = [:]
        var validTokens = 0
        var refreshes = 0
        var failures = 0
    }

    private let state = Mutex(State())

    var refreshes: Int { state.withLock { $0.refreshes } }
    var orders: Int { state.withLock { $0.orders.count } }

    /// The tokens that were given out are not accepted any more.
    func expireTokens() { state.withLock { $0.validTokens += 1 } }

    /// The next requests for orders are refused with 503.
    func fail(next count: Int) { state.withLock { $0.failures = count } }

    func accepts(_ request: RecordedRequest) -> Bool {
        request.headers["Authorization"] == state.withLock { "Bearer access-\($0.validTokens)" }
    }
}

/// Responses.
extension ShopBackend {
    @Sendable func tokens(for request: RecordedRequest) -> MockResponse {
        let form = fields(request.text)
        return state.withLock { state in
            switch form["grant_type"] {
            case "password" where form["password"] == "secret": break
            case "refresh_token" where form["refresh_token"]?.hasPrefix("refresh-") == true: state.refreshes += 1
            default: return .problem(400, "Wrong password")
            }
            let (access, refresh) = ("access-\(state.validTokens)", "refresh-\(state.validTokens)")
            return .json(["access_token": JSON(access), "refresh_token": JSON(refresh)])
        }
    }

    /// Three products for each page.
    @Sendable func products(_ request: RecordedRequest) -> MockResponse {
        let page = Int(fields(request.query ?? "")["page"] ?? "1") ?? 1
        let all = state.withLock { $0.products }
        let rest = all.dropFirst((page - 1) * 3)
        let link: HTTPHeaders = rest.count > 3 ? ["Link": "</v1/products?page=\(page + 1)>; rel=\"next\""] : [:]
        return .shop(Array(rest.prefix(3)), headers: link)
    }

    @Sendable func product(_ request: RecordedRequest) -> MockResponse {
        let id = request.parameters["id"].flatMap(Int.init)
        guard let product = state.withLock({ $0.products.first { $0.id == id } }) else {
            return .problem(404, "No such product", detail: "There is no product \(id ?? 0)")
        }
        return .shop(product)
    }

    /// The same key gives the same order.
    @Sendable func order(_ request: RecordedRequest) throws -> MockResponse {
        let (key, new) = (request.headers["Idempotency-Key"] ?? "", try request.json)
        return state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                return .status(503, headers: ["Retry-After": "0"])
            }
            guard let product = new.product_id.int, let quantity = new.quantity.int, quantity > 0 else {
                return .problem(422, "Not an order", detail: "The quantity must be greater than zero")
            }
            let order =
                state.orders[key]
                ?? Order(
                    id: state.orders.count + 1, productID: product, quantity: quantity,
                    placedAt: Date(timeIntervalSince1970: 1_700_000_000))
            state.orders[key] = order
            return .shop(order, status: 201)
        }
    }

    /// A step for each connection, to show that the stream goes on; 204 after the last one.
    @Sendable func steps(_ request: RecordedRequest) -> MockResponse {
        let last = Int(request.headers["Last-Event-ID"] ?? "0") ?? 0
        let states = ["packed", "shipped", "delivered"]
        guard last < states.count else { return .status(204) }
        let data = #"{"state": "\#(states[last])", "at": "2026-11-23T10:0\#(last):00Z"}"#
        return .chunked(
            ["retry: 1\nid: \(last + 1)\n", "data: \(data)\n\n"], headers: [.contentType("text/event-stream")])
    }

    @Sendable func photo(_ request: RecordedRequest) -> MockResponse {
        let isForm = request.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true
        guard isForm else { return .problem(415, "Not a form") }
        return .shop(Photo(productID: 1, bytes: request.body.count), status: 201)
    }

    @Sendable func report(_ request: RecordedRequest) -> MockResponse {
        let year = fields(request.query ?? "")["year"] ?? ""
        guard year == "2026" else { return .problem(404, "No such report", detail: "There is no report of \(year)") }
        return .text("product,sold\n1,3\n")
    }

    private func fields(_ text: String) -> [String: String] {
        let items = URLComponents(string: "?\(text)")?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }
}
