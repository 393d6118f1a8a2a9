import AsyncNet
import Foundation

/// The program of somebody who is new here: a typed client of a REST API, against an embedded server.
@main
struct Shop {
    static func main() async throws {
        let server = try await ShopServer.start()
        try await visit(ShopClient(baseURL: server.url), server)
        await server.stop()
    }

    static func visit(_ client: ShopClient, _ server: ShopServer) async throws {
        try await client.logIn(username: "ada", password: "secret")
        for try await page in client.products { print("Page:", page.map(\.name).joined(separator: ", ")) }

        server.backend.expireTokens()
        async let first = client.product(1)
        async let second = client.product(2)
        print("Refreshed \(try await [first, second].count > 0 ? server.backend.refreshes : 0) time for two requests")

        server.backend.fail(next: 2)
        let order = try await client.place(NewOrder(productID: 1, quantity: 3))
        print("Order \(order.id), after two responses with 503")
        for try await step in client.steps(of: order.id) { print("Order \(order.id) is \(step.state)") }

        await refused { try await client.product(99) }
        await refused { try await client.place(NewOrder(productID: 1, quantity: 0)) }
        try await exchangeFiles(client)
    }

    /// Prints why the shop refused a request.
    static func refused(_ request: () async throws -> some Any) async {
        do {
            print("Not refused:", try await request())
        } catch let error as AsyncNetError {
            let problem = error.underlyingError as? ProblemDetails
            print("Refused:", error.statusCode ?? 0, problem?.title ?? "\(error)", problem?.detail ?? "")
        } catch {
            print(error)
        }
    }

    static func exchangeFiles(_ client: ShopClient) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let photo = folder.appending(path: "photo.jpg")
        try Data(count: 200_000).write(to: photo)
        print("Uploaded a photo: a form of \(try await client.upload(photo: photo, of: 1).bytes) bytes")
        let report = try await client.report(of: 2026, to: folder.appending(path: "2026.csv"))
        print("Downloaded a report of \(try Data(contentsOf: report).count) bytes")
    }
}
