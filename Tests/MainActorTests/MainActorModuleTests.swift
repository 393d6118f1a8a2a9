import AsyncNet
import AsyncNetTesting
import Foundation
import Testing

// This module's default isolation is the main actor: the types below, and their conformances, are bound to it.

struct Product: Codable, Equatable {
    var id: Int
    var name: String
}

final class Basket: Codable {
    var products: [Product] = [Product(id: 1, name: "Tea")]
}

/// Requests of a module whose types are bound to the main actor.
@Suite("A module of the main actor", .timeLimit(.minutes(5)))
struct MainActorModuleTests {
    private nonisolated static let json = #"{"id":1,"name":"Tea"}"#
    private let tea = Product(id: 1, name: "Tea")

    @Test("Values are decoded on the main actor")
    func decoding() async throws {
        let session = Session(transport: StubTransport { _ in .json(MainActorModuleTests.json) })
        let product = try await session.request("http://a/").serializing(Product.self).value
        #expect(product == tea)
        #expect(try await session.request("http://a/").decode(Product.self) == tea)
        let result = await session.request("http://a/").serializing(Product.self).result
        #expect(try result.get() == tea)
        #expect(try await session.download("http://a/").serializing(Product.self).value == tea)
        let failed = await session.request("http://a/").serializing([Product].self).result
        let error = #expect(throws: AsyncNetError.self) { try failed.get() }
        #expect(error?.code == .decodingFailed)
    }

    @Test("Streams of values are decoded on the main actor")
    func streams() async throws {
        let session = Session(
            transport: StubTransport { _ in .text("\(MainActorModuleTests.json)\n\(MainActorModuleTests.json)\n") })
        var count = 0
        for try await product in session.stream("http://a/").decoding(Product.self) {
            #expect(product == tea)
            count += 1
        }
        #expect(count == 2)
        var read = 0
        let error = await #expect(throws: AsyncNetError.self) {
            for try await _ in session.stream("http://a/").decoding([Product].self) { read += 1 }
        }
        #expect(error?.code == .decodingFailed && read == 0)
    }

    @Test("Server-sent events are decoded on the main actor, and a 204 is decoded as nil")
    func eventsAndEmptyBodies() async throws {
        let session = Session(
            transport: StubTransport { request in
                request.path == "/none"
                    ? .status(204)
                    : .text(
                        "event: a\ndata: {\"product_id\":1}\n\n", headers: ["Content-Type": "text/event-stream"])
            }, configuration: SessionConfiguration(decoder: .json(keys: .convertFromSnakeCase)))
        struct Price: Decodable { var productId: Int }
        let events = session.stream("http://a/").serverSentEvents(reconnection: .never)
        for try await price in events.decoding(Price.self) { #expect(price.productId == 1) }
        let filtered = session.stream("http://a/").serverSentEvents(reconnection: .never).filter { $0.event == "a" }
        for try await price in filtered.decoding(Price.self) { #expect(price.productId == 1) }
        #expect(try await session.request("http://a/none").serializing(Product?.self).value == nil)
    }

    @Test("Parameters are encoded on the main actor, by the session's encoder or the call's")
    func parameters() async throws {
        let stub = StubTransport { request in
            .text("\(request.query ?? "") \(request.text)")
        }
        let session = Session(
            transport: stub, configuration: SessionConfiguration(encoder: .json(formatting: .sortedKeys)))
        func text(_ request: DataRequest) async throws -> String { try await request.serializing(String.self).value }
        #expect(try await text(session.post("http://a/", parameters: tea)) == " \(Self.json)")
        #expect(
            try await text(session.post("http://a/", parameters: tea, encoder: .urlEncodedForm)) == " id=1&name=Tea")
        #expect(try await text(session.request("http://a/", method: .patch, parameters: [tea])) == " [\(Self.json)]")
        #expect(try await text(session.request("http://a/", parameters: tea)) == "id=1&name=Tea ")
        #expect(
            try await text(session.request("http://a/", method: .post, parameters: Basket()))
                == #" {"products":[\#(Self.json)]}"#)
        for try await line in session.stream("http://a/", parameters: tea).lines { #expect(line == "id=1&name=Tea ") }
        let file = session.download("http://a/", parameters: tea)
        #expect(try await file.serializing(String.self).value == "id=1&name=Tea ")
    }

    @Test("Main-actor parameters fail with encodingFailed if the encoder is no ImmediateParameterEncoder")
    func foreignEncoder() async throws {
        let encoder = ClosureParameterEncoder { _, _ in }
        let session = Session(
            transport: StubTransport { _ in .status(204) }, configuration: SessionConfiguration(encoder: encoder))
        let error = await session.post("http://a/", parameters: tea).serializing(Data.self).response.error
        #expect(error?.code == .encodingFailed && error?.message.contains("ImmediateParameterEncoder") == true)
    }

    @Test("A type that has a method request() calls the global function as AsyncNet.request()")
    func globalNames() {
        struct Client {
            func request(_ path: String) -> String { "own \(path)" }
            func shared() -> DataRequest { AsyncNet.request("http://a/") }
        }
        #expect(Client().request("a") == "own a")
        #expect(Client().shared().kind == .data)
    }
}
