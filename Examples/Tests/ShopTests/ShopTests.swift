import AsyncNet
import AsyncNetTesting
import Foundation
import Synchronization
import Testing

@testable import shop

/// The client against its server, over sockets.
@Suite("Shop", .timeLimit(.minutes(1)))
struct ShopTests {
    /// Runs a test with a client that has logged in, and its server.
    private func withShop(_ body: (ShopClient, ShopBackend) async throws -> Void) async throws {
        let server = try await ShopServer.start()
        let client = ShopClient(baseURL: server.url)
        try await client.logIn(username: "ada", password: "secret")
        try await body(client, server.backend)
        await server.stop()
    }

    @Test("A wrong password is a problem with the shop's words")
    func wrongPassword() async throws {
        let server = try await ShopServer.start()
        let error = await #expect(throws: AsyncNetError.self) {
            try await ShopClient(baseURL: server.url).logIn(username: "ada", password: "wrong")
        }
        #expect(error?.code == .unacceptableStatus && error?.statusCode == 400)
        #expect((error?.underlyingError as? ProblemDetails)?.title == "Wrong password")
        await server.stop()
    }

    @Test("Pages follow each other until the last one")
    func pages() async throws {
        try await withShop { client, _ in
            var sizes: [Int] = []
            for try await page in client.products { sizes.append(page.count) }
            #expect(sizes == [3, 3, 1])
        }
    }

    @Test("Fifty requests with an expired token share one refresh")
    func refresh() async throws {
        try await withShop { client, backend in
            backend.expireTokens()
            try await withThrowingTaskGroup(of: Product.self) { group in
                for _ in 0..<50 { group.addTask { try await client.product(1) } }
                for try await product in group { #expect(product.priceInCents == 100) }
            }
            #expect(backend.refreshes == 1)
        }
    }

    @Test("An order is placed once, though its request is repeated")
    func order() async throws {
        try await withShop { client, backend in
            backend.fail(next: 2)
            let order = try await client.place(NewOrder(productID: 2, quantity: 3))
            #expect(order.productID == 2 && order.quantity == 3 && backend.orders == 1)
        }
    }

    @Test("A refused order says why", arguments: [0, -1])
    func refusedOrder(quantity: Int) async throws {
        try await withShop { client, backend in
            let error = await #expect(throws: AsyncNetError.self) {
                try await client.place(NewOrder(productID: 1, quantity: quantity))
            }
            #expect(error?.code == .unacceptableStatus)
            let problem = try #require(error?.underlyingError as? ProblemDetails)
            #expect(problem.title == "Not an order" && problem.status == 422 && backend.orders == 0)
        }
    }

    @Test("An order's steps go on over several connections, to the last one")
    func steps() async throws {
        try await withShop { client, _ in
            var states: [OrderStep.State] = []
            for try await step in client.steps(of: 1) { states.append(step.state) }
            #expect(states == [.packed, .shipped, .delivered])
        }
    }

    @Test("A photo is uploaded, and its progress reaches the end")
    func photo() async throws {
        try await withShop { client, _ in
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jpg")
            try Data(count: 100_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let last = Mutex(0.0)
            let photo = try await client.upload(photo: file, of: 1) { fraction in last.withLock { $0 = fraction } }
            #expect(photo.bytes > 100_000 && last.withLock { $0 } == 1)
        }
    }

    @Test("A report becomes a file, and a missing one a problem")
    func report() async throws {
        try await withShop { client, _ in
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).csv")
            defer { try? FileManager.default.removeItem(at: file) }
            let report = try await client.report(of: 2026, to: file)
            #expect(try String(contentsOf: report, encoding: .utf8).hasPrefix("product,sold"))
            let error = await #expect(throws: AsyncNetError.self) { try await client.report(of: 1999, to: file) }
            #expect(error?.code == .unacceptableStatus)
            #expect((error?.underlyingError as? ProblemDetails)?.detail == "There is no report of 1999")
        }
    }
}

/// The client over a stub and a clock of the test: no sockets, no time.
@Suite("Shop without a network", .timeLimit(.minutes(1)))
struct ShopStubTests {
    @Test("A busy shop is asked again when it said so")
    func retryAfter() async throws {
        let (clock, stub) = (TestClock(), StubTransport())
        let product: JSON = ["id": 1, "name": "Tea", "price_in_cents": 100, "added_at": "2026-11-23T10:00:00Z"]
        stub.on(.get, "/products/:id", times: 2, replies: .status(503, headers: ["Retry-After": "30"]), .json(product))
        let client = ShopClient(baseURL: try "http://shop.test/".asURL(), transport: stub, clock: clock)
        await client.setTokens(Tokens(accessToken: "a", refreshToken: "r"))
        #expect(try await clock.run { try await client.product(1) }.name == "Tea")
        #expect(clock.now.offset >= .seconds(30))
        try stub.verify()
    }
}
