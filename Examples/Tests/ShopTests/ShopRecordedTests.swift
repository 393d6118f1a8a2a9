import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

@testable import shop

/// The client against what the server answered once, in the folder fixtures. Without a file, or with `ASYNCNET_RECORD=all`, the
/// tests record it anew. A replay needs no server and no network, whatever the date is.
@Suite("Shop, recorded", .timeLimit(.minutes(1)))
struct ShopRecordedTests {
    /// Runs a test with a client that has logged in. Only a recording needs the server.
    private func withShop(_ name: String, _ body: (ShopClient) async throws -> Void) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "fixtures/\(name).har")
        let isRecording =
            ProcessInfo.processInfo.environment["ASYNCNET_RECORD"] == "all"
            || !FileManager.default.fileExists(atPath: file.path)
        let server = isRecording ? try await ShopServer.start() : nil
        // The port of a test's server is not part of a recording.
        let client = ShopClient(baseURL: try server?.url ?? "http://127.0.0.1/v1/".asURL())
        try await client.logIn(username: "ada", password: "secret")
        try await body(client)
        await server?.stop()
    }

    @Test("Pages, an order and its steps", .recordedNetwork("fixtures/order.har", unused: .fail))
    func order() async throws {
        try await withShop("order") { client in
            var sizes: [Int] = []
            for try await page in client.products { sizes.append(page.count) }
            #expect(sizes == [3, 3, 1])
            let order = try await client.place(NewOrder(productID: 2, quantity: 3))
            #expect(order.productID == 2 && order.quantity == 3)
            var states: [OrderStep.State] = []
            for try await step in client.steps(of: order.id) { states.append(step.state) }
            #expect(states == [.packed, .shipped, .delivered])
        }
    }

    @Test("A refused order says why", .recordedNetwork("fixtures/refused.har", unused: .fail))
    func refused() async throws {
        try await withShop("refused") { client in
            let error = await #expect(throws: AsyncNetError.self) {
                try await client.place(NewOrder(productID: 1, quantity: 0))
            }
            #expect(error?.code == .unacceptableStatus)
            #expect((error?.underlyingError as? ProblemDetails)?.title == "Not an order")
        }
    }
}

/// The client against a network that the test's trait makes; the client makes its session itself.
@Suite("Shop, by a trait", .timeLimit(.minutes(1)))
struct ShopTraitTests {
    @Test(
        "A product has its price",
        .stubbedNetwork { request in
            .json(["id": 1, "name": "Tea", "price_in_cents": 100, "added_at": "2026-11-23T10:00:00Z"])
        })
    func product() async throws {
        let client = ShopClient(baseURL: try "http://shop.test/".asURL())
        await client.setTokens(Tokens(accessToken: "a", refreshToken: "r"))
        #expect(try await client.product(1).priceInCents == 100)
    }
}
